package verb

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/sqldb"
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

// RetryTaken runs a PUT a second time after an error of a unique constraint: another request
// may have inserted the row meanwhile, and then the second run replaces that row. The second
// error is final.
func RetryTaken(serve func(*call.Call, *table.Request) (*table.Response, error)) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		again := state.Of(c).Rewind()
		resp, err := serve(c, r)
		if fault, ok := sqldb.Classify(err); ok && fault.Kind == sqldb.Unique {
			again()
			return serve(c, r)
		}
		return resp, err
	}
}
