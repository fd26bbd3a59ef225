package catalogue

import (
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// A Slug names a product or a category in addresses: "whole-wheat-atta". It is
// made of the letters a to z, digits and single hyphens between them, at most
// 100 characters.
type Slug string

const (
	longestSlug = 100
	// longestBase leaves room for a number behind a slug that is made of a name.
	longestBase = 80
)

const errSlug = framework.ValueError("must be made of the letters a to z, digits and single hyphens between them, at most 100 characters")

// JSONSchemaBytes is the schema of the type in the OpenAPI document.
func (Slug) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$","maxLength":100,"examples":["whole-wheat-atta"]}`), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Slug) UnmarshalText(text []byte) error {
	slug := string(text)
	if len(slug) > longestSlug || slug == "" || slug != hyphenated(slug) {
		return errSlug
	}
	*s = Slug(slug)
	return nil
}

// hyphenated keeps letters a to z and digits, and replaces all characters between them
// by one hyphen.
func hyphenated(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// SlugOf makes a slug of a name. Accents and apostrophes go; a name without a
// letter or digit of ASCII is "product".
func SlugOf(name string) string {
	slug := hyphenated(strings.Map(plain, norm.NFKD.String(sqldb.Fold(norm.NFKD.String(name)))))
	if len(slug) > longestBase {
		slug = strings.TrimRight(slug[:longestBase], "-")
	}
	if slug == "" {
		return "product"
	}
	return slug
}

// plain drops accents and apostrophes.
func plain(r rune) rune {
	if unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' {
		return -1
	}
	return r
}

// storeSlugged stores a new product under the given slug or, without one, under the
// first free slug of name, name-2, name-3 and so on. Another request may take the same
// slug at the same time; the unique index decides.
func storeSlugged(c *framework.Call, p *Product, asked *Slug) error {
	base := SlugOf(p.Name)
	if asked != nil {
		base = string(*asked)
	}
	for p.Slug = base; ; {
		stored, err := rows.InsertUnless(c, "slug", p)
		switch {
		case err != nil || stored == 1:
			return err
		case asked != nil:
			return slugTaken()
		}
		if p.Slug, err = nextSlug(c, base); err != nil {
			return err
		}
	}
}

// nextSlug is the first of base-2, base-3 and so on that no product has.
func nextSlug(c *framework.Call, base string) (string, error) {
	var like []*Product
	q := c.DB.NewSelect().Model((*Product)(nil)).Column("slug").
		Where("slug > ? AND slug < ?", sqldb.Param(base+"-"), sqldb.Param(base+"-:")) // the colon follows the digits
	if err := rows.Read(c, q, &like); err != nil {
		return "", err
	}
	taken := make(map[string]bool, len(like))
	for _, p := range like {
		taken[p.Slug] = true
	}
	for n := 2; ; n++ {
		if slug := base + "-" + strconv.Itoa(n); !taken[slug] {
			return slug, nil
		}
	}
}
