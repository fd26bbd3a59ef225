package table

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bun"

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

// BoundSearch is a Search bound to its columns.
type BoundSearch struct {
	declare.Search
	Searched    []query.Field // columns of the row
	Related     []query.Field // columns of related rows, and expressions
	StoredField *query.Field
	r           *Resource
}

// BindSearch finds the columns of a search, and reports each mistake. It returns nil for a
// search without fields; if such a search sets Stored, that is a mistake.
func BindSearch(r *Resource, s declare.Search, fault func(place string, err error)) *BoundSearch {
	if len(s.Fields) == 0 {
		if s.Stored != "" {
			fault("search", naming.Sentence("Stored %q is set, but Fields is empty", s.Stored))
		}
		return nil
	}
	if s.Param == "" {
		s.Param = "search"
	}
	b := &BoundSearch{Search: s, r: r}
	for _, name := range s.Fields {
		if err := b.add(name); err != nil {
			fault("search", err)
		}
	}
	if s.Stored != "" {
		b.bindStored(fault)
	}
	return b
}

// add adds a field to search: text of the row or of related rows.
func (b *BoundSearch) add(name string) error {
	f, err := b.r.FieldAt(name)
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

func (b *BoundSearch) bindStored(fault func(string, error)) {
	f, err := b.r.Field(b.Stored)
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
func (b *BoundSearch) Parameter() query.Param {
	doc := fmt.Sprintf("At most %d words, which must all be contained in %s; quotes keep a phrase whole, and it counts as one word. A word has at most %d characters.",
		searchTerms, strings.Join(b.Fields, " or "), termRunes)
	return query.Param{Name: b.Param, Doc: doc, MaxLength: searchRunes}
}

// Read splits the parameter into its terms. The error is an invalid parameter: the text is
// longer than searchRunes, it has more than searchTerms terms, or a term is longer than
// termRunes. If several limits are exceeded, the error reports the first of this list.
func (b *BoundSearch) Read(text string) ([]string, error) {
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
func (b *BoundSearch) Narrow(c *call.Call, terms []string) query.Narrow {
	kind := b.r.API.DB.Kind()
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
func (b *BoundSearch) orRelated(c *call.Call, q *bun.SelectQuery, term string) *bun.SelectQuery {
	for _, f := range b.Related {
		contains := b.r.API.DB.Kind().ColumnContains(f.SQL(c), term)
		if f.Related != nil {
			contains = f.Related.Has(c, func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?", contains) })
		}
		q = q.WhereOr("?", contains)
	}
	return q
}

// NarrowInRow is Narrow with conditions that read the row and use no index. Without a stored
// search document, it is the same as Narrow.
func (b *BoundSearch) NarrowInRow(c *call.Call, terms []string) query.Narrow {
	if b.StoredField == nil {
		return b.Narrow(c, terms)
	}
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		for _, term := range terms {
			q = q.Where("?", b.r.API.DB.Kind().ContainsInRow(b.r.Table.Alias, b.StoredField.Column.Name, term))
		}
		return q
	}
}

// Indexed reports whether the search index can find one of the terms. The index has trigrams of
// the stored search document, so a term needs three characters after folding. Without a stored
// document, Indexed returns false.
func (b *BoundSearch) Indexed(terms []string) bool {
	return b.StoredField != nil &&
		slices.ContainsFunc(terms, func(term string) bool { return utf8.RuneCountInString(sqldb.Fold(term)) >= 3 })
}

func (b *BoundSearch) contains(kind sqldb.Kind, term string) any {
	if b.StoredField != nil {
		return kind.Contains(b.r.Table.Name, b.r.Table.Alias, b.StoredField.Column.Name, term)
	}
	columns := make([]string, len(b.Searched))
	for i, f := range b.Searched {
		columns[i] = f.Column.Name
	}
	return kind.ContainsFolded(b.r.Table.Alias, columns, term)
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
