package auth

import (
	"strings"
	"testing"
)

func TestNormalizeEmail(t *testing.T) {
	longest := strings.Repeat("a", 254-len("@example.com")) + "@example.com"
	for _, c := range []struct {
		name, email, want string
		code              string // "" for accepted
	}{
		{"as it is", "asha@example.com", "asha@example.com", ""},
		{"capitals and space around", "  Asha@EXAMPLE.com\t", "asha@example.com", ""},
		{"tag and dots", "a.b+c@mail.example.co", "a.b+c@mail.example.co", ""},
		{"no dot in the domain", "root@localhost", "root@localhost", ""},
		{"composed letter", "ren\u00e9@example.com", "ren\u00e9@example.com", ""},
		{"decomposed letter", "rene\u0301@example.com", "ren\u00e9@example.com", ""},
		{"exactly 254 bytes", longest, longest, ""},
		{"255 bytes", "a" + longest, "", "email"},
		{"as much space as allowed", strings.Repeat(" ", 4*254-len("asha@example.com")) + "asha@example.com", "asha@example.com", ""},
		{"more space", strings.Repeat(" ", 4*254-len("asha@example.com")+1) + "asha@example.com", "", "email"},
		{"a megabyte", strings.Repeat("a", 1<<20) + "@example.com", "", "email"},
		{"empty", "", "", "required"},
		{"only space", " \n ", "", "required"},
		{"no @", "asha.example.com", "", "email"},
		{"two @", "asha@home@example.com", "", "email"},
		{"nothing before @", "@example.com", "", "email"},
		{"nothing after @", "asha@", "", "email"},
		{"space inside", "asha rao@example.com", "", "email"},
		{"no-break space inside", "asha\u00a0rao@example.com", "", "email"},
		{"line end inside", "asha@example.com\r\nBcc: x@example.com", "", "email"},
		{"NUL", "asha\x00@example.com", "", "email"},
		{"zero-width space", "asha\u200b@example.com", "", "email"},
		{"right-to-left mark", "asha\u202e@example.com", "", "email"},
		{"not UTF-8", "asha\xff@example.com", "", "email"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := NormalizeEmail(c.email)
			if c.code != "" {
				wantInput(t, err, "email", c.code)
				return
			}
			if got != c.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
			if again, _ := NormalizeEmail(got); again != got {
				t.Errorf("a second time gives %q", again)
			}
		})
	}
}

func TestNewEmail(t *testing.T) {
	for _, c := range []struct {
		name, email, want string
		form              string // that the error names, or "none"; "" for accepted
	}{
		{"as it is", "asha@example.com", "asha@example.com", ""},
		{"capitals and space around", " Asha@Example.com ", "asha@example.com", ""},
		{"composed letter", "ren\u00e9@example.com", "ren\u00e9@example.com", ""},
		{"Devanagari", "आशा@example.com", "आशा@example.com", ""},
		{"a capital of Turkish whose lower case is another letter", "\u0130nci@example.com", "", "inci@example.com"},
		{"full width", "ａｓｈａ@example.com", "", "asha@example.com"},
		{"full width and capitals", "ＡSHA@Example.com", "", "asha@example.com"},
		{"a ligature", "o\ufb03ce@example.com", "", "office@example.com"},
		{"the sign of kelvin", "\u212aim@example.com", "", "kim@example.com"},
		{"the @ of full width", "asha＠example.com", "", "asha@example.com"},
		{"decomposed letter", "rene\u0301@example.com", "", "ren\u00e9@example.com"},
		{"a variation selector", "asha\ufe0f@example.com", "", "none"},
		{"a joiner of graphemes", "asha\u034f@example.com", "", "none"},
		{"a filler of Hangul", "asha\u1160@example.com", "", "none"},
		{"a filler that stands for another", "asha@example.com\u3164", "", "none"},
		{"the blank of Braille", "asha\u2800@example.com", "", "none"},
		{"a character that stands for words", "asha@example.com\ufdfa", "", "none"},
		{"an ideographic full stop in the domain", "asha@example\u3002com", "", "asha@example.com"},
		{"a full-width full stop in the domain", "asha@example\uff0ecom", "", "asha@example.com"},
		{"a half-width ideographic full stop in the domain", "asha@example\uff61com", "", "asha@example.com"},
		{"a separator of labels and capitals", "Asha@Example\u3002com", "", "asha@example.com"},
		{"an ideographic full stop before the @", "asha\u3002rao@example.com", "asha\u3002rao@example.com", ""},
		{"a circled letter in the domain", "asha@ⓔxample.com", "", "asha@example.com"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := newEmail(c.email)
			if c.form != "" {
				wantInput(t, err, "email", "email")
				if c.form == "none" && strings.Contains(err.Error(), `"`) {
					t.Errorf("the error is %q; want no form", err)
				}
				if c.form != "none" && !strings.Contains(err.Error(), `"`+c.form+`"`) {
					t.Errorf("the error is %q; want it to name %q", err, c.form)
				}
				return
			}
			if got != c.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestNormalizeName(t *testing.T) {
	longest := strings.Repeat("é", 200)
	for _, c := range []struct {
		what, name, want string
		code             string // "" for accepted
	}{
		{"none", "", "", ""},
		{"space around", "  Asha Rao\t", "Asha Rao", ""},
		{"exactly 200 characters", longest, longest, ""},
		{"201 characters", longest + "é", "", "max"},
		{"two lines", "Asha\nRao", "", "line"},
		{"not UTF-8", "Asha\xff", "", "not_utf8"},
		{"Devanagari with a joiner", "क्\u200dष", "क्\u200dष", ""},
		{"an embedding", "a\u202ab", "", "line"},
		{"the end of an embedding", "a\u202cb", "", "line"},
		{"an override", "Asha \u202eoaR", "", "line"},
		{"an isolate", "a\u2066b", "", "line"},
		{"the end of an isolate", "a\u2069b", "", "line"},
		{"a left-to-right mark", "a\u200eb", "", "line"},
		{"a right-to-left mark at its end", "asha\u200f", "", "line"},
		{"an Arabic letter mark", "a\u061cb", "", "line"},
	} {
		t.Run(c.what, func(t *testing.T) {
			got, err := normalizeName(c.name)
			if c.code != "" {
				wantInput(t, err, "name", c.code)
			} else if got != c.want || err != nil {
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			}
		})
	}
}
