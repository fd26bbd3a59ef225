package contract

import (
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A Contract is an OpenAPI document to check traffic against. It is safe for concurrent
// use. It remembers valid bodies, so tests that share a contract check equal traffic
// faster.
type Contract struct {
	document   *tree
	operations []*operation
	headers    map[string]bool // described headers of any answer
	always     map[string]bool // headers of an answer that are required where they apply
	beside     []string
	valid      validBodies
	tight      bool                // rejected bodies are checked too
	unsaid     map[string][]string // if tight: the faults that no schema expresses

	mu       sync.Mutex // because a compiler is not safe for concurrent use
	requests *jsonschema.Compiler
	answers  *jsonschema.Compiler // with closed objects
	schemas  map[string]*jsonschema.Schema
}

// An operation is one method on one path.
type operation struct {
	id, method, path string
	place            string   // in the document, as a JSON Pointer
	segments         []string // of the path, without its slashes at both ends
	params           []param
	body             string // the place of the schema of its body, or ""
	needsBody        bool
	takesOther       bool // its body may be of another media type than JSON, such as a file
	answers          map[int]*answer
	security         [][]credential
}

// A param is a parameter of an operation.
type param struct {
	name, in string
	required bool
	list     bool   // several values, separated by commas
	schema   string // the place of its schema
	place    string
}

// An answer is the description of one status of an operation.
type answer struct {
	place   string
	headers map[string]bool
	always  []string          // the required headers
	content map[string]string // the places of schemas, by media type
	items   string            // the place of the schema of a line of NDJSON, "" without one
}

// A credential is one part of a security requirement.
type credential struct{ in, name, scheme string }

// methods are the methods that a document may describe.
var methods = []string{
	http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete, http.MethodOptions, http.MethodHead, http.MethodPatch, http.MethodTrace,
}

// The resources from which schemas are compiled. Requests are checked with the document
// as it is. Answers are checked with a document whose objects are closed.
const (
	requestSchemas = "contract:///requests.json"
	answerSchemas  = "contract:///answers.json"
)

// New reads an OpenAPI 3.1 document in JSON. A reference without a target and an invalid
// schema are errors. The contract does not cover what an API serves beside its resources:
// the document and its pages, the first page, and the pages that explain errors.
func New(document []byte) (*Contract, error) {
	doc, err := readTree(document)
	if err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	closed, err := readTree(document)
	if err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	closed.close()
	c := &Contract{document: doc, headers: map[string]bool{}, always: map[string]bool{}, schemas: map[string]*jsonschema.Schema{}}
	if c.requests, err = compiler(requestSchemas, doc); err != nil {
		return nil, err
	}
	if c.answers, err = compiler(answerSchemas, closed); err != nil {
		return nil, err
	}
	for path, item := range doc.object("/paths") {
		for name := range item.(map[string]any) {
			if method := strings.ToUpper(name); slices.Contains(methods, method) {
				c.operations = append(c.operations, c.operation(method, path, pointer("paths", path, name)))
			}
		}
	}
	slices.SortFunc(c.operations, func(a, b *operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	for name := range doc.object("/components/headers") {
		c.headers[http.CanonicalHeaderKey(name)] = true
		c.always[http.CanonicalHeaderKey(name)] = c.isRequired(pointer("components", "headers", name))
	}
	root := c.root()
	c.Beside("/", root+"errors/", root+"openapi.json", root+"openapi.yaml", root+"docs", root+"docs/")
	return c, c.compileAll()
}

// root returns the address of the API, which is the shortest path.
func (c *Contract) root() string {
	root := "/"
	for i, o := range c.operations {
		if i == 0 || len(o.path) < len(root) {
			root = o.path
		}
	}
	return root
}

// Beside adds paths that the server serves and the document does not describe, such as a
// health check. A path that ends in a slash includes all paths below it, except "/"
// itself. Call it before the contract is used. It returns the contract.
func (c *Contract) Beside(paths ...string) *Contract {
	c.beside = append(c.beside, paths...)
	return c
}

func compiler(at string, doc *tree) (*jsonschema.Compiler, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(at, doc.root); err != nil {
		return nil, fmt.Errorf("the document: %w", err)
	}
	return compiler, nil
}

func (c *Contract) operation(method, path, place string) *operation {
	o := &operation{method: method, path: path, place: place, segments: segments(path), answers: map[int]*answer{}}
	o.id, _ = c.document.at(place + "/operationId").(string)
	for i := range c.document.list(place + "/parameters") {
		o.params = append(o.params, c.param(c.document.follow(place+"/parameters/"+strconv.Itoa(i))))
	}
	if body := c.document.follow(place + "/requestBody"); c.document.at(body) != nil {
		o.needsBody, _ = c.document.at(body + "/required").(bool)
		for kind := range c.document.object(body + "/content") {
			if kind == jsonMedia {
				o.body = body + pointer("content", jsonMedia, "schema")
			} else {
				o.takesOther = true
			}
		}
	}
	for status := range c.document.object(place + "/responses") {
		if code, err := strconv.Atoi(status); err == nil {
			o.answers[code] = c.answer(c.document.follow(place + "/responses/" + status))
		}
	}
	o.security = c.security(place)
	return o
}

// jsonMedia is the media type of bodies that are checked against their schemas.
const jsonMedia = "application/json"

// ndjson is the media type of a stream with a JSON value on each line.
const ndjson = "application/x-ndjson"

func (c *Contract) param(place string) param {
	text := func(name string) string { value, _ := c.document.at(place + "/" + name).(string); return value }
	p := param{name: text("name"), in: text("in"), schema: place + "/schema", place: place}
	p.required, _ = c.document.at(place + "/required").(bool)
	explode, set := c.document.at(place + "/explode").(bool)
	p.list = c.document.at(p.schema+"/type") == "array" && set && !explode
	return p
}

func (c *Contract) answer(place string) *answer {
	a := &answer{place: place, headers: map[string]bool{}, content: map[string]string{}}
	for name := range c.document.object(place + "/headers") {
		a.headers[http.CanonicalHeaderKey(name)] = true
		c.headers[http.CanonicalHeaderKey(name)] = true
		if c.isRequired(place + pointer("headers", name)) {
			a.always = append(a.always, http.CanonicalHeaderKey(name))
		}
	}
	slices.Sort(a.always)
	for media := range c.document.object(place + "/content") {
		if a.content[media] = place + pointer("content", media, "schema"); c.document.at(a.content[media]) == nil {
			a.content[media] = "" // any bytes
		}
		if items := place + pointer("content", media, "x-itemSchema"); media == ndjson && c.document.at(items) != nil {
			a.items = items
		}
	}
	return a
}

// isRequired reports whether a header at a place is required.
func (c *Contract) isRequired(place string) bool {
	required, _ := c.document.at(c.document.follow(place) + "/required").(bool)
	return required
}

// security returns the security requirements; a request needs one of them.
func (c *Contract) security(place string) (ways [][]credential) {
	at := place + "/security"
	if c.document.at(at) == nil {
		at = "/security"
	}
	for _, way := range c.document.list(at) {
		var all []credential
		for _, name := range slices.Sorted(maps.Keys(way.(map[string]any))) {
			scheme := c.document.object(c.document.follow(pointer("components", "securitySchemes", name)))
			text := func(name string) string { value, _ := scheme[name].(string); return value }
			all = append(all, credential{text("in"), text("name"), text("scheme")})
		}
		ways = append(ways, all)
	}
	return ways
}

// compileAll finds invalid schemas now instead of during a check.
func (c *Contract) compileAll() error {
	for _, o := range c.operations {
		for _, place := range o.schemas() {
			if _, err := c.schema(requestSchemas, place); err != nil {
				return fmt.Errorf("%s %s: %w", o.method, o.path, err)
			}
		}
		for _, a := range o.answers {
			for _, place := range a.places() {
				if _, err := c.schema(answerSchemas, place); err != nil {
					return fmt.Errorf("%s %s: %w", o.method, o.path, err)
				}
			}
		}
	}
	return nil
}

// places returns the places of the schemas of the answer.
func (a *answer) places() []string {
	places := slices.DeleteFunc(slices.Collect(maps.Values(a.content)), func(place string) bool { return place == "" })
	if a.items != "" {
		places = append(places, a.items)
	}
	return places
}

// schemas returns the places of the schemas for requests of the operation.
func (o *operation) schemas() (places []string) {
	if o.body != "" {
		places = append(places, o.body)
	}
	for _, p := range o.params {
		places = append(places, p.schema)
	}
	return places
}

// schema returns the compiled schema at a place of one of the two resources.
func (c *Contract) schema(from, place string) (*jsonschema.Schema, error) {
	at := from + "#" + place
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.schemas[at]; known != nil {
		return known, nil
	}
	compiler := c.requests
	if from == answerSchemas {
		compiler = c.answers
	}
	compiled, err := compiler.Compile(at)
	if err == nil {
		c.schemas[at] = compiled
	}
	return compiled, err
}

// find returns the operation of a method and a path, or nil. A path without parameters comes before
// one with parameters, whatever their methods are (OpenAPI 3.1, section 4.8.8). The trailing slash
// of a path does not matter, and HEAD uses the operation of GET.
func (c *Contract) find(method, path string) *operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	asked, best, most := segments(path), (*operation)(nil), -1
	for _, o := range c.operations {
		if !o.matches(asked) || o.literal() < most {
			continue
		}
		if o.literal() > most {
			best, most = nil, o.literal()
		}
		if o.method == method && best == nil {
			best = o
		}
	}
	return best
}

func (o *operation) matches(asked []string) bool {
	return slices.EqualFunc(o.segments, asked, func(segment, given string) bool {
		return segment == given || isPlace(segment) && given != ""
	})
}

// literal counts the segments that are not parameters.
func (o *operation) literal() (n int) {
	for _, segment := range o.segments {
		if !isPlace(segment) {
			n++
		}
	}
	return n
}

func isPlace(segment string) bool {
	return strings.HasPrefix(segment, "{") && strings.HasSuffix(segment, "}")
}

func segments(path string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
}

// isBeside reports whether a path is not covered by the document.
func (c *Contract) isBeside(path string) bool {
	return slices.ContainsFunc(c.beside, func(known string) bool {
		return path == known || known != "/" && strings.HasSuffix(known, "/") && strings.HasPrefix(path, known)
	})
}

// media returns a media type without its parameters.
func media(header http.Header) string {
	value, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return header.Get("Content-Type")
	}
	return value
}
