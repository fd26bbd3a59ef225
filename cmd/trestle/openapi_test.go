package main

import (
	"net/http"
	"strings"
	"testing"
)

// TestOpenAPIPrintsWhatIsServed, byte by byte, and with the same settings.
func TestOpenAPIPrintsWhatIsServed(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	for name, env := range map[string]string{"as usual": "", "with another size of pages": "TRESTLE_PAGE_SIZE=7"} {
		t.Run(name, func(t *testing.T) {
			s := r.start(t, env)
			for format, media := range map[string]string{"json": "application/json", "yaml": "application/yaml"} {
				printed := r.with("", "openapi --format "+format, env)
				printed.is(t, exitOK)
				got := visit(t, s.base, nil).send(t, "GET /api/openapi."+format, "").is(t, http.StatusOK)
				if got.body != printed.stdout || len(got.body) < 10_000 || got.header.Get("Content-Type") != media {
					t.Errorf("%s: %d bytes of %s are served, %d are printed; want the same", format, len(got.body), got.header.Get("Content-Type"), len(printed.stdout))
				}
			}
		})
	}
}

// TestOpenAPINeedsNoDatabase: it also lists the formats.
func TestOpenAPINeedsNoDatabase(t *testing.T) {
	t.Parallel()
	r := newRig(t, "")
	if r.ok("openapi") != r.ok("openapi --format json") {
		t.Error("the usual format is not json")
	}
	r.run("openapi --format xml").is(t, exitUsage, `--format is "xml": the reference is written as json or yaml`)
	printed := r.with("", "openapi", "TRESTLE_ENV=production", "TRESTLE_JWT_KEYS="+strings.TrimSpace(r.ok("jwt keygen")))
	if printed.is(t, exitOK); !strings.Contains(printed.stdout, `"__Host-sessionid"`) || strings.Contains(r.ok("openapi"), "__Host-") {
		t.Error("the session's cookie is not the one that the settings make")
	}
}
