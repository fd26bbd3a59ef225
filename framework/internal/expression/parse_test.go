package expression_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"trestle.example/framework/internal/expression"
)

// wide are limits that no expression of these tests reaches.
var wide = expression.Limits{Length: 1 << 20, Depth: 100, Comparisons: 1000, Related: 1000}

// TestPrint: an expression is read, and written in one form.
func TestPrint(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"a text", `status = "booked"`, ""},
		{"without spaces", `fee>=500`, `fee >= 500`},
		{"spaces everywhere", `  ( fee   < -1.50 )  `, `fee < -1.50`},
		{"each operator", `a = 1 AND a != 1 AND a < 1 AND a <= 1 AND a > 1 AND a >= 1`, ""},
		{"words as values", `a = true OR a = false OR a = null OR a != null`, ""},
		{"a path", `patient.city = "Pune"`, ""},
		{"the example", `status = "booked" AND (fee >= 500 OR NOT patient.city = "Pune")`, ""},
		{"parentheses of no use", `((a = 1) AND ((b = 2)))`, `a = 1 AND b = 2`},
		{"AND in AND", `a = 1 AND (b = 2 AND c = 3)`, ""},
		{"NOT of NOT", `NOT (NOT a = 1)`, ""},
		{"NOT of an expression", `NOT (a = 1 OR b = 2)`, ""},
		{"a related row", `comments(author = "x" AND score > 3)`, ""},
		{"a related row of a related row", `comments( writer( NOT name = "x" ) )`, `comments(writer(NOT name = "x"))`},
		{"a name that begins like a word", `ANDREW = 1 AND ORder = 2 AND nothing = 3`, ""},
		{"escapes", `a = "\"\\\/\b\f\n\r\t\u0041\ud83d\ude00<>&'*%"`, "a = \"\\\"\\\\/\\b\\f\\n\\r\\tA😀<>&'*%\""},
		{"words in a text", `a = "b AND c OR (NOT d"`, ""},
		{"an empty text", `a = ""`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, fault := expression.Parse(test.text, wide)
			if fault != nil {
				t.Fatal(fault.Detail(test.text))
			}
			want := test.want
			if want == "" {
				want = test.text
			}
			if got := expression.Print(n); got != want {
				t.Errorf("it is %s; want %s", got, want)
			}
		})
	}
}

// TestEachTextIsAValue: JSON of any text is the value of this text.
func TestEachTextIsAValue(t *testing.T) {
	for _, text := range []string{"", `"`, `\`, `\"`, `" OR "" = "`, "a\nb\tc\r", "\x01\x1f\x7f", "é😀\u2028", "'; DROP TABLE x; --", "%_*", "<&>"} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		n, fault := expression.Parse("a = "+string(quoted), wide)
		if fault != nil {
			t.Errorf("%q: %s", text, fault.What)
			continue
		}
		if got := n.(*expression.Comparison).Value; got.Text != text || got.Kind != expression.Text {
			t.Errorf("it is %q; want %q", got.Text, text)
		}
	}
}

