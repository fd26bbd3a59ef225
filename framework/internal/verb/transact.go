package verb

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// transact runs fn in a transaction, and again from the beginning if the database requires a
// retry. If oneStatement is set, it runs and retries fn without a transaction. Before each
// retry, it restores the state of the call, as [state.State.Rewind] describes. If the call is in a
// transaction already, transact only runs fn there.
func transact(c *call.Call, oneStatement bool, fn func(*call.Call) error) error {
	if !oneStatement || c.Session().InTx() {
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

// Part answers a request within the transaction of another one, by a function that runs after a savepoint. If the function
// returns an error, nothing of what it did stays: no change of the database, no header, no function of
// [call.Call.AfterCommit], and no note about the row that it received. The notes about ignored names stay. The error is
// translated for the client. The answer is encoded.
func (e Handler) Part(c *call.Call, r *table.Request, serve func(*call.Call, *table.Request) (*table.Response, error)) (resp *table.Response, err error) {
	err = savepoint(c, func() error {
		resp, err = serve(c, r)
		return err
	})
	if err != nil {
		return nil, e.translated(c, r, e.notYours(c, r, err))
	}
	if err := e.finish(c, resp); err != nil {
		return nil, err
	}
	return resp, resp.Encode()
}

// savepoint runs fn in the transaction of a call, and undoes what it did if it returns an error. If that is not possible, the
// error is not one for the client, and the transaction must end.
func savepoint(c *call.Call, fn func() error) error {
	s := state.Of(c)
	undo, parent, pending := s.Rewind(), s.Progress.Parent, len(*s.Pending)
	if err := control(c, "SAVEPOINT part"); err != nil {
		return err
	}
	err := fn()
	if err == nil {
		return control(c, "RELEASE SAVEPOINT part")
	}
	lost := cmp.Or(control(c, "ROLLBACK TO SAVEPOINT part"), control(c, "RELEASE SAVEPOINT part"))
	if _, known := errors.AsType[*problem.Error](err); known && lost != nil {
		return fmt.Errorf("%w, after the error: %v", lost, err) //nolint:errorlint // the error is for a client, and this one must not be
	}
	ignored := slices.Clone(s.Progress.Ignored)
	undo()
	s.Progress.Ignored, s.Progress.Parent, *s.Pending = ignored, parent, (*s.Pending)[:pending]
	return err
}

// control runs a statement about the transaction of a call.
func control(c *call.Call, statement string) error {
	_, err := c.Session().Exec(c, bun.SafeQuery(statement))
	return err
}
