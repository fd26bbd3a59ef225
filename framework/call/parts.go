package call

// A Refuser is a part of a declaration, such as an [Authenticator], a [Throttle], a
// [Permission], a filter or a pagination class, that rejects requests with certain error
// codes: codes of its own or of the framework. The API reference lists these codes at every
// endpoint that has the part.
type Refuser interface {
	// Refuses returns the codes. Each one is explained by framework.Config.Codes or is a
	// code of the framework.
	Refuses() []string
}

// A Sender is an [Authenticator], a [Throttle] or a [Permission] that sets headers of its own in
// answers. The API reference lists these headers at every endpoint that has the part, and pages
// of allowed origins (CORS) may read them.
type Sender interface {
	// Sends returns the headers.
	Sends() []Header
}

// A Secured is an [Authenticator] that describes to the API reference how clients send its
// credentials. Without it the API reference uses the first word of Challenge: as a scheme of
// HTTP, or, for a word that is not one, as the beginning of the header Authorization.
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
	Required bool   // the function must reject a request without it, or set it in every answer
}
