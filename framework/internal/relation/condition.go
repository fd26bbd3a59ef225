package relation

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// A Condition is a condition on rows that a declaration states: exists(author.followers,mine), or
// the name of a boolean field. It does not change once it is read.
type Condition struct {
	Field query.Field // by which the database finds the rows
	holds func(c *call.Call) query.Narrow
}

// Narrow returns the condition for a call.
func (d Condition) Narrow(c *call.Call) query.Narrow { return d.holds(c) }

// ReadCondition reads a condition. The error of an unknown name suggests the nearest one.
func (b Base) ReadCondition(text string) (Condition, error) {
	if name, rest, ok := strings.Cut(text, "("); ok {
		f, err := b.readFunction(name, rest)
		switch {
		case err != nil:
			return Condition{}, err
		case f.Function.name != "exists":
			return Condition{}, naming.Sentence("%s is a value; a condition is exists(...) or a boolean field", f.Function.name)
		}
		return f.Function.condition(), nil
	}
	f, err := b.FieldAt(text)
	if err == nil && f.Type.Kind() != reflect.Bool {
		err = naming.Sentence("field %q is %s; a condition is exists(...) or a boolean field", text, f.Type)
	}
	return Condition{f, func(c *call.Call) query.Narrow {
		return f.Narrow(c, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", f.SQL(c)) })
	}}, err
}

// condition is the condition of exists. It is an IN, as that of a filter, so the rows are found by
// the indexes of the path.
func (fn *Function) condition() Condition {
	return Condition{query.Field{Column: fn.owner, Related: fn.path}, func(c *call.Call) query.Narrow {
		return func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", fn.path.Has(c, fn.mine(c))) }
	}}
}

// mine is the condition that a related row is the caller's. It is nil without the option mine.
func (fn *Function) mine(c *call.Call) query.Narrow {
	if fn.owner == nil {
		return nil
	}
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if c.Caller.Anonymous() {
			return q.Where("1 = 0")
		}
		return q.Where("?TableAlias.? = ?", bun.Ident(fn.owner.Name), sqldb.Param(c.Caller.ID))
	}
}
