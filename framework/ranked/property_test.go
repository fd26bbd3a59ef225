package ranked_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
)

// A reference is the search of the package comment, over products in memory, with simple
// loops.
type reference struct{ had []*Product }

func (r reference) search(text, kind string) []string {
	asked := ranked.Words(text)
	if found := r.matching(asked, kind); len(found) > 0 {
		return found
	}
	meant, ok := r.meant(asked)
	if !ok {
		return nil
	}
	return r.matching(meant, kind)
}

func (r reference) matching(asked []string, kind string) []string {
	type match struct {
		*Product
		rank int
	}
	var found []match
	for _, p := range r.had {
		rank, ok := rankOf(p, asked)
		if ok && len(asked) > 0 && (kind == "" || p.Kind == kind) {
			found = append(found, match{p, rank})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), strings.Compare(a.Name, b.Name), strings.Compare(a.ID.String(), b.ID.String()))
	})
	var ids []string
	for _, m := range found {
		ids = append(ids, m.ID.String())
	}
	return ids
}

// rankOf adds up the points of each word of the search in a product.
func rankOf(p *Product, asked []string) (rank int, ok bool) {
	name := strings.Join(ranked.Words(p.Name), " ")
	if name == strings.Join(asked, " ") {
		rank = 1_000_000
	}
	for n, word := range asked {
		begins := func(other string) bool { return other != word && strings.HasPrefix(other, word) }
		if slices.Contains(asked[:n], word) || slices.ContainsFunc(asked, begins) {
			continue
		}
		points := pointsOf(p, word)
		if points == 0 {
			return 0, false
		}
		rank += points
	}
	return rank, true
}

// pointsOf returns the weight of the heaviest word of a product that begins with a word,
// twice if the whole word is equal.
func pointsOf(p *Product, word string) (points int) {
	heaviest, itself := 0, 0
	for _, f := range p.fields() {
		for _, own := range ranked.Words(f.Text) {
			switch {
			case own == word:
				itself = max(itself, f.Weight)
			case strings.HasPrefix(own, word):
				heaviest = max(heaviest, f.Weight)
			}
		}
	}
	if itself >= heaviest {
		return 2 * itself
	}
	return heaviest
}

// meant replaces up to three unknown words, none of them short and none with a number, by
// the nearest known words that are not codes.
func (r reference) meant(asked []string) (meant []string, ok bool) {
	all, spelt, misspelt := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range r.had {
		for _, f := range p.fields() {
			for _, own := range ranked.Words(f.Text) {
				all[own] = true
				if !f.Exact && !numbered(own) {
					spelt[own] = true
				}
			}
		}
	}
	known := slices.Sorted(maps.Keys(spelt))
	for _, word := range asked {
		begun := false
		for own := range all {
			begun = begun || strings.HasPrefix(own, word)
		}
		if !begun {
			misspelt[word] = true
			if word, ok = nearest(word, known); !ok {
				return nil, false
			}
		}
		meant = append(meant, word)
	}
	return meant, len(misspelt) <= 3
}

func numbered(word string) bool { return strings.ContainsFunc(word, unicode.IsNumber) }

// nearest returns the first of the known words with the best score.
func nearest(asked string, known []string) (best string, ok bool) {
	if len([]rune(asked)) < 3 || numbered(asked) {
		return "", false
	}
	common, all := 3, 10 // the minimum score
	for _, word := range known {
		c, a := nearness(asked, word)
		if c*all > common*a || !ok && c*all == common*a {
			best, ok, common, all = word, true, c, a
		}
	}
	return best, ok
}

// nearness compares sets of trigrams: of the word, and of each of its beginnings that is
// long enough.
func nearness(asked, known string) (common, all int) {
	all = 1
	wanted := grams("  " + asked + " ")
	long, letters := len([]rune(asked)), []rune(known)
	candidates := []string{"  " + known + " "}
	for n := long; n <= len(letters); n++ {
		candidates = append(candidates, "  "+string(letters[:n]))
	}
	for _, candidate := range candidates {
		either, both := grams(candidate), 0
		for gram := range wanted {
			if either[gram] {
				both++
			}
		}
		maps.Copy(either, wanted)
		if both*all > common*len(either) {
			common, all = both, len(either)
		}
	}
	return common, all
}

