package input

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"trestle.example/framework/internal/naming"
)

// TestWhatIsALine: text of one line reads as it is stored. Every script may be
// written in it.
func TestWhatIsALine(t *testing.T) {
	rule, optional := oneField[string](t, "line"), oneField[string](t, "omitempty,line")
	for _, c := range []struct {
		about, text string
		line        bool
	}{
		{"a name", "Asha Rao", true},
		{"nothing", "", true},
		{"Devanagari with a joiner", "क्\u200dष", true},
		{"Persian with a non-joiner", "می\u200cخواهم", true},
		{"Hebrew", "שלום", true},
		{"a family of emoji", "👨‍👩‍👧", true},
		{"a space that does not break", "500\u00a0g", true},
		{"a line feed", "a\nb", false},
		{"a carriage return", "a\rb", false},
		{"a tabulator", "a\tb", false},
		{"an escape", "a\x1b[31mb", false},
		{"delete", "a\x7fb", false},
		{"the next line of C1", "a\u0085b", false},
		{"a line separator", "a\u2028b", false},
		{"a paragraph separator", "a\u2029b", false},
		{"an override", "a\u202eb", false},
		{"an isolate", "a\u2066b", false},
		{"a mark of direction", "a\u200fb", false},
		{"an Arabic mark of direction", "a\u061cb", false},
		{"spaces around a name", " Asha ", true},
		{"a space", " ", true},
		{"a space without width", "\u200b", true},
		{"a line feed alone", "\n", false},
		{"control characters alone", "\t\x01", false},
		{"a line feed behind a name", "Asha\n", false},
		{"a line separator before a name", "\u2028Asha", false},
	} {
		t.Run(c.about, func(t *testing.T) {
			body, _ := json.Marshal(map[string]string{"F": c.text})
			for _, s := range []*Shape{rule, optional} {
				d, e := s.Decode(body, false, nil)
				if e != nil {
					t.Fatal(e)
				}
				if c.line {
					expectFaults(t, d.Faults, nil)
					continue
				}
				expectFaults(t, d.Faults, []string{"/F line"})
				if !strings.HasPrefix(d.Faults[0].Detail, "must be one line") {
					t.Errorf("it is told %q", d.Faults[0].Detail)
				}
			}
		})
	}
}

// TestWhatIsBlank: text of invisible characters counts as blank. It becomes empty where
// text is trimmed, and is rejected where it is required.
func TestWhatIsBlank(t *testing.T) {
	type texts struct {
		Trimmed string `json:"trimmed"`
		Whole   string `json:"whole"   trim:"-"`
		Needed  string `json:"needed"  validate:"required"`
	}
	s := compiledInput[texts](t)
	for _, c := range []struct {
		about, text string
		blank       bool
	}{
		{"nothing", "", true},
		{"white space", " \t\n\u00a0\u2003\u3000", true},
		{"spaces without width", "\u200b\u200c\u200d\u2060\ufeff", true},
		{"an override after a space without width", "\u200b\u202e", true},
		{"control characters", "\x01\x1b\x7f", true},
		{"a soft hyphen", "\u00ad", true},
		{"fillers", "\u115f\u3164\uffa0", true},
		{"the blank of Braille", "\u2800", true},
		{"a selector of variants", "\ufe0f\U000e0100", true},
		{"a joiner of graphemes", "\u034f", true},
		{"a letter", "a", false},
		{"a letter among them", "\u200b a\u202e", false},
		{"a digit", "0", false},
		{"a mark", "\u0300", false},
		{"a sign", "-", false},
		{"a letter of Braille", "\u2801", false},
		{"an emoji", "❤️", false},
		{"a character of private use", "\ue000", false},
		{"one that is not assigned", "\U0001faff", false},
	} {
		t.Run(c.about, func(t *testing.T) {
			body, _ := json.Marshal(texts{c.text, c.text, c.text})
			d, e := s.Decode(body, false, nil)
			if e != nil {
				t.Fatal(e)
			}
			got := d.Value.Interface().(texts)
			if (got.Trimmed == "") != c.blank || got.Whole != c.text {
				t.Errorf("%+q becomes %+q where it is trimmed, and %+q where it is not", c.text, got.Trimmed, got.Whole)
			}
			if c.blank {
				expectFaults(t, d.Faults, []string{"/needed required"})
			} else {
				expectFaults(t, d.Faults, nil)
			}
		})
	}
}

// TestTheLinePatternIsLinear: a character is one that a line may begin with unseen, or
// one that readers see, or one that no line has. So no engine tries a text twice.
func TestTheLinePatternIsLinear(t *testing.T) {
	skipped, seen, line := regexp.MustCompile(`^[`+naming.Skips+`]$`), regexp.MustCompile(`^`+naming.FilledPattern+`$`), regexp.MustCompile(naming.LinePattern)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		text := string(r)
		if skipped.MatchString(text) && seen.MatchString(text) {
			t.Errorf("%U is skipped and seen", r)
		}
		if (skipped.MatchString(text) || seen.MatchString(text)) != line.MatchString(text) {
			t.Errorf("%U: a line has it: %t", r, line.MatchString(text))
		}
	}
}
