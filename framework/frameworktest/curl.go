package frameworktest

import (
	"net/http"
	"slices"
	"strings"
)

// curl returns a line for a POSIX shell that repeats a request. It replaces credentials
// by the variable TOKEN, because logs store the output of tests.
func curl(r *http.Request, body []byte) string {
	line := []string{"curl", "-i", "-X", r.Method}
	names := make([]string, 0, len(r.Header))
	for name := range r.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line = append(line, "-H", headerWord(name, r.Header.Get(name)))
	}
	if body != nil {
		line = append(line, "--data-binary", quote(string(body)))
	}
	return strings.Join(append(line, quote(r.URL.String())), " ")
}

// headerWord returns one header as a word of the shell. The word is in double quotes if
// it contains a variable.
func headerWord(name, value string) string {
	masked, secret := maskHeader(name, value)
	if secret {
		return `"` + name + ": " + masked + `"`
	}
	return quote(name + ": " + value)
}

// maskHeader replaces credentials by $TOKEN, after the scheme.
func maskHeader(name, value string) (string, bool) {
	lower := strings.ToLower(name)
	secret := slices.ContainsFunc([]string{"authorization", "cookie", "token", "secret", "key", "password"}, func(part string) bool {
		return strings.Contains(lower, part)
	})
	if !secret || lower == "idempotency-key" {
		return value, false
	}
	if scheme, _, ok := strings.Cut(value, " "); ok && lower == "authorization" && plainWord(scheme) {
		return scheme + " $TOKEN", true
	}
	return "$TOKEN", true
}

func plainWord(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-')
	})
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
