package slug_test

import (
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/internal/slug"
)

func TestOf(t *testing.T) {
	t.Parallel()
	const most = 30
	for _, c := range []struct{ name, text, want string }{
		{"words", "The Quick  Brown Fox!", "the-quick-brown-fox"},
		{"accents", "Crème Brûlée à la Ångström", "creme-brulee-a-la-angstrom"},
		{"letters without accents of their own", "Straße, Łódź, Øre, Þór, Æsir", "strasse-lodz-ore-thor-aesir"},
		{"an apostrophe", "Asha's café", "ashas-cafe"},
		{"digits of other widths", "Ｎｏ．４２", "no-42"},
		{"a ligature", "ﬁnal", "final"},
		{"white space and hyphens at both ends", " -- a -- ", "a"},
		{"Latin words among others", "Go язык 2026", "go-2026"},
		{"Devanagari", "रुपया", ""},
		{"Cyrillic", "Привет", ""},
		{"an emoji", "😀", ""},
		{"path characters", "../a/b?c#d%2F", "a-b-c-d-2f"},
		{"long text, cut between words", "a slug of at most thirty letters and more", "a-slug-of-at-most-thirty"},
		{"a long word", strings.Repeat("x", 40), strings.Repeat("x", most)},
		{"exactly as long as it may be", "aaaaaaaaaaaaaaaaaaaa-bbbbbbbbb", "aaaaaaaaaaaaaaaaaaaa-bbbbbbbbb"},
		{"whole words of that length", "aaaaaaaaaaaaaaaaaaaa-bbbbbbbbb-c", "aaaaaaaaaaaaaaaaaaaa-bbbbbbbbb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := slug.Of(c.text, most); got != c.want {
				t.Errorf("got %q; want %q", got, c.want)
			}
		})
	}
}

func TestFollows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"news": true, "news-2": true, "news-100": true, "news-1": false, "news-02": false, "news-": false, "news-two": false, "newss": false, "old-2": false, "2": false, "": false,
	} {
		if slug.Follows(text, "news", 20) != want {
			t.Errorf("%q follows news: %t; want %t", text, !want, want)
		}
	}
}

// FuzzOf: a slug has the promised characters and length, and is its own slug. Its numbered slugs follow
// it and have its stem.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{"The Quick Brown Fox", "Crème", "язык", "a--b", "\xff", "İstanbul", "ŉ"} {
		f.Add(seed, 20, 2)
	}
	form := regexp.MustCompile(`^([a-z0-9]+(-[a-z0-9]+)*)?$`)
	f.Fuzz(func(t *testing.T, text string, most, n int) {
		most, n = 10+most&63, 2+n&0x1f
		got := slug.Of(text, most)
		if !form.MatchString(got) || len(got) > most || slug.Of(got, most) != got {
			t.Errorf("the slug of %q in %d characters is %q", text, most, got)
		}
		numbered := slug.Numbered(got, n, most)
		if got != "" && (!form.MatchString(numbered) || len(numbered) > most || !slug.Follows(numbered, got, most) || slug.Stem(numbered) != slug.Stem(got)) {
			t.Errorf("%q with the number %d is %q", got, n, numbered)
		}
	})
}
