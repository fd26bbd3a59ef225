package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
)

// transact runs fn in a transaction, and again from the beginning if the database requires a
// retry. If oneStatement is set, there is no transaction around fn, and the retry remains.
// Before each retry, the state of the response is restored.
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
