package auth

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

const (
	minimumUsername = 3   // code points
	maximumUsername = 150 // code points
)

// NormalizeUsername returns the form of a user name that is stored and looked up: without
// surrounding space, in Unicode form NFKC with case folding, so that Asha, ASHA and ａｓｈａ are one
// name. It returns an [InputError] if the text is not a user name. A user name has 3 to 150
// characters. It has no space, no control character, no character that readers do not see, such
// as a mark that changes the direction of text, and no "@": so no user name is an e-mail address.
func NormalizeUsername(name string) (string, error) {
	// The length is checked first, because folding takes time in proportion to it.
	if len(name) > 4*maximumUsername || !utf8.ValidString(name) {
		return "", invalid("username", "too_long", fmt.Sprintf("The user name is not valid: it may have at most %d characters of UTF-8.", maximumUsername))
	}
	normal := norm.NFKC.String(foldCase(norm.NFKC.String(strings.TrimSpace(name))))
	switch length := utf8.RuneCountInString(normal); {
	case !framework.IsLine(normal):
		return "", invalid("username", "line", "The user name must be one line, without control characters and without those that turn the direction of writing.")
	case strings.ContainsFunc(normal, isInvisible) || strings.ContainsFunc(normal, isIgnorable):
		return "", invalid("username", "username", "The user name holds a space or a character that readers do not see; it must not.")
	case strings.Contains(normal, "@"):
		return "", invalid("username", "username", "The user name holds an @; it must not, because that is an e-mail address.")
	case length < minimumUsername:
		return "", invalid("username", "too_short", fmt.Sprintf("The user name needs at least %d characters; it has %d.", minimumUsername, length))
	case length > maximumUsername:
		return "", invalid("username", "too_long", fmt.Sprintf("The user name is too long; it may have at most %d characters.", maximumUsername))
	}
	return normal, nil
}

// foldCase makes spellings equal that differ in capitals. Package cases exchanges the capital and
// the small letters of Cherokee, so they are capitals before.
func foldCase(name string) string {
	capitals := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cherokee, r) {
			return unicode.ToUpper(r)
		}
		return r
	}, name)
	return cases.Fold().String(capitals)
}

// SetUsername changes the user name of a user, or removes it if name is empty. A malformed name,
// and one that another user has, are an [InputError]; then a transaction of the caller must be
// rolled back. If the user does not exist, the error is [ErrNotFound].
func (u *Users) SetUsername(ctx context.Context, s *sqldb.Session, id uuid.UUID, name string) error {
	var value any // NULL
	if name != "" {
		normal, err := NormalizeUsername(name)
		if err != nil {
			return err
		}
		value = normal
	}
	err := u.update(ctx, s, id, "username", value)
	if isFault(err, sqldb.Unique) {
		return usernameTaken()
	}
	return err
}

func usernameTaken() error {
	return invalid("username", "unique", "A user with this user name exists already.")
}

// loginName returns the words for what a sign-in takes beside the password, at the start of a sentence.
func (u *Users) loginName() string {
	if u.usernames {
		return "The user name, the e-mail"
	}
	return "The e-mail"
}

// findByAccount returns the user of an e-mail address or, if [Options].Usernames is set, of a user
// name.
func (u *Users) findByAccount(ctx context.Context, s *sqldb.Session, account string) (userWithHash, error) {
	if !u.usernames || strings.Contains(account, "@") {
		return findByEmail(ctx, s, account)
	}
	var row userWithHash
	normal, err := NormalizeUsername(account)
	if err != nil {
		return row, errors.Join(ErrNotFound, err)
	}
	err = scanOne(ctx, s, s.IDB().NewSelect().Model(&row).Where("u.username = ?", normal), &row)
	return row, orMissing(err, fmt.Errorf("no user has this user name: %w", ErrNotFound))
}

// accountKey returns the text by which attempts on an account are counted. All texts that are not
// an e-mail address or a user name are counted together.
func (u *Users) accountKey(account string) string {
	normal, err := NormalizeEmail(account)
	if err != nil && u.usernames {
		normal, err = NormalizeUsername(account)
	}
	if err != nil {
		return ""
	}
	return normal
}
