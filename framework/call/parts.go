package call

import (
	"net/http"
	"slices"
	"strings"
)

// A Refuser is a part of a declaration, such as an [Authenticator], a
// [Throttle], a [Permission], a [Filter] or a [Pagination], that refuses
// requests by codes which the framework does not know of by itself: the
// reference lists them with every endpoint that has the part.
type Refuser interface {
	// Refuses returns the codes, which [Config.Codes] or the framework explain.
	Refuses() []string
}

// A Sender is a part of a declaration, as a [Refuser] is, that sets headers of
// its own in answers.
type Sender interface {
	// Sends returns the headers.
	Sends() []Header
}

// A Secured is an [Authenticator] that tells the reference how clients send its
// credentials. Without it the reference goes by the first word of Challenge.
type Secured interface {
	// Security returns the ways to send them with a method, of which one is
	// enough. The schemes of one way go together.
	Security(method string) [][]SecurityScheme
}

// A SecurityScheme is one piece of credentials in a request (OpenAPI 3.1,
// section 4.8.27): of the type http, with a Scheme such as "bearer", or in a
// header or cookie of its own, with In and Key.
type SecurityScheme struct {
	Name   string // what the reference calls it: "tokenAuth"; no schema gets that name, in any case of letters
	Scheme string // of the header Authorization: "bearer"
	Format string // what a bearer's token looks like, for people: "JWT"
	In     string // "header" or "cookie", without Scheme
	Key    string // the name of the header or cookie
	Doc    string // {prefix} in it stands for Config.Prefix
}

// A Header is one header of an answer or a request, for the reference.
type Header struct {
	Name     string
	Doc      string // {prefix} in it stands for Config.Prefix
	Required bool   // a request is refused without it; an answer that may have it always does
}

// SecurityOf lists the ways to send the credentials of a scheme: those of its Security
// method, or else the first word of its challenge.
func SecurityOf(scheme Authenticator, method string) [][]SecurityScheme {
	secured := Parts[Secured](scheme)
	if len(secured) > 0 {
		return secured[0].Security(method)
	}
	name, _, _ := strings.Cut(strings.ToLower(scheme.Challenge()), " ")
	if name == "" {
		return nil
	}
	return [][]SecurityScheme{{{Name: name + "Auth", Scheme: name, Doc: "The header Authorization, scheme " + name + "."}}}
}

// authorizationWords are those with which the header Authorization begins, by
// schemes, as their challenges spell them.
func authorizationWords(schemes []Authenticator) (words []string) {
	for _, scheme := range schemes {
		challenge, _, _ := strings.Cut(scheme.Challenge(), " ")
		for _, piece := range slices.Concat(SecurityOf(scheme, http.MethodGet)...) {
			word := challenge
			switch {
			case piece.Scheme == "" && piece.Key != "Authorization":
				continue
			case piece.Scheme != "" && !strings.EqualFold(piece.Scheme, challenge):
				word = strings.ToUpper(piece.Scheme[:1]) + piece.Scheme[1:]
			}
			if word != "" && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return words
}

// Parts are a declared part and what it wraps, as far as it tells by Unwrap,
// that have the methods of T.
func Parts[T any](part any) (found []T) {
	if part == nil {
		return nil
	}
	if t, ok := part.(T); ok {
		found = append(found, t)
	}
	switch wrapper := part.(type) {
	case interface{ Unwrap() Authenticator }:
		return append(found, Parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() Throttle }:
		return append(found, Parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() Permission }:
		return append(found, Parts[T](wrapper.Unwrap())...)
	case interface{ Unwrap() []Permission }:
		for _, inner := range wrapper.Unwrap() {
			found = append(found, Parts[T](inner)...)
		}
	}
	return found
}

// AccessParts are those of what a caller passes first.
func AccessParts[T any](a AccessCheck) (found []T) {
	for _, s := range a.Authentication {
		found = append(found, Parts[T](s)...)
	}
	for _, t := range a.Throttles {
		found = append(found, Parts[T](t)...)
	}
	return append(found, Parts[T](a.Permission)...)
}
