package sqldb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/sqltext"
)

// TestTemplate: a template returns what its statement returns.
func TestTemplate(t *testing.T) {
	for name, options := range map[string]Options{"prepared": {}, "as text": {NoPrepare: true}} {
		t.Run(name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, url string) {
				db := open(t, url, options)
				script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}}, at {{timestamp}})")
				at := time.Date(2026, 11, 21, 10, 0, 0, 123000, time.UTC)
				run(t, db.Session(), "INSERT INTO t VALUES (1, ?, ?), (2, ?, ?)", "one", at, "tw'o ?", at)
				template := NewTemplate(func(v Values) schema.QueryAppender {
					return db.NewSelect().TableExpr("t").Column("id", "name").Where("name = ?", v.At(1)).Where("id = ? AND at = ?", v.At(0), v.At(2))
				})
				for _, c := range []struct {
					values []any
					rows   int
				}{
					{[]any{1, "one", at}, 1}, {[]any{int64(2), "tw'o ?", at}, 1}, {[]any{1, "tw'o ?", at}, 0}, {[]any{1, "one", at.Add(time.Hour)}, 0}, {[]any{nil, "one", at}, 0},
				} {
					r, err := db.Session().Read(background(t), template.With(c.values...))
					if err != nil || r.Len() != c.rows {
						t.Errorf("%v answers %v, %v; want %d rows", c.values, r, err, c.rows)
					}
					err = db.InTx(background(t), func(ctx context.Context, s *Session) error {
						r, err := s.Read(ctx, template.With(c.values...))
						if err == nil && r.Len() != c.rows {
							t.Errorf("%v in a transaction answers %d rows; want %d", c.values, r.Len(), c.rows)
						}
						return err
					})
					if err != nil {
						t.Error(err)
					}
				}
				var refused *TextError
				if _, err := db.Session().Read(background(t), template.With(1, "a\x00b", at)); !errors.As(err, &refused) {
					t.Errorf("a NUL is %v", err)
				}
			})
		})
	}
}

// TestTemplateWithAValue: a value in a template's own statement would be every
// run's.
func TestTemplateWithAValue(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		template := NewTemplate(func(v Values) schema.QueryAppender {
			return db.NewSelect().TableExpr("t").Where("name = ?", "mine").Where("id = ?", v.At(0))
		})
		_, err := db.Session().Read(background(t), template.With(1))
		if !errors.Is(err, sqltext.ErrFixedValue) {
			t.Errorf("it is %v", err)
		}
	})
}

// TestReadScans: which types a row's values scan into, and which are errors.
func TestReadScans(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, name {{text}}, ok {{bool}}, at {{timestamp}}, gone {{text}})")
		at := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
		run(t, db.Session(), "INSERT INTO t VALUES (?, 'one', ?, ?, NULL)", Param(7), Param(true), at)
		read := func(columns string) *Result {
			t.Helper()
			r, err := db.Session().Read(background(t), db.NewRaw("SELECT "+columns+" FROM t"))
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		var (
			id   int64
			name string
			ok   bool
			when time.Time
		)
		if err := read("id, name, ok, at").Scan(0, &id, &name, &ok, &when); err != nil || id != 7 || name != "one" || !ok || !when.Equal(at) {
			t.Errorf("read %v %v %v %v, %v", id, name, ok, when, err)
		}
		if err := read("gone").Scan(0, &name); err == nil {
			t.Error("NULL went into a string")
		}
		if err := read("id, name").Scan(0, &id); err == nil {
			t.Error("two columns went into one place")
		}
		if err := read("name").Scan(0, new(chan int)); err == nil {
			t.Error("a text went into a channel")
		}
		r, err := db.Session().Read(background(t), db.NewRaw("SELECT id FROM t WHERE id = ?", Param(8)))
		if err != nil || r.Len() != 0 {
			t.Errorf("no row is %v, %v", r, err)
		}
	})
}
