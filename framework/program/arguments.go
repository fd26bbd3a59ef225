package program

import (
	"regexp"
	"slices"
	"strings"
)

// withPassword matches a URL with a password, such as that of a database.
var withPassword = regexp.MustCompile(`[a-z]:/+[^/@\s]*:[^/@\s]*@`)

// checkArguments returns an error if a word of the call is a URL with a password and not the
// value of a setting: other errors would print the word. It does not print the word itself.
func (p Program) checkArguments(args []string) error {
	urlFlags := []string{"--database", "--database-replica", "--redis"}
	for _, own := range p.Settings {
		urlFlags = append(urlFlags, "--"+own.declared().Flag)
	}
	for i, word := range args {
		flag, _, together := strings.Cut(word, "=")
		switch {
		case !withPassword.MatchString(word):
		case together && slices.Contains(urlFlags, flag):
		case i > 0 && slices.Contains(urlFlags, args[i-1]):
		default:
			return Misused("argument %d is a URL with a password, which is not shown; pass the URL of a database in DATABASE_URL or by --database, that of Redis in REDIS_URL or by --redis", i+1)
		}
	}
	return nil
}
