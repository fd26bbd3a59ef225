package serve

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"trestle.example/framework/program/internal/config"
)

// mostOrigins is the most origins that one process names in the log.
const mostOrigins = 20

// otherSites logs each origin whose pages send requests but may not read the answers, with
// the setting that allows it. It logs each origin once, and [mostOrigins] of them at most. It
// is for development, where a page often has a port of its own, and a browser only reports
// that the request failed. It is safe for concurrent use.
type otherSites struct {
	http.Handler

	allowed []string // origins, as browsers send them
	setting string   // the variable that allows them
	log     *slog.Logger

	mu    sync.Mutex
	named map[string]bool
}

// nameOrigins returns a handler that logs other origins. In production it returns the handler
// unchanged.
func nameOrigins(c config.Config, handler http.Handler, log *slog.Logger) http.Handler {
	if c.Production {
		return handler
	}
	return &otherSites{Handler: handler, allowed: c.CORSOrigins, setting: c.Program.Text(config.CORSVariable), log: log, named: map[string]bool{}}
}

func (o *otherSites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if origin := r.Header.Get("Origin"); origin != "" {
		o.name(origin, r.Host)
	}
	o.Handler.ServeHTTP(w, r)
}

// name logs an origin that is not the server's own and not allowed, unless it was logged
// before or [mostOrigins] were.
func (o *otherSites) name(origin, host string) {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || origin != u.Scheme+"://"+u.Host || u.Host == host || slices.Contains(o.allowed, origin) {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.named[origin] || len(o.named) >= mostOrigins {
		return
	}
	o.named[origin] = true
	o.log.Warn("a page of another origin sends requests, and its browser does not let it read the answers; to allow that, use this setting",
		"origin", origin, "setting", o.setting+"="+strings.Join(append(slices.Clip(o.allowed), origin), ","))
}
