package connection

import (
	"container/list"
	"context"
	"database/sql/driver"
	"errors"

	"trestle.example/framework/sqldb/internal/fault"
)

// A runnable is what a runner runs: a prepared statement or a text.
type runnable interface {
	driver.StmtExecContext
	driver.StmtQueryContext
}

// text is a statement that is sent as it is.
type text struct {
	conn  driver.Conn
	query string
}

func (t text) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return t.conn.(driver.ExecerContext).ExecContext(ctx, t.query, args)
}

func (t text) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return t.conn.(driver.QueryerContext).QueryContext(ctx, t.query, args)
}

// statements are the prepared statements of one connection, the least
// recently used one last. Only the goroutine that holds the connection uses
// them, so no statement is closed while it runs.
type statements struct {
	capacity   int
	generation uint64
	order      *list.List // of *cached
	byQuery    map[string]*list.Element
}

type cached struct {
	query string
	stmt  driver.Stmt
}

func newStatements(capacity int) *statements {
	return &statements{capacity: capacity, order: list.New(), byQuery: map[string]*list.Element{}}
}

func (s *statements) get(query string) (runnable, bool) {
	el, ok := s.byQuery[query]
	if !ok {
		return nil, false
	}
	s.order.MoveToFront(el)
	return el.Value.(*cached).stmt.(runnable), true
}

func (s *statements) add(query string, stmt driver.Stmt) error {
	s.byQuery[query] = s.order.PushFront(&cached{query, stmt})
	if s.order.Len() <= s.capacity {
		return nil
	}
	return s.drop(s.order.Back())
}

func (s *statements) drop(el *list.Element) error {
	c := s.order.Remove(el).(*cached)
	delete(s.byQuery, c.query)
	return c.stmt.Close()
}

// renew empties the cache when its statements are of an older generation.
func (s *statements) renew(generation uint64) error {
	if s.generation == generation {
		return nil
	}
	s.generation = generation
	return s.clear()
}

// clear closes every statement, until one cannot be closed. It ignores the error that the
// server no longer has a statement.
func (s *statements) clear() error {
	for s.order.Len() > 0 {
		if err := s.drop(s.order.Front()); err != nil && fault.State(err) != "26000" {
			return err
		}
	}
	return nil
}

// userStmt is a statement that a caller prepared with database/sql.
type userStmt struct {
	driver.Stmt
	conn  *Conn
	query string
}

// Prepare implements [driver.Conn].
func (c *Conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext implements [driver.ConnPrepareContext].
func (c *Conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.usable(); err != nil {
		return nil, err
	}
	guarded, stop := c.guard(ctx)
	defer stop()
	s, err := c.inner.(driver.ConnPrepareContext).PrepareContext(c.driverContext(guarded), query)
	if err != nil {
		c.fails(err)
		return nil, c.settle(guarded, err)
	}
	return &userStmt{Stmt: s, conn: c, query: query}, nil
}

func (s *userStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.conn.exec(ctx, s.query, args, s.run)
}

func (s *userStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.conn.query(ctx, s.query, args, s.run)
}

func (s *userStmt) run(ctx context.Context, do func(context.Context, runnable) error) error {
	return do(ctx, s.Stmt.(runnable))
}

var errNoContext = errors.New("sqldb: a prepared statement runs with a context")

func (s *userStmt) Exec([]driver.Value) (driver.Result, error) { return nil, errNoContext }
func (s *userStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, errNoContext }
