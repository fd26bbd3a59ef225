// Package search binds the declared search of a list to columns, splits what a client searches for
// into words and phrases, and narrows statements to the rows that contain them.
package search

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// Limits of one search. A term is a word or a phrase in quotes.
const (
	searchRunes = 200
	searchTerms = 16
	termRunes   = 100
)

// A Bound is a declared search with its columns. It does not change once it is bound.
type Bound struct {
	declare.Search
	Searched    []query.Field // columns of the row
	Related     []query.Field // columns of related rows, and expressions
	StoredField *query.Field  // the column of the search document; nil without one
	table       *schema.Table
	db          *sqldb.DB
}

// Bind finds the columns of a search of a table, and reports each mistake. It returns nil for a
// search without fields; if such a search sets Stored, that is a mistake.
func Bind(r query.Source, table *schema.Table, db *sqldb.DB, s declare.Search, fault func(place string, err error)) *Bound {
	if len(s.Fields) == 0 {
		if s.Stored != "" {
			fault("search", naming.Sentence("Stored %q is set, but Fields is empty", s.Stored))
		}
		return nil
	}
	if s.Param == "" {
		s.Param = "search"
	}
	b := &Bound{Search: s, table: table, db: db}
	for _, name := range s.Fields {
		if err := b.add(r, name); err != nil {
			fault("search", err)
		}
	}
	if s.Stored != "" {
		b.bindStored(r, fault)
	}
	return b
}

// add adds a field to search: text of the row or of related rows.
func (b *Bound) add(r query.Source, name string) error {
	f, err := r.FieldAt(name)
	switch {
	case err != nil:
		return err
	case f.Type.Kind() != reflect.String:
		return naming.Sentence("field %q is %s; only text can be searched", name, f.Type)
	case f.Related == nil && f.Expression == nil:
		b.Searched = append(b.Searched, f)
	case b.Stored != "":
		return naming.Sentence("Stored %q has text of the row itself, which does not change with the related row or the expression %q; leave out one of them", b.Stored, name)
	default:
		b.Related = append(b.Related, f)
	}
	return nil
}

func (b *Bound) bindStored(r query.Source, fault func(string, error)) {
	f, err := r.Field(b.Stored)
	if err == nil && (f.Type.Kind() != reflect.String || f.Nullable) {
		err = naming.Sentence("Stored %q must be a string field", b.Stored)
	}
	if err != nil {
		fault("search", err)
		return
	}
	b.StoredField = &f
}

// Parameter describes the query parameter of the search.
func (b *Bound) Parameter() query.Param {
	doc := fmt.Sprintf("At most %d words, which must all be contained in %s; quotes keep a phrase whole, and it counts as one word. A word has at most %d characters.",
		searchTerms, strings.Join(b.Fields, " or "), termRunes)
	return query.Param{Name: b.Param, Doc: doc, MaxLength: searchRunes}
}

// Read splits the parameter into its terms. The error is an invalid parameter: the text is
// longer than searchRunes, it has more than searchTerms terms, or a term is longer than
// termRunes. If several limits are exceeded, the error reports the first of this list.
func (b *Bound) Read(text string) ([]string, error) {
	if utf8.RuneCountInString(text) > searchRunes {
		return nil, problem.InvalidParameter(b.Param, naming.Sentence("must have at most %d characters", searchRunes).Error())
	}
	terms, longest := searchTermsOf(text)
	if len(terms) > searchTerms {
		return nil, problem.InvalidParameter(b.Param, naming.Sentence("must have at most %d words; a phrase in quotes counts as one", searchTerms).Error())
	}
	if longest > termRunes {
		return nil, problem.InvalidParameter(b.Param, naming.Sentence("must have at most %d characters in each word and each phrase in quotes", termRunes).Error())
	}
	return terms, nil
}

// Narrow returns a function that narrows a query to the rows that contain every term. If a
// search document is stored, the condition uses it; otherwise one of the searched columns must
// contain the term.
func (b *Bound) Narrow(c *call.Call, terms []string) query.Narrow {
	kind := b.db.Kind()
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, term := range terms {
			found := b.contains(kind, term)
			if len(b.Related) == 0 {
				q = q.Where("?", found)
				continue
			}
			q = q.WhereGroup(" AND ", func(q *bun.SelectQuery) *bun.SelectQuery {
				return b.orRelated(c, q.Where("?", found), term)
			})
		}
		return q
	}
}

// orRelated widens a condition to the rows with a related row, or an expression, that contains a
// term.
func (b *Bound) orRelated(c *call.Call, q *bun.SelectQuery, term string) *bun.SelectQuery {
	for _, f := range b.Related {
		contains := b.db.Kind().ColumnContains(f.SQL(c), term)
		if f.Related != nil {
			within := contains
			contains = f.Related.Has(c, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", within) })
		}
		q = q.WhereOr("?", contains)
	}
	return q
}

// NarrowInRow is Narrow with conditions that read the row and use no index. Without a stored
// search document, it is the same as Narrow.
func (b *Bound) NarrowInRow(c *call.Call, terms []string) query.Narrow {
	if b.StoredField == nil {
		return b.Narrow(c, terms)
	}
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, term := range terms {
			q = q.Where("?", b.db.Kind().ContainsInRow(b.table.Alias, b.StoredField.Column.Name, term))
		}
		return q
	}
}

// Indexed reports whether the search index can find one of the terms. The index has trigrams of
// the stored search document, so a term needs three characters after folding. Without a stored
// document, Indexed returns false.
func (b *Bound) Indexed(terms []string) bool {
	return b.StoredField != nil &&
		slices.ContainsFunc(terms, func(term string) bool { return utf8.RuneCountInString(sqldb.Fold(term)) >= 3 })
}

func (b *Bound) contains(kind sqldb.Kind, term string) any {
	if b.StoredField != nil {
		return kind.Contains(b.table.Name, b.table.Alias, b.StoredField.Column.Name, term)
	}
	columns := make([]string, len(b.Searched))
	for i, f := range b.Searched {
		columns[i] = f.Column.Name
	}
	return kind.ContainsFolded(b.table.Alias, columns, term)
}

// searchTermsOf splits a search at white space. At the start of a term, a quote begins a phrase
// that ends at the next quote; a phrase is one term. A quote inside a word, or without a second
// quote, is an ordinary character. Blank terms are dropped. longest is the number of characters
// of the longest remaining term, 0 without terms.
func searchTermsOf(text string) (terms []string, longest int) {
	add := func(term string) {
		if strings.TrimSpace(term) != "" {
			terms = append(terms, term)
			longest = max(longest, utf8.RuneCountInString(term))
		}
	}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if text[0] == '"' {
			if end := strings.IndexByte(text[1:], '"'); end >= 0 {
				add(text[1 : 1+end])
				text = text[end+2:]
				continue
			}
		}
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			end = len(text)
		}
		add(text[:end])
		text = text[end:]
	}
	return terms, longest
}

// Document makes the search document of a row from its searched fields. A nil pointer counts as
// an empty text.
func (b *Bound) Document(m reflect.Value) string {
	texts := make([]string, len(b.Searched))
	for i, f := range b.Searched {
		if v := reflect.Indirect(f.Column.Value(m)); v.IsValid() {
			texts[i] = v.String()
		}
	}
	return sqldb.Document(texts...)
}
