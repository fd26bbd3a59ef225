package auth

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPasswordRules(t *testing.T) {
	ordinary := PasswordPolicy{}
	for _, c := range []struct {
		name     string
		policy   PasswordPolicy
		password string
		code     string // "" for accepted
	}{
		{"words", ordinary, goodPassword, ""},
		{"exactly eight", ordinary, "xk2!vq9z", ""},
		{"seven", ordinary, "xk2!vq9", "too_short"},
		{"none", ordinary, "", "too_short"},
		{"eight characters of three bytes", ordinary, "अआइईउऊएऐ", ""},
		{"seven characters of four bytes", ordinary, "😀😁😂😃😄😅😆", "too_short"},
		{"one character that stands for eighteen", ordinary, "\ufdfa", "too_short"},
		{"a ligature is one character as typed", ordinary, "ﬃxk2!v", "too_short"},
		{"eight as typed, four once composed", ordinary, strings.Repeat("e\u0301", 4), "too_short"},
		{"eight as typed and once composed", ordinary, "ﬃxk2!vqz", ""},
		{"exactly 128", ordinary, strings.Repeat("xy", 64), ""},
		{"129", ordinary, strings.Repeat("xy", 64) + "x", "too_long"},
		{"128 of four bytes", ordinary, strings.Repeat("😀😁", 64), ""},
		{"128 as typed that stand for more", ordinary, strings.Repeat("ﬃx", 64), ""},
		{"128 as typed that stand for most", ordinary, strings.Repeat("\ufdfa😀", 64), ""},
		{"130 as typed that are fewer once composed", ordinary, strings.Repeat("e\u0301x", 43) + "x", "too_long"},
		{"a megabyte", ordinary, strings.Repeat("x", 1<<20), "too_long"},
		{"spaces inside and around", ordinary, " xk 2!v q9 ", ""},
		{"not UTF-8", ordinary, "xk2!vq9z\xff", "not_utf8"},
		{"password", ordinary, "password", "too_common"},
		{"12345678", ordinary, "12345678", "too_common"},
		{"qwerty123", ordinary, "qwerty123", "too_common"},
		{"iloveyou", ordinary, "iloveyou", "too_common"},
		{"common in capitals", ordinary, "PassWord123", "too_common"},
		{"common in full width", ordinary, "ｐａｓｓｗｏｒｄ", "too_common"},
		{"one letter", ordinary, "gggggggggggggggggggg", "too_common"},
		{"one space", ordinary, "          ", "too_common"},
		{"one emoji", ordinary, strings.Repeat("😀", 9), "too_common"},
		{"one ligature", ordinary, strings.Repeat("ﬃ", 9), "too_common"},
		{"the e-mail", ordinary, "asha@example.com", "same_as_email"},
		{"the e-mail in capitals", ordinary, "Asha@Example.COM", "same_as_email"},
		{"eleven where twelve are required", PasswordPolicy{Minimum: 12}, "xk2!vq9zmm1", "too_short"},
		{"twelve where twelve are required", PasswordPolicy{Minimum: 12}, "xk2!vq9zmm1p", ""},
		{"the service's own word", PasswordPolicy{Common: []string{"GreenClinic"}}, "greenclinic", "too_common"},
		{"a built-in word beside the service's own", PasswordPolicy{Common: []string{"GreenClinic"}}, "iloveyou", "too_common"},
		{"the service's own word, in a list that replaces", PasswordPolicy{Common: []string{"GreenClinic"}, ReplaceCommon: true}, "greenclinic", "too_common"},
		{"a built-in word where the list is replaced", PasswordPolicy{Common: []string{"GreenClinic"}, ReplaceCommon: true}, "iloveyou", ""},
		{"a built-in word where the list is empty", PasswordPolicy{ReplaceCommon: true}, "iloveyou", ""},
		{"one letter where the list is empty", PasswordPolicy{ReplaceCommon: true}, "gggggggggg", "too_common"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := newPasswordRules(c.policy)
			if err != nil {
				t.Fatal(err)
			}
			err = rules.check(c.password, "asha@example.com")
			if c.code == "" {
				if err != nil {
					t.Errorf("it was rejected: %v", err)
				}
				return
			}
			wantInput(t, err, "password", c.code)
			if len(c.password) > 0 && strings.Contains(err.Error(), c.password) && c.password != "password" {
				t.Errorf("the error repeats the password: %v", err)
			}
		})
	}
}

// TestAPasswordThatIsTooShort: the sentence is right for every length.
func TestAPasswordThatIsTooShort(t *testing.T) {
	rules, err := newPasswordRules(PasswordPolicy{})
	if err != nil {
		t.Fatal(err)
	}
	for password, want := range map[string]string{
		"":   "The password needs at least 8 characters; it has 0.",
		"x":  "The password needs at least 8 characters; it has 1.",
		"xk": "The password needs at least 8 characters; it has 2.",
	} {
		if err := rules.check(password, "asha@example.com"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", password, err, want)
		}
	}
}

func TestAPasswordTypedOnTwoKeyboardsIsEqual(t *testing.T) {
	h := newTestHasher()
	stored, err := h.hash(t.Context(), "caf\u00e9 xk2!vq")
	if err != nil {
		t.Fatal(err)
	}
	if ok, _, err := h.verify(t.Context(), stored, "cafe\u0301 xk2!vq"); !ok || err != nil {
		t.Errorf("the decomposed form: %v, %v", ok, err)
	}
}

// TestAStoredPasswordOfManyCharactersSignsIn: a password from an older version may be
// longer as typed than a new one.
func TestAStoredPasswordOfManyCharactersSignsIn(t *testing.T) {
	typed := strings.Repeat("e\u0301x", 60) // 180 characters as typed, 120 in NFKC
	if err := checkPasswordBytes(typed); err != nil {
		t.Errorf("it cannot be compared: %v", err)
	}
}

func TestPolicyWithinBounds(t *testing.T) {
	for _, minimum := range []int{8, 128} {
		if _, err := NewUsers(Options{Passwords: PasswordPolicy{Minimum: minimum}}); err != nil {
			t.Errorf("a minimum of %d: %v", minimum, err)
		}
	}
}

func TestPolicyOutOfBoundsIsRejected(t *testing.T) {
	for _, minimum := range []int{-1, 1, 7, 129} {
		_, err := NewUsers(Options{Passwords: PasswordPolicy{Minimum: minimum}})
		if err == nil || !strings.Contains(err.Error(), "between 8 and 128") {
			t.Errorf("a minimum of %d: %v", minimum, err)
		}
	}
}

// TestEveryCommonPasswordCanMatch: an entry that can never match would be useless.
func TestEveryCommonPasswordCanMatch(t *testing.T) {
	words := strings.Fields(commonPasswords)
	if len(words) < 1000 {
		t.Errorf("the list has %d passwords", len(words))
	}
	for _, word := range words {
		if utf8.RuneCountInString(word) < defaultMinimum || word != foldPassword(word) {
			t.Errorf("%q can never match", word)
		}
	}
}
