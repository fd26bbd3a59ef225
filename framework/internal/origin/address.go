package origin

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Address is where a request comes from. What X-Forwarded-For says is believed
// from the right, as far as trusted proxies wrote it.
func (o *Origin) Address(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	at := peer.Addr().Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		named, err := parseHop(strings.TrimSpace(hop))
		if err != nil || !o.trusts(at) {
			break
		}
		at = named.Unmap()
	}
	return at
}

// parseHop reads an address that may carry a port.
func parseHop(text string) (netip.Addr, error) {
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr(), nil
	}
	return netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
}

// Secure reports whether a request came by TLS. Of several proxies the nearest
// tells, for a client can write what stands before it.
func (o *Origin) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	told := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
	return err == nil && o.trusts(peer.Addr().Unmap()) && strings.EqualFold(strings.TrimSpace(told[len(told)-1]), "https")
}

func (o *Origin) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(o.Proxies, func(p netip.Prefix) bool { return p.Contains(at) })
}
