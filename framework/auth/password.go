package auth

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	defaultMinimum  = 8
	maximumLength   = 128  // code points, as typed
	maximumRawBytes = 4096 // for any password that is compared: normalisation takes time in proportion to the length
)

//go:embed common_passwords.txt
var commonPasswords string

// A PasswordPolicy states which passwords may be set. A change of policy does not affect
// stored passwords.
type PasswordPolicy struct {
	// Minimum is the minimum number of code points, from 8 to 128. The password as typed
	// and its NFKC form must both reach it. Defaults to 8. The maximum is always 128 and
	// counts the password as typed.
	Minimum int
	// Common lists passwords to reject, such as the name of the service. Case does not
	// matter. The built-in list of common passwords applies too, unless ReplaceCommon is
	// set. Defaults to none.
	Common []string
	// ReplaceCommon replaces the built-in list by Common. A password that repeats one
	// character is still rejected. Defaults to false.
	ReplaceCommon bool
	// Check is a policy of your own, such as a query of a service of leaked passwords. It runs
	// after the other rules have accepted a password, and outside of a transaction. An
	// [InputError] with the field "password" is a fault for the client, any other error is
	// 500. Its codes belong into framework.Config.Codes. With ReplaceCommon it replaces the
	// built-in list; the rules of length, of one repeated character and of the e-mail address
	// always apply. Defaults to none. It must be safe for concurrent use.
	Check func(ctx context.Context, password string, owner PasswordOwner) error
}

// A PasswordOwner is the account that a new password is for.
type PasswordOwner struct {
	Email    string // in normal form
	Username string // in normal form; empty without one
	Name     string
}

// passwordRules are a compiled policy. They never change.
type passwordRules struct {
	minimum int
	common  map[string]bool
	own     func(ctx context.Context, password string, owner PasswordOwner) error // or nil
}

func newPasswordRules(p PasswordPolicy) (*passwordRules, error) {
	if p.Minimum == 0 {
		p.Minimum = defaultMinimum
	}
	if p.Minimum < defaultMinimum || p.Minimum > maximumLength {
		return nil, fmt.Errorf("auth: PasswordPolicy.Minimum is %d; it must lie between %d and %d",
			p.Minimum, defaultMinimum, maximumLength)
	}
	common := make(map[string]bool)
	words := p.Common
	if !p.ReplaceCommon {
		words = append(strings.Fields(commonPasswords), p.Common...)
	}
	for _, word := range words {
		common[foldPassword(word)] = true
	}
	return &passwordRules{minimum: p.Minimum, common: common, own: p.Check}, nil
}

// judge returns the error of check, or else that of the policy of the program.
func (r *passwordRules) judge(ctx context.Context, password string, owner PasswordOwner) error {
	if err := r.check(password, owner.Email); err != nil || r.own == nil {
		return err
	}
	return r.own(ctx, password, owner)
}

func ownerOf(u User) PasswordOwner {
	return PasswordOwner{Email: u.Email, Username: u.Username, Name: u.Name}
}

// check returns an [InputError] that states the first reason why a password may not be set, or
// nil.
func (r *passwordRules) check(password, email string) error {
	if err := checkPasswordBytes(password); err != nil {
		return err
	}
	normal := norm.NFKC.String(password)
	typed := utf8.RuneCountInString(password)
	length := min(typed, utf8.RuneCountInString(normal)) // NFKC turns one character into up to eighteen, and two into one
	folded := foldPassword(normal)
	switch {
	case typed > maximumLength:
		return passwordTooLong()
	case length < r.minimum:
		return invalid("password", "too_short",
			fmt.Sprintf("The password needs at least %d characters; it has %d.", r.minimum, length))
	case folded == foldPassword(email):
		return invalid("password", "same_as_email", "The password is the e-mail address; it must be something else.")
	case r.common[folded] || repeatsOneCharacter(password) || repeatsOneCharacter(folded):
		return invalid("password", "too_common",
			"The password is one of the most common ones; a few unrelated words make a better one.")
	}
	return nil
}

// checkPasswordBytes rejects text that cannot be a stored password. A stored password may be
// longer than a new one, because earlier versions counted the NFKC form.
func checkPasswordBytes(password string) error {
	if !utf8.ValidString(password) {
		return invalid("password", "not_utf8", "The password is not valid UTF-8.")
	}
	if len(password) > maximumRawBytes {
		return passwordTooLong()
	}
	return nil
}

// canBePassword reports whether text can be a stored password, see [checkPasswordBytes].
func canBePassword(text string) bool { return checkPasswordBytes(text) == nil }

func passwordTooLong() error {
	return invalid("password", "too_long", fmt.Sprintf("The password is too long; it may have at most %d characters.", maximumLength))
}

func foldPassword(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// repeatsOneCharacter reports whether s has no two different characters. It is true for "".
func repeatsOneCharacter(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.Trim(s, string(first)) == ""
}
