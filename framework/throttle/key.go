package throttle

import (
	"trestle.example/framework"
	"trestle.example/framework/internal/fair"
)

// A Key says whose requests are counted together.
type Key struct {
	name  string // what String calls it: "address"
	of    func(*framework.Call) string
	early bool // it does not ask who calls
}

// By counts together the requests for which of returns the same text. The name
// is for people, in one word.
func By(name string, of func(*framework.Call) string) Key { return Key{name: name, of: of} }

// ByAddress counts by the client's address, as [Address] names it.
func ByAddress() Key { return Key{"address", Address, true} }

// ByCaller counts by the caller, from wherever they call, and anonymous callers
// by their address.
func ByCaller() Key {
	return By("caller", func(c *framework.Call) string {
		if c.Caller.Anonymous() {
			return "address " + Address(c)
		}
		return "caller " + c.Caller.ID.String()
	})
}

// ByAccount counts by an account that the request names in its path or
// headers, in one spelling for each. One that only the body names is for
// [Limiter.Allow]. Requests that name none, "", are counted together.
func ByAccount(of func(*framework.Call) string) Key { return By("account", of) }

// Address names where a request comes from, for counting: an IPv4 address, or
// the /56 network of an IPv6 address, which is one subscriber's, often. It is that of
// the connection, or whom a trusted proxy names; see [framework.Config].
func Address(c *framework.Call) string {
	return fair.Network(c.Address)
}
