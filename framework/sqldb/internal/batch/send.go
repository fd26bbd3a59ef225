package batch

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
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
		for _, w := range q.lines.remaining(b) {
			rows, err := tx.Tx.QueryContext(ctx, w.text, w.args...)
			if err != nil {
				return err
			}
			if w.result, err = connection.Drain(rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// inOneStatement runs writes with one text as one statement. It gets
// the connection first: a request whose time ends before that has written nothing.
func (q *Queue) inOneStatement(b *batch) error {
	switch committed, err := q.readCommitted(b.ctx); {
	case err != nil:
		return err
	case !committed:
		q.apart.Add(b.writes[0].text)
		return errApart
	}
	return q.pool.OnConn(b.ctx, true, func(c *connection.Conn) error {
		some := q.lines.remaining(b)
		if len(some) < 2 {
			return errApart
		}
		text := q.Joins.Of(sqltext.JoinedKey{Text: some[0].text, N: len(some)}, sqltext.Joined)
		if text == "" {
			q.apart.Add(some[0].text)
			return errApart
		}
		var args []driver.NamedValue
		for _, w := range some {
			for _, v := range w.args {
				args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: v})
			}
		}
		all, err := c.Read(b.ctx, text, args)
		if err == nil {
			share(all, some)
		}
		return err
	})
}

// share gives each of the writes its rows. The first column of a row is the number of its
// write.
func share(all *connection.Result, some []*write) {
	columns := connection.Columns(all) - 1
	values := make([][]driver.Value, len(some))
	for i := range all.Len() {
		row := all.Row(i)
		if of := row[0].(int64); of >= 0 { //nolint:forcetypeassert // the first column is a bigint
			values[of] = append(values[of], row[1:]...)
		}
	}
	for i, w := range some {
		w.result = connection.NewResult(columns, values[i])
	}
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
