package sqldb

import (
	"net/url"
	"testing"
)

// TestTimesComeInUTC: whatever the server's own zone is, unless the URL names
// one; behind a pooler too.
func TestTimesComeInUTC(t *testing.T) {
	at, err := url.Parse(postgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	script(t, open(t, at.String(), Options{}), "ALTER ROLE CURRENT_USER IN DATABASE "+quoted(at.Path[1:])+" SET timezone TO 'Asia/Kolkata'")
	for _, c := range []struct {
		name string
		zone string
		o    Options
		want string
	}{
		{"nothing is said", "", Options{}, "UTC"},
		{"behind a pooler", "", Options{NoPrepare: true}, "UTC"},
		{"the URL names a zone", "Asia/Tokyo", Options{}, "Asia/Tokyo"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, q := *at, at.Query()
			if c.zone != "" {
				q.Set("timezone", c.zone)
			}
			u.RawQuery = q.Encode()
			var zone string
			if err := open(t, u.String(), c.o).NewRaw("SHOW TIME ZONE").Scan(background(t), &zone); err != nil || zone != c.want {
				t.Errorf("the zone is %q, want %q (%v)", zone, c.want, err)
			}
		})
	}
}

func quoted(name string) string { return `"` + name + `"` }
