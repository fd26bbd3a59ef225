package answers

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"trestle.example/framework/problem"
)

// NextPage returns the query of the link to the next page in the headers Link of an answer (RFC 8288); "" without one.
func NextPage(h http.Header) string {
	for _, value := range h.Values(problem.HeaderLink) {
		for _, one := range linksIn(value) {
			at, err := url.Parse(one.target)
			if err == nil && at.RawQuery != "" && one.isNext() {
				return at.RawQuery
			}
		}
	}
	return ""
}

// A link is one of a header Link. The names of its parameters are in small letters; the first of several with one name counts.
type link struct {
	target string
	params map[string]string
}

// isNext reports whether a link leads from the answer itself to the next page. A link with an anchor leads from somewhere else.
func (l link) isNext() bool {
	_, anchored := l.params["anchor"]
	is := func(relation string) bool { return strings.EqualFold(relation, "next") }
	return !anchored && slices.ContainsFunc(strings.Fields(l.params["rel"]), is)
}

// blank is the white space in a header.
const blank = " \t"

// linksIn reads the links in a value of a header, up to the first that is malformed.
func linksIn(text string) (all []link) {
	for {
		text = strings.TrimLeft(text, blank+",")
		target, rest, found := strings.Cut(strings.TrimPrefix(text, "<"), ">")
		if !strings.HasPrefix(text, "<") || !found {
			return all
		}
		one := link{strings.TrimSpace(target), map[string]string{}}
		text = one.read(rest)
		all = append(all, one)
	}
}

// read reads the parameters at the beginning of a text, and returns the rest of it.
func (l link) read(text string) string {
	for {
		text = strings.TrimLeft(text, blank)
		if !strings.HasPrefix(text, ";") {
			return text
		}
		var name, value string
		name, value, text = parameter(text[1:])
		if _, known := l.params[name]; !known {
			l.params[name] = value
		}
	}
}

// parameter reads a parameter at the beginning of a text, which may have no value.
func parameter(text string) (name, value, rest string) {
	name, text = cutAny(strings.TrimLeft(text, blank), blank+"=;,")
	name, text = strings.ToLower(name), strings.TrimLeft(text, blank)
	text, valued := strings.CutPrefix(text, "=")
	if !valued {
		return name, "", text
	}
	text = strings.TrimLeft(text, blank)
	if quoted, is := strings.CutPrefix(text, `"`); is {
		value, rest = unquote(quoted)
		return name, value, rest
	}
	value, rest = cutAny(text, ";,")
	return name, strings.TrimRight(value, blank), rest
}

// cutAny cuts a text before the first of some characters.
func cutAny(text, chars string) (before, after string) {
	if at := strings.IndexAny(text, chars); at >= 0 {
		return text[:at], text[at:]
	}
	return text, ""
}

// unquote reads a text up to its closing quotation mark. A backslash quotes the character after it.
func unquote(text string) (value, rest string) {
	var read strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return read.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		read.WriteByte(text[i])
	}
	return read.String(), ""
}
