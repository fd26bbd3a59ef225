package prove

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// An answer is what the server sent.
type answer struct {
	request

	status int
	header http.Header
	text   string
}

// ok reports a success.
func (a *answer) ok() bool { return a.status >= http.StatusOK && a.status < http.StatusMultipleChoices }

// rejects reports whether the answer is 401 or 403.
func (a *answer) rejects() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
}

// value is the body, read as JSON; nil for any other.
func (a *answer) value() any {
	var value any
	d := json.NewDecoder(strings.NewReader(a.text))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// curl returns a line for a POSIX shell that repeats the request, with its credentials in the
// variable CREDENTIALS.
func (r request) curl() string {
	line := []string{"curl", "-i", "-X", r.method}
	if r.method == http.MethodHead {
		line = []string{"curl", "--head"} // with -X HEAD, curl waits for a body
	}
	if len(r.by.header) > 0 {
		line = append(line, "-H", `"$CREDENTIALS"`)
	}
	if r.body != nil {
		if r.header.Get("Content-Type") == "" {
			line = append(line, "-H", "'Content-Type: application/json'")
		}
		body := quote(clip(string(r.body)))
		if !utf8.Valid(r.body) {
			body = "@FILE"
		}
		line = append(line, "--data-binary", body)
	}
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		line = append(line, "-H", quote(name+": "+r.header.Get(name)))
	}
	at := "http://" + host + r.path
	if r.query != "" {
		at += "?" + r.query
	}
	line = append(line, quote(at))
	if r.small {
		line = append(line, "# if pages have one row")
	}
	return strings.Join(line, " ")
}

func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// changing are headers that differ between two answers to the same request.
// Content-Length depends on the length of a key that a body repeats; the body itself is compared.
var changing = []string{"Content-Length", "Date", "X-Request-Id", "Traceparent", "Server-Timing"}

// plain returns an answer without what no two answers have in common. The texts in masked, such
// as the key that a path names and that of no row, count as equal.
func (a *answer) plain(masked ...string) string {
	var text strings.Builder
	text.WriteString(http.StatusText(a.status))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if !slices.Contains(changing, name) && !strings.HasPrefix(name, "Ratelimit") {
			text.WriteString("\n" + name + ": " + strings.Join(a.header[name], ", "))
		}
	}
	whole := text.String() + "\n\n" + a.text
	longest := func(a, b string) int { return len(b) - len(a) }
	for _, one := range slices.SortedStableFunc(slices.Values(masked), longest) {
		for _, form := range []string{one, url.PathEscape(one), url.QueryEscape(one)} {
			whole = mask(whole, form, "<key>")
		}
	}
	return mask(whole, a.header.Get("X-Request-Id"), "<request>")
}

// mask replaces a word in a text. In a longer word it stays: the key 4 is not masked in 404.
func mask(text, word, with string) string {
	if word == "" {
		return text
	}
	var masked strings.Builder
	done := 0 // of the text
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return masked.String() + text[done:]
		}
		at, from = from+at, from+at+1
		end := at + len(word)
		if at > 0 && wordy(text[at-1]) && wordy(word[0]) || end < len(text) && wordy(text[end]) && wordy(word[len(word)-1]) {
			continue
		}
		masked.WriteString(text[done:at] + with)
		done, from = end, end
	}
}

// wordy reports whether a byte is part of a word.
func wordy(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// pointersIn lists the pointers of the faults of an error, and the names of wrong parameters.
func pointersIn(value any) (pointers []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, place := range []string{"pointer", "parameter"} {
			if at, ok := value[place].(string); ok && at != "" {
				pointers = append(pointers, at)
			}
		}
		for _, one := range value {
			pointers = append(pointers, pointersIn(one)...)
		}
	case []any:
		for _, one := range value {
			pointers = append(pointers, pointersIn(one)...)
		}
	}
	slices.Sort(pointers)
	return slices.Compact(pointers)
}

func clip(text string) string {
	const most = 300
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
