// Package rowslug makes the slugs of rows: unique texts in their paths, made from another field.
package rowslug

import (
	"crypto/rand"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/slug"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

const (
	usualSlug = 50 // characters
	leastSlug = 10
	mostSlug  = 200
	// slugNumbers is the highest number that is tried behind a slug. Then a random one follows.
	slugNumbers = 50
)

// Bind finds the columns of a slug, and reports each mistake. It returns nil for no slug, and
// after a mistake.
func Bind(r *table.Resource, s declare.Slug, fault func(place string, err error)) *table.BoundSlug {
	if s == (declare.Slug{}) {
		return nil
	}
	b := &table.BoundSlug{Renew: s.Renew, Max: s.Max}
	if b.Max == 0 {
		b.Max = usualSlug
	}
	var mistakes []error
	text := func(name, what string) query.Field {
		f, err := r.Field(name)
		switch {
		case name == "":
			err = naming.Sentence("%s is empty", what)
		case err == nil && f.Type.Kind() != reflect.String:
			err = naming.Sentence("%s: field %q is %s; a slug is made of text", what, name, f.Type)
		}
		if err != nil {
			mistakes = append(mistakes, err)
		}
		return f
	}
	b.Field, b.From = text(s.Field, "Field"), text(s.From, "From")
	switch {
	case len(mistakes) > 0:
	case b.Field.Column.IsPtr:
		mistakes = append(mistakes, naming.Sentence("Field: field %q is a pointer; every row has a slug, so make it a text", s.Field))
	case b.Field.Column == b.From.Column:
		mistakes = append(mistakes, naming.Sentence("Field and From are both %q; a slug is made from another field", s.Field))
	case b.Field.Column == r.Pk:
		mistakes = append(mistakes, naming.Sentence("Field: %q is the primary key, which does not change; use a column of its own, and Lookup", s.Field))
	case b.Max < leastSlug || b.Max > mostSlug:
		mistakes = append(mistakes, naming.Sentence("Max is %d; it must be %d to %d", s.Max, leastSlug, mostSlug))
	}
	for _, err := range mistakes {
		fault("slug", err)
	}
	if len(mistakes) > 0 {
		return nil
	}
	return b
}

// Fill sets the slug of a new row, unless a function has set it.
func Fill(c *call.Call, r *table.Resource, m reflect.Value) error {
	if r.Slug == nil || valueOf(r.Slug, m) != "" {
		return nil
	}
	return set(c, r, m, slug.Of(sourceOf(r.Slug, m), r.Slug.Max))
}

// Renew sets the slug of a stored row if the slug is renewed and the field that it is made from
// has another slug now.
func Renew(c *call.Call, r *table.Resource, m reflect.Value) error {
	if r.Slug == nil || !r.Slug.Renew {
		return nil
	}
	base, current := slug.Of(sourceOf(r.Slug, m), r.Slug.Max), valueOf(r.Slug, m)
	if current != "" && (base == "" || slug.Follows(current, base, r.Slug.Max)) {
		return nil
	}
	return set(c, r, m, base)
}

func valueOf(b *table.BoundSlug, m reflect.Value) string { return b.Field.Column.Value(m).String() }

// sourceOf returns the text that the slug is made from. A nil pointer counts as an empty text.
func sourceOf(b *table.BoundSlug, m reflect.Value) string {
	if v := reflect.Indirect(b.From.Column.Value(m)); v.IsValid() {
		return v.String()
	}
	return ""
}

// set sets the slug of a row to the base, or to the base with the first number that no other row
// has. An empty base is replaced by the end of the row's key.
func set(c *call.Call, r *table.Resource, m reflect.Value, base string) error {
	if base == "" {
		base = ofKey(r, m)
	}
	free, err := free(c, r, m, base)
	if err == nil {
		r.Slug.Field.Column.Value(m).SetString(free)
	}
	return err
}

// ofKey returns the last 12 letters and digits of a row's key. If the row has no key yet, they are
// random.
func ofKey(r *table.Resource, m reflect.Value) string {
	text := rand.Text()
	if key := r.Pk.Value(m); !key.IsZero() {
		text = fmt.Sprint(reflect.Indirect(key).Interface())
	}
	text = strings.ReplaceAll(slug.Of(text, mostSlug), "-", "")
	if text == "" {
		text = strings.ToLower(rand.Text())
	}
	return text[max(0, len(text)-min(12, r.Slug.Max)):]
}

// free returns the first slug of a base that no other row has and that is not reserved. Until the
// transaction ends, no other transaction chooses a slug that begins with the same letters: "news" with
// a number and "news-2" of another title may be the same.
func free(c *call.Call, r *table.Resource, m reflect.Value, base string) (string, error) {
	if err := c.Session().LockName(c, r.Table.Name+" "+slug.Stem(base)); err != nil {
		return "", err
	}
	candidates := []any{base}
	for n := 2; n <= slugNumbers; n++ {
		candidates = append(candidates, slug.Numbered(base, n, r.Slug.Max))
	}
	taken, err := taken(c, r, m, candidates)
	if err != nil {
		return "", err
	}
	for _, candidate := range candidates {
		if text, _ := candidate.(string); !slices.Contains(taken, text) {
			return text, nil
		}
	}
	return slug.Numbered(base, slugNumbers+1+randomNumber(), r.Slug.Max), nil
}

// randomNumber returns a number of up to eight digits.
func randomNumber() int {
	var digits [4]byte
	_, _ = rand.Read(digits[:]) // it never fails
	return (int(digits[0])<<24 | int(digits[1])<<16 | int(digits[2])<<8 | int(digits[3])) % 99_999_900
}

// taken returns those of the candidates that another row has, in scope or not, and the reserved
// values of the column.
func taken(c *call.Call, r *table.Resource, m reflect.Value, candidates []any) (taken []string, err error) {
	taken = slices.Clone(r.Reserved.Of(r.Slug.Field.Column))
	q := c.DB.NewSelect().Model(bunmodel.NilModel(r.Model)).ColumnExpr("?", r.Slug.Field.Ident()).
		Where("? IN (?)", r.Slug.Field.Ident(), sqldb.List(candidates))
	if r.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted()
	}
	if !r.Pk.Value(m).IsZero() {
		q = q.Where("?TableAlias.? <> ?", bun.Ident(r.Pk.Name), cell.Of(r.Pk, m))
	}
	found, err := c.Session().Read(c, q)
	if err != nil {
		return nil, err
	}
	for i := range found.Len() {
		text := reflect.New(r.Slug.Field.Type).Elem()
		if err := r.Slug.Field.Column.ScanWithCheck(text, found.Row(i)[0]); err != nil {
			return nil, err
		}
		taken = append(taken, text.String())
	}
	return taken, nil
}
