package throttle

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The header fields of draft-ietf-httpapi-ratelimit-headers-10, as Go keys them.
const (
	policyField = "Ratelimit-Policy"
	limitField  = "Ratelimit"
)

// advertise adds a limiter to the response's headers: one line per scope, and
// of several keys in one scope the tightest.
func advertise(h http.Header, scope string, rate Rate, q Quota) {
	if h == nil {
		return
	}
	name := `"` + scope + `"`
	policy := fmt.Sprintf("%s;q=%d;w=%d", name, rate.Limit, rate.Per/time.Second)
	limit := fmt.Sprintf("%s;r=%d;t=%d", name, q.Remaining, seconds(q.Reset))
	at := slices.IndexFunc(h[limitField], func(line string) bool { return strings.HasPrefix(line, name+";") })
	switch {
	case at < 0:
		h[policyField] = append(h[policyField], policy)
		h[limitField] = append(h[limitField], limit)
	case tighter(q, h[limitField][at][len(name):]):
		h[policyField][at], h[limitField][at] = policy, limit
	}
}

// tighter reports whether a quota leaves less than an advertised one, or no
// more but for longer.
func tighter(q Quota, advertised string) bool {
	var r, t int
	if _, err := fmt.Sscanf(advertised, ";r=%d;t=%d", &r, &t); err != nil {
		return true
	}
	return q.Remaining < r || q.Remaining == r && seconds(q.Reset) > t
}
