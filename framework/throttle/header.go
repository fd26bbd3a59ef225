package throttle

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"trestle.example/framework"
)

var (
	_ framework.Sender = (*Limiter)(nil)
	_ framework.Sender = (*Throttle)(nil)
	_ framework.Sender = (*failures)(nil)
)

// The header fields of draft-ietf-httpapi-ratelimit-headers-10, in canonical form of Go.
const (
	policyField = "Ratelimit-Policy"
	limitField  = "Ratelimit"
)

// Sends documents the headers of a [Limiter]. A response has them if the limiter counted or
// rejected the request.
func (l *Limiter) Sends() []framework.Header {
	return []framework.Header{
		{Name: "RateLimit", Doc: "What is left of each rate that the request counted for: \"login\";r=3;t=48."},
		{Name: "RateLimit-Policy", Doc: "The rates that the request counted for: \"login\";q=5;w=60."},
	}
}

// Sends implements [framework.Sender].
func (t *Throttle) Sends() []framework.Header { return t.limiter.Sends() }

// Sends implements [framework.Sender].
func (f *failures) Sends() []framework.Header { return f.limiter.Sends() }

// advertise adds a limiter to the headers of the response: one line per scope. If a scope has
// several keys, the line is for the one with the least quota. If h is nil, it does nothing.
func advertise(h http.Header, scope string, rate Rate, q Quota) {
	if h == nil {
		return
	}
	name := `"` + scope + `"`
	policy := fmt.Sprintf("%s;q=%d;w=%d", name, rate.Limit, rate.Per/time.Second)
	limit := fmt.Sprintf("%s;r=%d;t=%d", name, q.Remaining, seconds(q.Reset))
	at := lineOf(h[limitField], name)
	if at >= 0 && !isTighter(q, h[limitField][at][len(name):]) {
		return
	}
	for field, line := range map[string]string{policyField: policy, limitField: limit} {
		if at := lineOf(h[field], name); at >= 0 {
			h[field][at] = line
		} else {
			h[field] = append(h[field], line)
		}
	}
}

// lineOf is the index of the line of a scope, -1 without one.
func lineOf(lines []string, name string) int {
	return slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, name+";") })
}

// isTighter reports whether a quota has fewer requests left than an advertised one, or as
// few for longer.
func isTighter(q Quota, advertised string) bool {
	var r, t int
	if _, err := fmt.Sscanf(advertised, ";r=%d;t=%d", &r, &t); err != nil {
		return true
	}
	return q.Remaining < r || q.Remaining == r && seconds(q.Reset) > t
}
