package call

import (
	"net/http"
	"slices"
	"strings"
)

// A Refuser is a part of a declaration, such as an [Authenticator], a [Throttle], a
// [Permission], a filter or a pagination class, that rejects requests with error codes of
// its own. The API reference lists these codes at every endpoint that has the part.
type Refuser interface {
	// Refuses returns the codes. Each one is explained by framework.Config.Codes or is a
	// code of the framework.
	Refuses() []string
}

// A Sender is a part of a declaration, as a [Refuser] is, that sets headers of its own in
// answers.
type Sender interface {
	// Sends returns the headers.
	Sends() []Header
}

// A Secured is an [Authenticator] that describes to the API reference how clients send its
// credentials. Without it the API reference uses the first word of Challenge.
type Secured interface {
	// Security returns the ways to send credentials with a method. One way is enough; all
	// schemes of one way are needed together.
	Security(method string) [][]SecurityScheme
}

// A SecurityScheme is one piece of credentials in a request (OpenAPI 3.1, section 4.8.27).
// With a Scheme such as "bearer" it has the type http. Otherwise In and Key name its header
// or cookie.
type SecurityScheme struct {
	Name   string // its name in the OpenAPI document: "tokenAuth"; no schema has the same name in any case of letters
	Scheme string // of the header Authorization: "bearer"
	Format string // the format of a bearer token, for people: "JWT"
	In     string // "header" or "cookie"; empty with a Scheme
	Key    string // the name of the header or cookie
	Doc    string // {prefix} in it stands for framework.Config.Prefix
}

// A Header describes one header of an answer or a request to the API reference.
type Header struct {
	Name     string
	Doc      string // {prefix} in it stands for framework.Config.Prefix
	Required bool   // a request without it is rejected; an answer always has it
}

// SecurityOf lists the ways to send the credentials of a scheme: those that its method
// Security returns, or else the first word of its challenge.
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

// authorizationWords lists the words with which the header Authorization may begin, as the
// challenges of the schemes spell them.
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

// Parts returns a part of a declaration, and the parts that its methods Unwrap return, if
// they implement T.
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

// AccessParts returns the parts of an access check that implement T, as [Parts] finds them.
func AccessParts[T any](a AccessCheck) (found []T) {
	for _, s := range a.Authentication {
		found = append(found, Parts[T](s)...)
	}
	for _, t := range a.Throttles {
		found = append(found, Parts[T](t)...)
	}
	return append(found, Parts[T](a.Permission)...)
}