// TestFaults: what is not in the language is a fault with its place.
func TestFaults(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"AND beside OR", `a = 1 AND b = 2 OR c = 3`, `AND beside OR needs parentheses; write (a = 1 AND b = 2) OR c = 3, or a = 1 AND (b = 2 OR c = 3) (character 17: a = 1 AND b = 2 ^OR c = 3)`},
		{"OR beside AND", `a = 1 OR NOT b = 2 AND (c = 3 OR d = 4) AND e = 5`, `AND beside OR needs parentheses; write a = 1 OR (NOT b = 2 AND (c = 3 OR d = 4) AND e = 5), or (a = 1 OR NOT b = 2) AND (c = 3 OR d = 4) AND e = 5 (character 20: a = 1 OR NOT b = 2 ^AND (c = 3 OR d = 4)…)`},
		{"AND beside OR of long terms", `a = "` + strings.Repeat("x", 60) + `" AND b = 2 OR c = 3`, `write (a = "` + strings.Repeat("x", 34) + `… AND b = 2) OR c = 3, or`},
		{"nothing", ` `, `a comparison is missing at the end (character 2:  ^)`},
		{"a bare word", `foo`, `an operator and a value are missing after "foo"; words alone are not searched for (character 4: foo^)`},
		{"two words", `foo bar`, `an operator and a value are missing after "foo"; words alone are not searched for (character 5: foo ^bar)`},
		{"a bare text", `"foo"`, `a comparison begins with a field, and its value is after the operator (character 1: ^"foo")`},
		{"small and", `a = 1 and b = 2`, `write AND in capital letters (character 7: a = 1 ^and b = 2)`},
		{"mixed or", `a = 1 Or b = 2`, `write OR in capital letters`},
		{"small not", `not a = 1`, `write NOT in capital letters (character 1: ^not a = 1)`},
		{"NOT twice", strings.Repeat("NOT ", 2) + `a = 1`, `NOT is here twice; leave out both (character 5: NOT ^NOT a = 1)`},
		{"minus as NOT", `-a = 1`, `"-" is not an operator; write NOT (character 1: ^-a = 1)`},
		{"an exclamation mark", `!a = 1`, `"!" is not an operator; write NOT before a comparison, or != in it`},
		{"has", `a:1`, `":" is not an operator; use =, !=, <, <=, > or >= (character 2: a^:1)`},
		{"two equals", `a == 1`, `write = once (character 3: a ^== 1)`},
		{"SQL", `a <> 1`, `write != for "is not"`},
		{"another operator", `a => 1`, `"=>" is not an operator; use =, !=, <, <=, > or >=`},
		{"ampersands", `a = 1 && b = 2`, `write AND or OR`},
		{"a field as a value", `a = b`, `a field is compared with a value, and a text is in double quotes: "b" (character 5: a = ^b)`},
		{"a capital value", `a = TRUE`, `write true in small letters`},
		{"no value", `a = `, `a value is missing after = (character 5: a = ^)`},
		{"no field", `= 1`, `a field is missing before =`},
		{"no term after AND", `a = 1 AND`, `a comparison is missing at the end`},
		{"no term before OR", `OR a = 1`, `a comparison is missing before OR`},
		{"no AND", `a = 1 b = 2`, `AND or OR is missing here (character 7: a = 1 ^b = 2)`},
		{"no AND in parentheses", `(a = 1 b = 2)`, `AND or OR is missing here (character 8: (a = 1 ^b = 2))`},
		{"empty parentheses", `a()`, `a comparison is missing before )`},
		{"not closed", `a = 1 AND (b = 2`, `this parenthesis is not closed (character 11: a = 1 AND ^(b = 2)`},
		{"not opened", `a = 1)`, `no parenthesis is open here (character 6: a = 1^))`},
		{"single quotes", `a = 'x'`, `a text is in double quotes, "..." (character 5: a = ^'x')`},
		{"a text without an end", `a = "x`, `this text has no end; close it with a double quote (character 5: a = ^"x)`},
		{"an unknown escape", `a = "\x41"`, `unknown escape; the escapes are those of JSON, such as \" and \\ (character 6: a = "^\x41")`},
		{"an escape at the end", `a = "\`, `unknown escape`},
		{"half a character", `a = "\ud83d"`, `\u is followed by four digits of a character, as in JSON`},
		{"digits that are none", `a = "\u00g0"`, `\u is followed by four digits`},
		{"NUL", `a = "\u0000"`, `a text cannot have the character NUL`},
		{"a control character in a text", "a = \"x\ny\"", `there is a control character in a text; write it as an escape, such as \n (character 7:`},
		{"a control character", "a = 1 AND\tb = 2", `there is a control character; separate words by spaces`},
		{"a wildcard", `a = *`, `there are no wildcards`},
		{"another character", `a = 1 ; b`, `";" has no meaning here (character 7: a = 1 ^; b)`},
		{"a letter of another script", `é = 1`, `"é" has no meaning here`},
		{"an exponent", `a = 1e5`, `write the number without an exponent (character 5: a = ^1e5)`},
		{"a date", `a = 2026-01-31`, `"2026-01-31" is not a number, such as 500 or -1.5; a date, a time or an id is in double quotes`},
		{"a leading zero", `a = 007`, `"007" is not a number`},
		{"a point at the end", `a = 1.`, `"1." is not a number`},
		{"a plus", `a = +1`, `"+" has no meaning here`},
		{"a minus alone", `a = -`, `"-" is not an operator`},
		{"a path with a gap", `a..b = 1`, `"a..b" is not a name`},
		{"a path with an end", `a.b. = 1`, `"a.b." is not a name`},
		{"characters count, not bytes", `a = "😀é" b`, `AND or OR is missing here (character 10: a = "😀é" ^b)`},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, fault := expression.Parse(test.text, wide)
			if fault == nil {
				t.Fatalf("it is %s", expression.Print(n))
			}
			if got := fault.Detail(test.text); !strings.HasPrefix(got, test.want) && !strings.Contains(got, test.want) {
				t.Errorf("the fault is\n%s; want\n%s", got, test.want)
			}
		})
	}
}

// TestLimits: an expression at each limit is read, and one beyond it is a fault.
func TestLimits(t *testing.T) {
	limits := expression.Limits{Length: 30, Depth: 2, Comparisons: 3, Related: 1}
	for _, test := range []struct{ name, within, beyond, want string }{
		{"length", `a = "` + strings.Repeat("é", 24) + `"`, `a = "` + strings.Repeat("é", 25) + `"`, "must have at most 30 characters"},
		{"depth", `((a = 1))`, `(((a = 1)))`, "parentheses can be in parentheses 2 deep at most (character 3: ((^(a = 1)))"},
		{"depth of relations", `a(b(c = 1))`, `a(b(c(d = 1)))`, "parentheses can be in parentheses 2 deep at most"},
		{"parentheses side by side", `(a=1) OR (b=1) OR (c=1)`, `(a=1) OR ((b=1) OR ((c=1)))`, "2 deep"},
		{"comparisons", `a=1 OR b=1 OR c=1`, `a=1 OR b=1 OR c=1 OR d=1`, "there can be at most 3 comparisons (character 22: …=1 OR b=1 OR c=1 OR ^d=1)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, fault := expression.Parse(test.within, limits); fault != nil {
				t.Errorf("%s: %s", test.within, fault.What)
			}
			if _, fault := expression.Parse(test.beyond, limits); fault == nil || !strings.Contains(fault.Detail(test.beyond), test.want) {
				t.Errorf("%s: %v; want %s", test.beyond, fault, test.want)
			}
		})
	}
}

// withoutPlaces sets each place in an expression to 0.
func withoutPlaces(n expression.Node) expression.Node {
	switch n := n.(type) {
	case *expression.Joined:
		for _, term := range n.Terms {
			withoutPlaces(term)
		}
	case *expression.Not:
		withoutPlaces(n.Of)
	case *expression.Some:
		n.Relation.At = 0
		withoutPlaces(n.Of)
	case *expression.Comparison:
		n.Field.At, n.Value.At = 0, 0
	}
	return n
}

// FuzzExpression: no text makes the parser panic, a fault is at a place of the text, and the printed form of an expression
// is an equal expression.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		`status = "booked" AND (fee >= 500 OR NOT patient.city = "Pune")`, `comments(author = "x" AND score > 3)`, `NOT (NOT a = null)`,
		`a = "\ud83d\ude00\u0000"`, `((a=-1.5))`, `a = 1 AND b = 2 OR c = 3`, `a.b(c.d(e != true) OR f <= "\"") AND x > 0`, "a = \"\xff", `-`, `"\`, `a<>1`, `1e`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, fault := expression.Parse(text, wide)
		if fault != nil {
			if fault.At < 0 || fault.At > len([]rune(text))+1 || fault.Detail(text) == "" {
				t.Fatalf("the fault of %q is at %d: %s", text, fault.At, fault.What)
			}
			return
		}
		printed := expression.Print(n)
		again, fault := expression.Parse(printed, wide)
		if fault != nil {
			t.Fatalf("%q is printed as %q: %s", text, printed, fault.Detail(printed))
		}
		if !reflect.DeepEqual(withoutPlaces(n), withoutPlaces(again)) || expression.Print(again) != printed {
			t.Fatalf("%q is printed as %q, and that is another expression: %q", text, printed, expression.Print(again))
		}
	})
}
