package ranked_test

import (
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
)

// shop has the products of the table of searches.
var shop = []*Product{
	{Name: "Aashirvaad Whole Wheat Atta", Brand: "Aashirvaad", Description: "Stone ground flour for soft roti", Kind: "flour"},
	{Name: "Atta", Brand: "Loose", Description: "Wheat flour by weight", Kind: "flour"},
	{Name: "Multigrain Atta Noodles", Brand: "Yippee", Description: "Ready in four minutes", Kind: "snack"},
	{Name: "India Gate Basmati Rice", Brand: "India Gate", Description: "Long grain, aged", Kind: "rice"},
	{Name: "Turmeric Powder", Brand: "Everest", Description: "Haldi, ground", Code: "ZWQA-4451", Kind: "spice"},
	{Name: "Amul Dahi", Brand: "Amul", Description: "Set curd of toned milk", Kind: "dairy"},
	{Name: "Amul Taaza Milk", Brand: "Amul", Description: "Toned", Kind: "dairy"},
	{Name: "Milkmaid", Brand: "Nestlé", Description: "Sweetened condensed", Kind: "dairy"},
	{Name: "Crème Brûlée", Brand: "Straße", Description: "With İzmir vanilla", Kind: "sweet"},
	{Name: "ताज़ा दही", Brand: "गोकुल", Description: "घर जैसा स्वाद", Kind: "dairy"},
	{Name: "100% Juice_Mix", Brand: "Real", Description: "O'Brien's \"best\" (2 x 500ml)", Kind: "drink"},
	{Name: "Rice Bran Oil", Brand: "Fortune", Description: "For basmati and all else", Kind: "oil"},
	{Name: "Tata Salt Lite", Brand: "Tata", Description: "Low sodium", Kind: "salt"},
	{Name: "Tata Salt", Brand: "Tata", Description: "Iodised", Kind: "salt"},
	{Name: "Secret Saffron", Brand: "Vault", Description: "For nobody", Kind: "spice", Hidden: true},
}

