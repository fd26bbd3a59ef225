package origin

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Address returns the address of the client that sent a request. It begins with the address of
// the connection, and then reads X-Forwarded-For from right to left. It stops at the first address
// that is not of a trusted proxy, or before a value that is not an address. The result is invalid
// if RemoteAddr is not an address and a port.
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

// Secure reports whether the client sent a request over TLS. It is true if the connection uses
// TLS. Otherwise, it is true only if a trusted proxy sent the request and the last value of
// X-Forwarded-Proto is https: a client can write the values before the last.
func (o *Origin) Secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	schemes := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
	return err == nil && o.trusts(peer.Addr().Unmap()) && strings.EqualFold(strings.TrimSpace(schemes[len(schemes)-1]), "https")
}

func (o *Origin) trusts(at netip.Addr) bool {
	return slices.ContainsFunc(o.Proxies, func(p netip.Prefix) bool { return p.Contains(at) })
}
