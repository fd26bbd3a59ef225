package sqldb

import (
	"context"
	"database/sql"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/fault"
)

// Session is where statements run: the pool, or one transaction. A Session of
// the pool is safe for concurrent use; that of a transaction is not, and ends
// with it.
type Session struct {
	db      *DB
	tx      *bun.Tx  // nil on the pool
	replica *replica // that may answer its reads; nil for none
}

// Session is the pool as a place to run statements: each takes whichever
// connection is free.
func (db *DB) Session() *Session { return &Session{db: db} }

// IDB is the pool or the transaction for code that uses bun itself. The queries that
// bun builds wait for a connection as those of a Session do. A raw statement that is
// run by a method of [bun.DB], and a transaction that it begins, do not wait in that
// queue: use [DB.InTx].
func (s *Session) IDB() bun.IDB {
	if s.tx != nil {
		return *s.tx
	}
	return s.db.DB
}

// DB is the database of the session.
func (s *Session) DB() *DB { return s.db }

// InTx tells whether the session is one transaction.
func (s *Session) InTx() bool { return s.tx != nil }

// Query runs a statement and returns its rows, which the caller closes. Every
// text, time and binary value of the statement, and every [Param], is sent
// beside the text, and the statement is prepared. Without a deadline in the
// context the database's own holds until the rows are closed. A text that
// holds a NUL or is not UTF-8 is a [*TextError] and nothing is sent.
//
// Model hooks of bun do not run here.
func (s *Session) Query(ctx context.Context, q schema.QueryAppender) (*sql.Rows, error) {
	if s.tx != nil {
		return send(ctx, s, q, s.tx.Tx.QueryContext)
	}
	return send(ctx, s, q, s.db.query)
}

// Exec is Query for a statement without rows.
func (s *Session) Exec(ctx context.Context, q schema.QueryAppender) (sql.Result, error) {
	if s.tx != nil {
		return send(ctx, s, q, s.tx.Tx.ExecContext)
	}
	return send(ctx, s, q, s.db.exec)
}

// send renders and runs a statement. Where PostgreSQL cannot tell the type of
// a parameter, as in jsonb_build_object($1), a quoted value would have done,
// so the statement is sent as text from then on; in a transaction, which that
// fault has ended, [DB.InTx] begins anew.
func send[T any](ctx context.Context, s *Session, q schema.QueryAppender, run func(context.Context, string, ...any) (T, error)) (T, error) {
	var none T
	text, args, err := s.db.render(q)
	if err != nil {
		return none, err
	}
	if s.db.inlined.has(text) {
		return sendText(ctx, s, q, run)
	}
	if !s.db.core.options.NoPrepare {
		ctx = context.WithValue(ctx, preparedKey{}, true)
	}
	res, err := run(ctx, text, args...)
	if len(args) == 0 || !isUntyped(err) {
		return res, err
	}
	s.db.inlined.add(text)
	if s.tx != nil {
		return none, &untypedError{err}
	}
	return sendText(ctx, s, q, run)
}

func sendText[T any](ctx context.Context, s *Session, q schema.QueryAppender, run func(context.Context, string, ...any) (T, error)) (T, error) {
	text, err := s.db.renderQuoted(q)
	if err != nil {
		var none T
		return none, err
	}
	return run(context.WithValue(ctx, preparedKey{}, nil), text)
}

// render is a statement as its text and the values beside it.
func (db *DB) render(q schema.QueryAppender) (string, []any, error) {
	if db.core.options.NoPrepare {
		text, err := db.renderQuoted(q)
		return text, nil, err
	}
	if f, ok := q.(filled); ok {
		t := db.template(f.template)
		if t.err != nil {
			return "", nil, t.err
		}
		if args, err := t.args(f.values); err != nil || args != nil {
			return t.text, args, err
		}
	}
	d := &binder{Dialect: db.dialect, kind: db.core.kind, pages: &db.pages}
	b, err := q.AppendQuery(schema.NewQueryGen(d), make([]byte, 0, 512))
	if err == nil {
		err = d.err
	}
	if err == nil && len(d.args) > maxParams {
		text, err := db.renderQuoted(q)
		return text, nil, err
	}
	return string(b), d.args, err
}

// renderQuoted is a statement with its values in its text, quoted by bun.
func (db *DB) renderQuoted(q schema.QueryAppender) (string, error) {
	d := &quoter{Dialect: db.dialect}
	b, err := q.AppendQuery(schema.NewQueryGen(d), make([]byte, 0, 512))
	if err == nil {
		err = d.err
	}
	return string(b), err
}

// isUntyped tells that PostgreSQL could not make sense of a statement whose
// values it did not see. Each of these is found before anything is done.
func isUntyped(err error) bool {
	switch fault.State(err) {
	case "42P18", "42P08", "42804", "42883", "42725", "42601":
		return true
	}
	return false
}

// untypedError asks InTx to begin again, with the statement sent as text.
type untypedError struct{ err error }

func (e *untypedError) Error() string { return e.err.Error() }
func (e *untypedError) Unwrap() error { return e.err }

// textSet is a set of statements. It forgets everything when it is full, which
// costs a failed attempt each.
type textSet struct {
	mu    sync.RWMutex
	texts map[string]struct{}
}

const maxInlined = 1024

func (t *textSet) has(text string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.texts[text]
	return ok
}

func (t *textSet) add(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil || len(t.texts) >= maxInlined {
		t.texts = make(map[string]struct{})
	}
	t.texts[text] = struct{}{}
}
