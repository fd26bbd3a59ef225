package throttle

import (
	"trestle.example/framework"
	"trestle.example/framework/internal/fair"
)

// A Key states which requests are counted together.
type Key struct {
	name  string // its name for String: "address"
	of    func(*framework.Call) string
	early bool // it does not depend on the caller
}

// By counts requests together if of returns the same text for them. The name is one word
// for people.
func By(name string, of func(*framework.Call) string) Key { return Key{name: name, of: of} }

// ByAddress counts by the address of the client, see [Address].
func ByAddress() Key { return Key{"address", Address, true} }

// ByCaller counts by the caller, at any address, and anonymous callers by their address.
func ByCaller() Key {
	return By("caller", func(c *framework.Call) string {
		if c.Caller.Anonymous() {
			return "address " + Address(c)
		}
		return "caller " + c.Caller.IDText()
	})
}

// ByAccount counts by an account in the path or the headers of the request. of must
// return one spelling for each account. For an account in the body, use [Limiter.Allow].
// Requests without an account, "", are counted together.
func ByAccount(of func(*framework.Call) string) Key { return By("account", of) }

// Address returns the origin of a request, for counting: an IPv4 address, or the /56
// network of an IPv6 address, which often belongs to one subscriber. It is the address of
// the connection, or the address that a trusted proxy names; see [framework.Config].
func Address(c *framework.Call) string {
	return fair.Network(c.Address)
}
