package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
)

// transact runs fn in a transaction, and again from the beginning if the database requires a
// retry. If oneStatement is set, it runs and retries fn without a transaction. Before each
// retry, it restores the state of the call, as [state.State.Rewind] describes.
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