// searches are searches and their results, in this order.
var searches = []struct {
	name, text string
	want       string // names, separated by semicolons
}{
	{"a word", "turmeric", "Turmeric Powder"},
	{"the beginning of a word", "turm", "Turmeric Powder"},
	{"one letter", "y", "Multigrain Atta Noodles"},
	{"letters", "t m", "Amul Taaza Milk; Amul Dahi"},
	{"any case", "TURMERIC powder", "Turmeric Powder"},
	{"the equal name first, then equal ranks in the default order", "atta", "Atta; Aashirvaad Whole Wheat Atta; Multigrain Atta Noodles"},
	{"a whole word before the beginning of one", "milk", "Amul Taaza Milk; Milkmaid; Amul Dahi"},
	{"a heavy field before a light one", "basmati", "India Gate Basmati Rice; Rice Bran Oil"},
	{"a beginning in a heavy field before a word in a light one", "tone", "Amul Dahi; Amul Taaza Milk"},
	{"a beginning of another word adds nothing", "ri ric rice g", "India Gate Basmati Rice"},
	{"eight words", "set curd of toned milk amul dahi s", "Amul Dahi"},
	{"several words, in any order", "rice india", "India Gate Basmati Rice"},
	{"several words over several fields", "amul milk", "Amul Taaza Milk; Amul Dahi"},
	{"every word must be found", "amul turmeric", ""},
	{"a word twice counts once", "salt tata salt", "Tata Salt; Tata Salt Lite"},
	{"the whole name in another case and spacing", "  TATA--salt ", "Tata Salt; Tata Salt Lite"},
	{"the whole name with another word", "tata salt lite", "Tata Salt Lite"},
	{"a name that is a part of the search", "atta wheat", "Aashirvaad Whole Wheat Atta; Atta"},
	{"no accent for an accent", "creme brulee", "Crème Brûlée"},
	{"an accent for an accent", "CRÈME", "Crème Brûlée"},
	{"a decomposed accent", "cre\u0300me", "Crème Brûlée"},
	{"an additional accent", "créme", "Crème Brûlée"},
	{"an accent at the end", "nestle", "Milkmaid"},
	{"ß is ss", "strasse", "Crème Brûlée"},
	{"ss is ß", "STRASSE", "Crème Brûlée"},
	{"a dotted capital I", "izmir", "Crème Brûlée"},
	{"a dotted capital I for an i", "İndia", "India Gate Basmati Rice"},
	{"Devanagari", "दही", "ताज़ा दही"},
	{"the beginning of a Devanagari word", "ताज", "ताज़ा दही"},
	{"a missing nukta", "ताजा", "ताज़ा दही"},
	{"a nukta made of two characters", "ताज\u093cा", "ताज़ा दही"},
	{"full-width letters", "Ｔａｔａ　Ｓａｌｔ", "Tata Salt; Tata Salt Lite"},
	{"a percent sign separates words", "100%", "100% Juice_Mix"},
	{"a percent sign is not a pattern", "jui%mix", "100% Juice_Mix"},
	{"a percent sign alone is not a word", "%", ""},
	{"an underscore is not a pattern", "m_lk", ""},
	{"an underscore separates words", "juice_mix", "100% Juice_Mix"},
	{"quotes separate words", `"best" o'brien`, "100% Juice_Mix"},
	{"a quote does not end a text", "'; DROP TABLE products; --", ""},
	{"operators have no effect", "atta & !noodles | (rice:*)", ""},
	{"operators between known words", "(tata & !salt):*", "Tata Salt; Tata Salt Lite"},
	{"a minus excludes nothing", "tata -lite", "Tata Salt Lite"},
	{"a star is not a pattern", "*", ""},
	{"a question mark is not a placeholder", "?0 ?TableAlias $1", ""},
	{"signs alone", "!!! … ///", ""},
	{"a number", "500ml", "100% Juice_Mix"},
	{"a number's beginning", "5", "100% Juice_Mix"},
	{"an emoji is not a word", "🥛", ""},
	{"an emoji beside a word", "🥛 dahi", "Amul Dahi"},
	{"a row that the scope hides", "saffron", ""},
	{"the mark of a whole name", "=atta", "Atta; Aashirvaad Whole Wheat Atta; Multigrain Atta Noodles"},

	{"a letter too many", "attta", "Atta; Aashirvaad Whole Wheat Atta; Multigrain Atta Noodles"},
	{"a letter too few", "basmti", "India Gate Basmati Rice; Rice Bran Oil"},
	{"a letter left out", "tumeric", "Turmeric Powder"},
	{"another letter", "turmaric", "Turmeric Powder"},
	{"a misspelt beginning", "turneri", "Turmeric Powder"},
	{"a misspelt word and a right one", "amul mlilk", "Amul Taaza Milk; Amul Dahi"},
	{"two misspelt words", "basmti ricce", "India Gate Basmati Rice; Rice Bran Oil"},
	{"a misspelt whole name", "tata sallt", "Tata Salt; Tata Salt Lite"},
	{"a misspelt word with accents", "brülèee", "Crème Brûlée"},
	{"a misspelt word of Devanagari", "गोकूल", "ताज़ा दही"},
	{"a word without a near word", "xylophone", ""},
	{"a misspelt word and a word without a near word", "basmti xylophone", ""},
	{"a misspelt word and a right one in different rows", "basmti dahi", ""},
	{"three misspelt words", "tataa sallt litee", "Tata Salt Lite"},
	{"four misspelt words", "tataa sallt litee sodiumm", ""},
	{"a word with a number is not misspelt", "500mk", ""},
	{"a word with a number beside a misspelt one", "juicce 500mk", ""},
	{"a misspelt word beside one with a number", "juicce 500m", "100% Juice_Mix"},
	{"the beginning of a code", "zwq", "Turmeric Powder"},
	{"a code in its parts", "zwq-44", "Turmeric Powder"},
	{"a misspelt code", "zwqqa", ""},
	{"two characters are not misspelt", "xy", ""},
	{"two characters beside a misspelt word", "basmti xy", ""},
	{"right words in different rows are not corrected", "atta dahi", ""},
	{"a misspelt word that only a hidden row has", "safron", ""},
}

// exact are searches without corrections.
var exact = []struct{ name, text, want string }{
	{"a right word", "turmeric", "Turmeric Powder"},
	{"a misspelt word", "tumeric", ""},
	{"never the middle of a word", "meric", ""},
	{"never a part of a word", "noodling", ""},
	{"a letter more than a word", "rices", ""},
	{"another vowel sign is another word", "दहू", ""},
	{"a virama is not an accent", "दह\u094d", ""},
	{"an unknown word of two characters", "xy", ""},
	{"no word", "%", ""},
}

// TestSearch: both databases give the same rows in the same order.
func TestSearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, shop...)
		c := serve(t, db, products(index))
		for _, s := range searches {
			t.Run(s.name, func(t *testing.T) { finds(t, c, search(s.text), split(s.want)...) })
		}
		without := index
		without.Grams = ""
		c = serve(t, db, products(without))
		for _, s := range exact {
			t.Run("without trigrams, "+s.name, func(t *testing.T) { finds(t, c, search(s.text), split(s.want)...) })
		}
	})
}

func split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, "; ")
}
