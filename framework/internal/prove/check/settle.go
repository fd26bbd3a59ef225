package check

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/prove/answers"
	"trestle.example/framework/internal/prove/contents"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/problem"
)

// Perform sends a request for a row, nil for none. It checks what the request changed and what the answer
// has, and returns the rows that are new. They count as made by the person who made the row.
func (c *Checker) Perform(e *exchange.Endpoint, r exchange.Request, on *fixture.Row) (*exchange.Answer, []*fixture.Row) {
	before, hidden, named := c.Contents(), c.Foresee(e, r.By), c.Named(e, r)
	got := c.Send(e, r)
	c.Untouched(e, got, on, before, hidden)
	return got, c.Settle(e, got, before, on, named)
}

// Settle checks what an answer has, and returns the rows that are new after its request.
func (c *Checker) Settle(e *exchange.Endpoint, got *exchange.Answer, before contents.Contents, on *fixture.Row, named map[string]bool) []*fixture.Row {
	c.CheckShown(e, got, named)
	c.checkLocks(e, got, on)
	fresh := c.Learn(before, fixture.MakerOf(got.Request, on))
	c.checkAnswered(e, got, on, fresh)
	c.checkLocated(e, got, on, fresh)
	c.checkMoved(e, got, on, fresh)
	return fresh
}

// CheckShown checks that an answer is no failure of the server, and shows nothing of a row or a field that its sender may not see.
func (c *Checker) CheckShown(e *exchange.Endpoint, got *exchange.Answer, named map[string]bool) {
	if secret := c.SecretIn(e, got, named); secret != "" && !e.SignsIn {
		c.Find(e, got.By, got.Curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
	}
	if got.Status >= http.StatusInternalServerError {
		c.Find(e, got.By, got.Curl(), "it is answered %d", got.Status)
	}
}

// Named lists the texts of the rows whose key a request has, as far as its sender sees them. The request may hide such a row,
// as it sells an article.
func (c *Checker) Named(e *exchange.Endpoint, r exchange.Request) map[string]bool {
	texts, sent := map[string]bool{}, r.Sent()
	for _, one := range c.Made {
		if answers.HasWhole(sent, c.KeyOf(one)) && c.byWhere(e, one) && !c.HiddenFrom(r.By, one) {
			for column, text := range one.Values {
				texts[text] = texts[text] || !c.Views.Mask(r.By, one, column)
			}
		}
	}
	return texts
}

// checkAnswered checks that the framework answers a request with the row that the path names, or with the row
// that is new. A view without the primary key says nothing about that.
func (c *Checker) checkAnswered(e *exchange.Endpoint, got *exchange.Answer, on *fixture.Row, fresh []*fixture.Row) {
	if !e.Declared() || !got.OK() || e.Pagination != nil || e.Resource.Table == nil {
		return
	}
	rows := slices.DeleteFunc(slices.Clone(fresh), func(one *fixture.Row) bool { return one.Table != e.Resource.Table.Name })
	if on != nil {
		rows = []*fixture.Row{on}
	}
	least := 1
	if e.Bulk != nil {
		rows, least = append(rows, c.itemsOf(e, got)...), max(1, len(places.Items(e, got.Request)))
	}
	keys := c.KeysOf(e.Resource.Table.Name)
	if len(rows) < least || len(keys) != 1 {
		return
	}
	for _, object := range answers.Objects(e, got.Value()) {
		for name, field := range e.Resource.Names {
			value, shown := object[name]
			is := func(one *fixture.Row) bool { return one.Values[keys[0]] == fmt.Sprint(value) }
			if shown && value != nil && field.Column != nil && field.Column.Name == keys[0] && !slices.ContainsFunc(rows, is) {
				c.Find(e, got.By, got.Curl(), "the answer has the row %q, and the request is for another row", fmt.Sprint(value))
			}
		}
	}
}

// checkLocated checks that the header Location of a create by the framework does not name another row than the new one.
func (c *Checker) checkLocated(e *exchange.Endpoint, got *exchange.Answer, on *fixture.Row, fresh []*fixture.Row) {
	at := strings.TrimSuffix(got.Header.Get(problem.HeaderLocation), "/")
	if at == "" || on != nil || !e.Fills() || e.Bulk != nil || !got.OK() {
		return
	}
	for _, one := range c.RowsOf(e.Resource) {
		if strings.HasSuffix(at, "/"+exchange.Escape(one.Key(e.Resource))) && !slices.Contains(fresh, one) {
			c.Find(e, got.By, got.Curl(), "its Location names the row %q, and the request made another one", one.Key(e.Resource))
		}
	}
}

// itemsOf lists the rows that the items of a request for several rows name.
func (c *Checker) itemsOf(e *exchange.Endpoint, got *exchange.Answer) (rows []*fixture.Row) {
	if e.Bulk == nil {
		return nil
	}
	for _, item := range places.Items(e, got.Request) {
		if one := c.rowOf(e, got.By, item); one != nil {
			rows = append(rows, one)
		}
	}
	return rows
}

// checkMoved checks that the framework has not written a row that the Where of its viewset hides from the sender.
func (c *Checker) checkMoved(e *exchange.Endpoint, got *exchange.Answer, on *fixture.Row, fresh []*fixture.Row) {
	if !e.Fills() || !got.OK() || e.Resource.Scope.Kind != declare.ScopeWhere {
		return
	}
	for _, one := range slices.Concat(fresh, c.itemsOf(e, got), []*fixture.Row{on}) {
		if one != nil && one.Table == e.Resource.Table.Name && !c.InScope(got.By, e.Resource, one, e.Route) {
			c.Find(e, got.By, got.Curl(), "it writes a row that the Where of the viewset hides from the sender")
			return
		}
	}
}

// CheckUnchanged checks that requests for a row that is not the sender's left the database as it was.
func (c *Checker) CheckUnchanged(e *exchange.Endpoint, before contents.Contents, sent exchange.Request, orAnother string) {
	if changed := before.ChangedIn(c.Contents()); len(changed) > 0 {
		c.Find(e, sent.By, sent.Curl(), "it%s changes %s, and the row is not theirs", orAnother, strings.Join(changed, ", "))
	}
}
