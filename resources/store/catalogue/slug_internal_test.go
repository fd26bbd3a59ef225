package catalogue

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSlugOfAName(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"words", "Whole Wheat Atta", "whole-wheat-atta"},
		{"digits", "7up 2 L", "7up-2-l"},
		{"signs between words", "Salt & Pepper / 50%", "salt-pepper-50"},
		{"signs at the ends", " -- Dal! -- ", "dal"},
		{"accents", "Crème Brûlée", "creme-brulee"},
		{"accents of their own", "Cre\u0300me", "creme"},
		{"sharp s", "Weißbier", "weissbier"},
		{"dotted capital I", "İzmir", "izmir"},
		{"full-width letters", "Ｔａｔａ", "tata"},
		{"a fraction", "½ kg", "1-2-kg"},
		{"apostrophes", "Haldiram's Aam’ras", "haldirams-aamras"},
		{"a name of which some is ASCII", "Amul दही", "amul"},
		{"a name of which nothing is ASCII", "ताज़ा दही", "product"},
		{"signs alone", "!!!", "product"},
		{"a long name", strings.Repeat("a", 81), strings.Repeat("a", 80)},
		{"a long name that is cut at a hyphen", strings.Repeat("a", 79) + " b", strings.Repeat("a", 79)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := SlugOf(c.text); got != c.want {
				t.Errorf("the slug of %q is %q; want %q", c.text, got, c.want)
			}
		})
	}
}

// TestSlugsOfNamesAreSlugs: whatever the name, its slug is one, with a number
// behind it too.
func TestSlugsOfNamesAreSlugs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		slug := SlugOf(rapid.String().Draw(t, "name"))
		var read Slug
		for _, text := range []string{slug, slug + "-1000000000"} {
			if err := read.UnmarshalText([]byte(text)); err != nil {
				t.Errorf("%q is no slug: %v", text, err)
			}
		}
	})
}

func TestSlug(t *testing.T) {
	for text, valid := range map[string]bool{
		"a": true, "7up": true, "whole-wheat-atta": true, "a-2": true, strings.Repeat("a", 100): true,
		"": false, "-": false, "-a": false, "a-": false, "a--b": false, "A": false, "a b": false, "a_b": false, "a.b": false,
		"a/b": false, "é": false, "a\n": false, strings.Repeat("a", 101): false,
	} {
		var read Slug
		if err := read.UnmarshalText([]byte(text)); (err == nil) != valid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestImageURL(t *testing.T) {
	for address, valid := range map[string]bool{
		"https://img.example/a.png":                           true,
		"https://img.example":                                 true,
		"https://img.example:8443/a%20b.png?w=2&h=3#x":        true,
		"HTTPS://IMG.EXAMPLE/A.PNG":                           true,
		"https://192.0.2.1/a@b.png":                           true,
		"https://[2001:db8::1]/a.png":                         true,
		"https://img.example/" + strings.Repeat("a", 2048-20): true,
		"https://img.example/" + strings.Repeat("a", 2048-19): false,
		"":                                      false,
		"/a.png":                                false,
		"//img.example/a.png":                   false,
		"img.example/a.png":                     false,
		"http://img.example/a.png":              false,
		"ftp://img.example/a.png":               false,
		"javascript:alert(1)":                   false,
		"data:image/png;base64,AAAA":            false,
		"file:///etc/passwd":                    false,
		"https:img.example/a.png":               false,
		"https:///a.png":                        false,
		"https://:443/a.png":                    false,
		"https://user@img.example/a.png":        false,
		"https://user:secret@img.example/a.png": false,
		"https://@img.example/a.png":            false,
		"https://img.example:port/a.png":        false,
		"https://img.example/a b.png":           false,
		"https://img.example/a\u00a0b.png":      false,
		"https://img.example/a\tb.png":          false,
		"https://img.example/a\u202eb.png":      false,
		`https://img.example\a.png`:             false,
		`https://img.example/\evil.example`:     false,
		"https://img.example/%zz":               false,
	} {
		var read ImageURL
		if err := read.UnmarshalText([]byte(address)); (err == nil) != valid {
			t.Errorf("%q: %v", address, err)
		}
	}
}
