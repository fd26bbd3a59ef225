package check

import (
	"net/url"
	"strings"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// SecretIn returns a text in an answer to a person that is of a row, or of a field, which no viewset
// shows to the person: the key of a row, or a random text of a body. The framework itself does not
// show a row that is deleted softly. A known text is no secret.
func (c *Checker) SecretIn(e *exchange.Endpoint, got *exchange.Answer, known map[string]bool) (secret string) {
	text := got.Whole + got.Headers()
	for _, one := range c.MaybeIn(text) {
		for _, cell := range c.Telling(one) {
			if (secret == "" || cell.Value < secret) && strings.Contains(text, cell.Value) && !known[cell.Value] && c.isSecret(e, got, one, cell) {
				secret = cell.Value
			}
		}
	}
	return secret
}

// isSecret reports whether the sender of an answer may not know a cell of a row that the answer has.
func (c *Checker) isSecret(e *exchange.Endpoint, got *exchange.Answer, one *fixture.Row, cell fixture.Cell) bool {
	deleted := e.Declared() && c.Deleted(one) && !c.SeesErased(e, got.Request)
	return (one.By != got.By || deleted) && !got.Has(cell.Value) && c.Served(one) && !c.MayKnow(got.By, one, cell.Column, deleted)
}

// MayKnow reports whether a person may know a value of a row: a viewset shows the row and the column, unless the row is
// deleted, the person has sent it, or it is also in another row that the person sees.
func (c *Checker) MayKnow(who *exchange.Person, of *fixture.Row, column string, deleted bool) bool {
	if !deleted && c.Views.Show(who, of, column) {
		return true
	}
	value := of.Values[column]
	if c.Moved(who, value) {
		return true
	}
	for _, one := range c.Made {
		for name, text := range one.Values {
			same := text == value && (one != of || name != column)
			if same && text != "" && c.Views.Meets(who, one) && !c.Views.Mask(who, one, name) {
				return true
			}
		}
	}
	return false
}

// SeesErased reports whether an answer is one for a person who may request deleted rows, and did.
func (c *Checker) SeesErased(e *exchange.Endpoint, r exchange.Request) bool {
	query, err := url.ParseQuery(r.Query)
	return err == nil && e.Deleted != nil && query.Get(table.ParamDeleted) == "true" && e.Deleted.Permit(c.CallOf(r.By, e.Route))
}
