package expression

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// A token is a word or a sign of an expression. at is the place of its first character, from 1.
type token struct {
	kind tokenKind
	text string
	at   int
}

type tokenKind int

const (
	tokenEnd tokenKind = iota
	tokenOpen
	tokenClose
	tokenName
	tokenWord // AND, OR, NOT
	tokenOperator
	tokenValue // true, false, null
	tokenText
	tokenNumber
)

// A lexer splits a text into tokens.
type lexer struct {
	text []rune
	at   int // the index of the next character
}

// next reads a token. At the end of the text it is of the kind tokenEnd.
func (l *lexer) next() (token, *Fault) {
	for l.at < len(l.text) && l.text[l.at] == ' ' {
		l.at++
	}
	if l.at == len(l.text) {
		return token{tokenEnd, "", l.at + 1}, nil
	}
	switch r := l.text[l.at]; {
	case r == '(':
		return l.take(tokenOpen, 1), nil
	case r == ')':
		return l.take(tokenClose, 1), nil
	case r == '"':
		return l.quoted()
	case strings.ContainsRune("=!<>", r):
		return l.operator()
	case isLetter(r):
		return l.named()
	case r == '-' || isDigit(r):
		return l.number()
	default:
		return token{}, faultAt(l.at+1, "%s", strange(r))
	}
}

// take makes a token of the next characters.
func (l *lexer) take(kind tokenKind, length int) token {
	t := token{kind, string(l.text[l.at : l.at+length]), l.at + 1}
	l.at += length
	return t
}

// run returns the number of characters from the next one on that are all of a kind.
func (l *lexer) run(is func(rune) bool) int {
	length := 0
	for l.at+length < len(l.text) && is(l.text[l.at+length]) {
		length++
	}
	return length
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_' }
func isDigit(r rune) bool  { return r >= '0' && r <= '9' }

// strange is the sentence about a character that begins no token.
func strange(r rune) string {
	switch r {
	case '\'', '‘', '’', '“', '”':
		return "a text is in double quotes, \"...\""
	case ':':
		return "\":\" is not an operator; use =, !=, <, <=, > or >="
	case '*', '%':
		return "there are no wildcards"
	case '&', '|':
		return "write AND or OR"
	}
	if r < ' ' {
		return "there is a control character; separate words by spaces"
	}
	return strconv.Quote(string(r)) + " has no meaning here"
}

func (l *lexer) operator() (token, *Fault) {
	at := l.at + 1
	t := l.take(tokenOperator, l.run(func(r rune) bool { return strings.ContainsRune("=!<>", r) }))
	switch t.text {
	case "=", "!=", "<", "<=", ">", ">=":
		return t, nil
	case "!":
		return t, faultAt(at, "\"!\" is not an operator; write NOT before a comparison, or != in it")
	case "==":
		return t, faultAt(at, "write = once")
	case "<>":
		return t, faultAt(at, "write != for \"is not\"")
	}
	return t, faultAt(at, "%q is not an operator; use =, !=, <, <=, > or >=", t.text)
}

// plainPath is a name that an expression can have.
var plainPath = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`)

func (l *lexer) named() (token, *Fault) {
	t := l.take(tokenName, l.run(func(r rune) bool { return isLetter(r) || isDigit(r) || r == '.' }))
	switch t.text {
	case "AND", "OR", "NOT":
		t.kind = tokenWord
	case "true", "false", "null":
		t.kind = tokenValue
	}
	if !plainPath.MatchString(t.text) {
		return t, faultAt(t.at, "%q is not a name; a name has letters, digits and _, and a path has dots between names", t.text)
	}
	return t, nil
}

var (
	plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	exponent    = regexp.MustCompile(`^-?[0-9.]+[eE][+-]?[0-9]+$`)
)

func (l *lexer) number() (token, *Fault) {
	t := l.take(tokenNumber, l.run(func(r rune) bool { return isLetter(r) || isDigit(r) || strings.ContainsRune(".:+-", r) }))
	switch {
	case plainNumber.MatchString(t.text):
		return t, nil
	case exponent.MatchString(t.text):
		return t, faultAt(t.at, "write the number without an exponent")
	case t.text[0] == '-' && (len(t.text) == 1 || isLetter(rune(t.text[1]))):
		return t, faultAt(t.at, "\"-\" is not an operator; write NOT")
	}
	return t, faultAt(t.at, "%q is not a number, such as 500 or -1.5; a date, a time or an id is in double quotes", t.text)
}

// quoted reads a text in double quotes, which has the escapes of JSON.
func (l *lexer) quoted() (token, *Fault) {
	begin := l.at + 1
	var b strings.Builder
	for l.at++; l.at < len(l.text); {
		r := l.text[l.at]
		switch {
		case r == '"':
			l.at++
			return token{tokenText, b.String(), begin}, nil
		case r < ' ':
			return token{}, faultAt(l.at+1, "there is a control character in a text; write it as an escape, such as \\n")
		case r == '\\':
			var fault *Fault
			if r, fault = l.escape(); fault != nil {
				return token{}, fault
			}
		default:
			l.at++
		}
		b.WriteRune(r)
	}
	return token{}, faultAt(begin, "this text has no end; close it with a double quote")
}

// escape reads an escape of JSON, which begins at the next character.
func (l *lexer) escape() (rune, *Fault) {
	at := l.at + 1
	if l.at+1 < len(l.text) {
		kind := l.text[l.at+1]
		if kind == 'u' {
			return l.unicode()
		}
		if i := strings.IndexRune(`"\/bfnrt`, kind); i >= 0 {
			l.at += 2
			return []rune("\"\\/\b\f\n\r\t")[i], nil
		}
	}
	return 0, faultAt(at, "unknown escape; the escapes are those of JSON, such as \\\" and \\\\")
}

// unicode reads \u and four digits, or two of them for a character of two parts.
func (l *lexer) unicode() (rune, *Fault) {
	at := l.at + 1
	r, ok := l.hex()
	if ok && utf16.IsSurrogate(r) {
		var low rune
		if low, ok = l.hex(); ok {
			r = utf16.DecodeRune(r, low)
			ok = r != '\uFFFD'
		}
	}
	switch {
	case !ok:
		return 0, faultAt(at, "\\u is followed by four digits of a character, as in JSON")
	case r == 0:
		return 0, faultAt(at, "a text cannot have the character NUL")
	}
	return r, nil
}

func (l *lexer) hex() (rune, bool) {
	if l.at+6 > len(l.text) || l.text[l.at] != '\\' || l.text[l.at+1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(l.text[l.at+2:l.at+6]), 16, 16)
	l.at += 6
	return rune(n), err == nil
}