func grams(padded string) map[string]bool {
	set, letters := map[string]bool{}, []rune(padded)
	for n := range len(letters) - 2 {
		set[string(letters[n:n+3])] = true
	}
	return set
}

// Words of a small and awkward alphabet, so that they often match.
var (
	letters = rapid.SampledFrom([]rune("aabAcdeéE\u0301ßßsİi1दही\u093cं한😀%_='-"))
	word    = rapid.StringOfN(letters, 1, 9, -1)
)

// misspelt generates a word or something similar.
func misspelt(t *rapid.T, known []string) string {
	letters := []rune(rapid.OneOf(rapid.SampledFrom(known), word).Draw(t, "word"))
	at := rapid.IntRange(0, len(letters)-1).Draw(t, "at")
	switch rapid.IntRange(0, 5).Draw(t, "change") {
	case 0:
		letters = slices.Delete(letters, at, at+1)
	case 1:
		letters = slices.Insert(letters, at, letters[at])
	case 2:
		letters[at] = 'b'
	case 3:
		letters = letters[:at+1]
	}
	return string(letters)
}

// TestSearchIsTheReference: each database finds random products by random searches in the
// same order as the reference, for callers who see every row and for others. rapid prints
// the seed of a failure.
func TestSearchIsTheReference(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		anyone := serve(t, db, products(index))
		root := anyone.With("Authorization", "root")
		rapid.Check(t, func(rt *rapid.T) {
			known := rapid.SliceOfN(word, 3, 6).Draw(rt, "known")
			text := rapid.Custom(func(rt *rapid.T) string {
				return strings.Join(rapid.SliceOfN(rapid.SampledFrom(known), 0, 3).Draw(rt, "text"), " ")
			})
			rows := make([]*Product, rapid.IntRange(1, 6).Draw(rt, "rows"))
			var all, visible reference
			for n := range rows {
				p := &Product{
					ID: stamp(n + 1), Name: text.Draw(rt, "name"), Brand: text.Draw(rt, "brand"), Description: text.Draw(rt, "description"), Code: text.Draw(rt, "code"),
					Kind: rapid.SampledFrom([]string{"x", "y"}).Draw(rt, "kind"), Hidden: rapid.IntRange(0, 3).Draw(rt, "hidden") == 0,
				}
				rows[n] = p
				if all.had = append(all.had, p); !p.Hidden {
					visible.had = append(visible.had, p)
				}
			}
			for _, table := range []string{"product_grams", "products"} {
				if _, err := db.ExecContext(t.Context(), "DELETE FROM "+table); err != nil {
					rt.Fatal(err)
				}
			}
			insert(t, db, rows)
			putAll(t, db, slices.Values(rows))
			for range 4 {
				var parts []string
				for range rapid.SampledFrom([]int{1, 1, 2, 2, 3, 5}).Draw(rt, "words") {
					parts = append(parts, misspelt(rt, known))
				}
				asked := strings.Join(parts, " ")
				if len(ranked.Words(asked)) > 8 {
					continue
				}
				kind := rapid.SampledFrom([]string{"", "x"}).Draw(rt, "of kind")
				query := search(asked) + "&kind=" + kind
				want, wantRoot := visible.search(asked, kind), all.search(asked, kind)
				if strings.TrimSpace(asked) == "" {
					continue
				}
				if got := ids(t, anyone, query); !slices.Equal(got, want) {
					rt.Errorf("%q finds\n%q, want\n%q", asked, got, want)
				}
				if got := ids(t, root, query); !slices.Equal(got, wantRoot) {
					rt.Errorf("%q finds for callers who see all rows\n%q, want\n%q", asked, got, wantRoot)
				}
			}
		})
	})
}
