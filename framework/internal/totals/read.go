package totals

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// An Answer is the totals of a request: a row for each group, in the order of the groups' values, or one row without groups.
type Answer struct {
	Totals []Row `json:"totals"`
}

// A Row is the totals of the rows of one group. The names in its members are those of the request.
type Row struct {
	Group wire.Members `json:"group,omitzero"`
	Count int64        `json:"count"`
	Sum   wire.Members `json:"sum,omitzero"`
	Min   wire.Members `json:"min,omitzero"`
	Max   wire.Members `json:"max,omitzero"`
}

// Rows is the number of rows of all groups.
func (a Answer) Rows() (n int64) {
	for _, row := range a.Totals {
		n += row.Count
	}
	return n
}

// A Request is what a request chooses of a plan.
type Request struct {
	plan   *Plan
	chosen []chosen
}

// A chosen field is one that a parameter names.
type chosen struct {
	Field

	member string
}

// Read reads the parameters. A name that is there twice counts once. The error lists each name that no field has.
func (p *Plan) Read(values query.Values) (Request, error) {
	r, faults := Request{plan: p}, []problem.Fault(nil)
	for _, part := range p.Parts {
		for _, name := range naming.AddNew(nil, naming.SplitList(values[part.Param])) {
			at := slices.IndexFunc(part.Fields, func(f Field) bool { return f.Name == name })
			if at >= 0 {
				r.chosen = append(r.chosen, chosen{part.Fields[at], part.Member})
				continue
			}
			detail := "cannot be " + strconv.Quote(naming.Clip(name)) + "; it " + problem.OneOf(part.names(), name)
			faults = append(faults, problem.Fault{Parameter: part.Param, Code: problem.CodeInvalidParameter, Detail: detail})
		}
	}
	if len(faults) > 0 {
		return r, fault.InvalidParameters(faults)
	}
	return r, nil
}

// Compute computes the totals of the rows of a query. More groups than the plan permits are an error, and so is a sum that
// is beyond the range of its type.
func (r Request) Compute(c *call.Call, rows *bun.SelectQuery) (Answer, error) {
	q, results := r.statement(c, rows)
	found, err := relation.Values(c, q, results...)
	if known, classified := sqldb.Classify(err); classified && known.Kind == sqldb.OutOfRange && r.sums() != "" {
		err = beyond(r.sums()) // of binary fractions on PostgreSQL
	}
	if err != nil {
		return Answer{}, err
	}
	if len(found) > r.plan.Most {
		return Answer{}, r.tooMany()
	}
	answer := Answer{Totals: make([]Row, len(found))}
	for i, values := range found {
		if answer.Totals[i], err = r.row(values); err != nil {
			return Answer{}, err
		}
	}
	return answer, nil
}

// tooMany is the error of more groups than the plan permits.
func (r Request) tooMany() error {
	detail := fmt.Sprintf("makes more than %d groups; group by fewer fields, or narrow the list by its filters", r.plan.Most)
	return problem.InvalidParameter(r.plan.Parts[0].Param, detail)
}

// beyond is the error of a sum that is beyond the range of its type.
func beyond(field string) error {
	return problem.InvalidParameter(memberSum, fmt.Sprintf("the sum of %q is beyond the range of its numbers; narrow the list by its filters", field))
}

// sums is the first field that the request adds up, "" without one.
func (r Request) sums() string {
	for _, f := range r.chosen {
		if f.member == memberSum {
			return f.Name
		}
	}
	return ""
}

// statement is the query of the totals of some rows, and the types of its columns. Its subquery has a column for each chosen
// field, so that the values of an expression are in the statement once.
func (r Request) statement(c *call.Call, rows *bun.SelectQuery) (q *bun.SelectQuery, results []*schema.Field) {
	q, results = c.DB.NewSelect().ColumnExpr("count(*)"), []*schema.Field{nullable(reflect.TypeFor[int64]())}
	rows = relation.JoinRows(c, rows.ColumnExpr("1"), r.fields()...)
	for i, f := range r.chosen {
		column := bun.Ident("f" + strconv.Itoa(i))
		rows = rows.ColumnExpr(f.measure.inner+" AS ?", f.SQL(c), column)
		for _, outer := range f.measure.outer {
			q = q.ColumnExpr(outer, column)
		}
		results = append(results, f.measure.results...)
		if f.member == memberGroup {
			q = q.GroupExpr("?", column).OrderExpr("? NULLS LAST", column).Limit(int64(r.plan.Most) + 1)
		}
	}
	return q.TableExpr("(?) AS listed", rows), results
}

// fields lists the chosen fields.
func (r Request) fields() []query.Field {
	fields := make([]query.Field, len(r.chosen))
	for i, f := range r.chosen {
		fields[i] = f.Field.Field
	}
	return fields
}

// row makes a row of totals from the results of the statement.
func (r Request) row(results []any) (row Row, err error) {
	row.Count, _ = results[0].(int64)
	members := map[string]*wire.Members{memberGroup: &row.Group, memberSum: &row.Sum, memberMin: &row.Min, memberMax: &row.Max}
	results = results[1:]
	for _, f := range r.chosen {
		count := len(f.measure.results)
		value, within := f.measure.value(results[:count])
		if !within {
			return row, beyond(f.Name)
		}
		members[f.member].Add(f.Name, value)
		results = results[count:]
	}
	return row, nil
}
