package batch

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/pool"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// inOneTx runs the writes of a batch whose requests still wait, in one transaction.
func (q *Queue) inOneTx(b *batch) error {
	turn, err := q.awaitWriter(b.ctx, b.writes[0].line, b.clients...)
	if err != nil {
		return err
	}
	defer turn.End()
	return q.options.InTx(b.ctx, func(ctx context.Context, tx *bun.Tx) error {
		run := func(s Statement) (*connection.Result, error) {
			rows, err := tx.Tx.QueryContext(ctx, s.Text, s.Args...)
			if err != nil {
				return nil, err
			}
			return connection.Drain(rows)
		}
		for _, w := range q.lines.remaining(b) { // two may be of one row, so the second begins after the first
			if err := q.inTx([]*write{w}, run); err != nil {
				return err
			}
		}
		return nil
	})
}

// inStatements runs writes with one text, and the statements that follow them, in one transaction: the
// first ones as one statement, then those that follow, and so on. If the connection broke before the commit, it begins again
// with another one.
func (q *Queue) inStatements(b *batch) error {
	if err := q.mayJoin(b); err != nil {
		return err
	}
	var committed error // it is not run again after an error of the commit
	err := q.pool.OnConn(b.ctx, true, func(c *connection.Conn) error {
		some := q.lines.remaining(b)
		if len(some) < 2 {
			return errApart
		}
		tx, err := c.BeginTx(b.ctx, driver.TxOptions{})
		if err != nil {
			return err
		}
		if err := q.inTx(some, func(s Statement) (*connection.Result, error) { return c.Read(b.ctx, s.Text, pool.Numbered(s.Args)) }); err != nil {
			_ = tx.Rollback()
			return err
		}
		committed = tx.Commit()
		return nil
	})
	if fault.IsStale(err) { // a column has another type now; the connection prepares the statement again for the next writes
		return errApart
	}
	return cmp.Or(err, committed)
}

// inTx runs the statements of writes in a transaction: the first statements of all writes as one, then the second ones, and so on, as
// long as their texts are equal.
func (q *Queue) inTx(some []*write, run func(Statement) (*connection.Result, error)) error {
	var statements []Statement
	for _, w := range some {
		statements, w.results = append(statements, w.Statement), nil
	}
	for len(some) > 0 {
		results, err := q.step(statements, run)
		if err != nil {
			return err
		}
		var more []*write
		statements = nil
		for i, w := range some {
			w.results = append(w.results, results[i])
			next, follows, err := w.follow()
			if err != nil {
				return errApart // it is an error of this write alone
			}
			if follows {
				more, statements = append(more, w), append(statements, next)
			}
		}
		some = more
	}
	return nil
}

// follow returns the statement that follows those that have results. A panic is the error errApart: it happens again in the
// request of the write itself, and the other writes do not have it.
func (w *write) follow() (next Statement, follows bool, err error) {
	defer func() {
		if recover() != nil {
			err = errApart
		}
	}()
	if w.Next == nil {
		return Statement{}, false, nil
	}
	return w.Next(w.results)
}

// step runs statements, as one if they have one text that can be joined.
func (q *Queue) step(statements []Statement, run func(Statement) (*connection.Result, error)) ([]*connection.Result, error) {
	if text := q.joined(statements); text != "" {
		var args []any
		for _, s := range statements {
			args = append(args, s.Args...)
		}
		all, err := run(Statement{text, args})
		if err != nil {
			return nil, err
		}
		return divide(all, len(statements)), nil
	}
	var results []*connection.Result
	for _, s := range statements {
		r, err := run(s)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	return results, nil
}

// joined returns the text of several statements as one, "" if they are not joined.
func (q *Queue) joined(statements []Statement) string {
	first := statements[0]
	other := func(s Statement) bool { return s.Text != first.Text }
	n := len(statements)
	if n == 1 || len(first.Args) > sqltext.MaxParams/n || slices.ContainsFunc(statements, other) {
		return ""
	}
	return q.Joins.Of(sqltext.JoinedKey{Text: first.Text, N: n}, sqltext.Joined)
}

// mayJoin returns errApart if the writes of a batch cannot be one statement.
func (q *Queue) mayJoin(b *batch) error {
	committed, err := q.readCommitted(b.ctx)
	if err == nil && (!committed || q.Joins.Of(sqltext.JoinedKey{Text: b.writes[0].Text, N: 2}, sqltext.Joined) == "") {
		q.apart.Add(b.writes[0].Text)
		err = errApart
	}
	return err
}

// inOneStatement runs writes with one text as one statement. It gets
// the connection first: a request whose time ends before that has written nothing.
func (q *Queue) inOneStatement(b *batch) error {
	if err := q.mayJoin(b); err != nil {
		return err
	}
	return q.pool.OnConn(b.ctx, true, func(c *connection.Conn) error {
		some := q.lines.remaining(b)
		if len(some) < 2 {
			return errApart
		}
		text := q.Joins.Of(sqltext.JoinedKey{Text: some[0].Text, N: len(some)}, sqltext.Joined)
		var args []any
		for _, w := range some {
			args = append(args, w.Args...)
		}
		all, err := c.Read(b.ctx, text, pool.Numbered(args))
		if err != nil {
			return err
		}
		for i, r := range divide(all, len(some)) {
			some[i].results = []*connection.Result{r}
		}
		return nil
	})
}

// divide gives each of n joined statements its rows. The first column of a row is the number of its
// statement.
func divide(all *connection.Result, n int) []*connection.Result {
	columns := connection.Columns(all) - 1
	values := make([][]driver.Value, n)
	for i := range all.Len() {
		row := all.Row(i)
		if of := row[0].(int64); of >= 0 { //nolint:forcetypeassert // the first column is a bigint
			values[of] = append(values[of], row[1:]...)
		}
	}
	results := make([]*connection.Result, n)
	for i := range results {
		results[i] = connection.NewResult(columns, values[i])
	}
	return results
}

// readCommitted reports whether the transactions of the database are READ COMMITTED: each
// write then sees what was committed before it, so writes may be one transaction. The first
// result is kept.
func (q *Queue) readCommitted(ctx context.Context) (bool, error) {
	if known := q.isolation.Load(); known != nil {
		return *known == "read committed", nil
	}
	r, err := q.pool.Read(ctx, "SELECT current_setting('transaction_isolation')", nil)
	var isolation string
	if err == nil {
		err = r.Scan(0, &isolation)
	}
	if err != nil {
		return false, err
	}
	q.isolation.Store(&isolation)
	return isolation == "read committed", nil
}

// asApart returns the error of writes that were sent together: errApart if nothing was
// done. If the server does not accept the statement, or its result cannot be read, writes
// with this text are not sent together again.
func (q *Queue) asApart(text string, err error) error {
	failure, known := fault.Classify(err)
	switch {
	case err == nil || errors.Is(err, errApart):
		return err
	case fault.State(err) == "57014": // the server ended it, and all that it did
	case failure.Kind == fault.Unavailable || failure.Kind == fault.Timeout:
		return err
	case !known && q.options.Kind == dialect.PostgreSQL:
		q.apart.Add(text)
		return err
	case fault.IsUntyped(err) || fault.State(err) == "0A000":
		q.apart.Add(text)
	}
	return errApart
}
