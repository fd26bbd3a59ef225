package catalogue_test

import (
	"testing"

	"trestle.example/resources/store/internal/storetest"
)

// TestSearch: what is found by which words, in this order on both databases. A
// word is found by its beginning, whatever its case and accents; nothing of a
// search is a pattern or an operator; misspelt words are taken for the nearest
// where nothing else is found.
func TestSearch(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for name, more := range map[string]fields{
			"Whole Wheat Atta": {"brand": "Aashirvaad", "description": "Stone ground, for soft rotis", "variants": []fields{storetest.VariantBody("ATT-5KG/01", nil)}},
			"Atta":             {"description": "Of wheat", "category": fields{"slug": "flours", "name": "Flours"}},
			"Crème Fraîche":    {"brand": "Nestlé", "category": fields{"slug": "dairy", "name": "Dairy"}},
			"ताज़ा दही":        {"brand": "गोकुल", "category": fields{"slug": "dairy", "name": "Dairy"}},
			"100% Juice_Mix":   {"brand": "O'Brien & Sons", "description": `The "best" (2 x 500ml)`},
			"Straßenbrot":      {"description": "From İzmir"},
			"Eggs":             {"description": "Of hens, 6"},
			"Turmeric Powder":  {"brand": "Everest", "description": "Haldi"},
			"Hidden Saffron":   {"published": false},
		} {
			if more["variants"] == nil {
				more["variants"] = []fields{storetest.VariantBody("QQ"+string(rune('A'+len(s.StoredProducts()))), nil)} // codes that no search is about
			}
			s.CreateProduct(name, more)
		}
		for _, c := range []struct{ name, q, want string }{
			{"a word", "turmeric", "Turmeric Powder"},
			{"a beginning", "turm", "Turmeric Powder"},
			{"one letter", "t", "Turmeric Powder; 100% Juice_Mix"},
			{"any case", "TURMERIC pOWDER", "Turmeric Powder"},
			{"never the middle of a word", "ix", ""},
			{"words that say little", "of", "Atta; Eggs"},
			{"the whole name first", "atta", "Atta; Whole Wheat Atta"},
			{"a name before a description", "wheat", "Whole Wheat Atta; Atta"},
			{"words in any order, of any field", "rotis aash wheat", "Whole Wheat Atta"},
			{"all words", "atta turmeric", ""},
			{"a code", "att-5kg/01", "Whole Wheat Atta"},
			{"the beginning of a code", "ATT-5", "Whole Wheat Atta"},
			{"a category", "flour", "Atta"},
			{"a category and a brand", "dairy nestle", "Crème Fraîche"},

			{"no accents", "creme fraiche", "Crème Fraîche"},
			{"accents", "CRÈME", "Crème Fraîche"},
			{"accents of their own", "cre\u0300me", "Crème Fraîche"},
			{"sharp s", "strassen", "Straßenbrot"},
			{"sharp s for ss", "straß", "Straßenbrot"},
			{"a dotted capital I", "izmir", "Straßenbrot"},
			{"full-width letters", "ＡＴＴＡ", "Atta; Whole Wheat Atta"},
			{"Devanagari", "दही", "ताज़ा दही"},
			{"the beginning of a word of Devanagari", "गो", "ताज़ा दही"},
			{"a nukta left out", "ताजा", "ताज़ा दही"},

			{"a percent sign", "%", ""},
			{"a percent sign behind a word", "100%", "100% Juice_Mix"},
			{"a percent sign within a word", "ju%ce", ""},
			{"an underscore", "_", ""},
			{"an underscore for a letter", "e_gs", ""},
			{"an underscore between words", "juice_mix", "100% Juice_Mix"},
			{"a backslash", `\`, ""},
			{"a backslash before a word", `\atta`, "Atta; Whole Wheat Atta"},
			{"an apostrophe", "o'brien", "100% Juice_Mix"},
			{"an apostrophe alone", "'", ""},
			{"quotes", `"best"`, "100% Juice_Mix"},
			{"an ampersand", "o & brien", "100% Juice_Mix"},
			{"operators", "!juice | (mix):* <-> 500ml", "100% Juice_Mix"},
			{"a minus", "juice -mix", "100% Juice_Mix"},
			{"a star", "att*", "Atta; Whole Wheat Atta"},
			{"a statement", "'; DROP TABLE products; --", ""},
			{"a null", "null", ""},
			{"an emoji", "🥚", ""},
			{"an emoji beside a word", "🥚 eggs", "Eggs"},
			{"many spaces and signs", "  --  eggs ,,, ", "Eggs"},

			{"a letter too many", "atttta", "Atta; Whole Wheat Atta"},
			{"a letter too few", "tumeric", "Turmeric Powder"},
			{"another letter", "turmaric", "Turmeric Powder"},
			{"a letter more than a word has", "attas", "Atta; Whole Wheat Atta"},
			{"one right word and one misspelt", "everest turmrik", "Turmeric Powder"},
			{"misspelt Devanagari", "गोकूल", "ताज़ा दही"},
			{"misspelt accents", "frâichee", "Crème Fraîche"},
			{"near nothing", "xylophone", ""},
			{"what is not published", "saffron", ""},
			{"what is not published, misspelt", "safron", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				if got := storetest.NamesOf(s.ListProducts(storetest.QueryOf("q", c.q))); got != c.want {
					t.Errorf("%q finds %q; want %q", c.q, got, c.want)
				}
			})
		}
	})
}
