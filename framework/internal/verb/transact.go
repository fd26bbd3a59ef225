package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
)

// transact runs fn in a transaction, and again from the beginning if the database requires
// a retry. If fn sends one statement only, there is no transaction around it.
func transact(c *call.Call, oneStatement bool, fn func(*call.Call) error) error {
	if !oneStatement {
		return c.InTx(fn)
	}
	s := state.Of(c)
	begin := s.Rerun()
	return s.Session.DB().Retry(c, func() error {
		begin()
		return fn(c)
	})
}
