package verb

import (
	"errors"
	"net/http"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/body"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/moving"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/signature"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/translate"
	"trestle.example/framework/problem"
)

// A Handler runs the requests of an endpoint.
type Handler struct{ *table.Endpoint }

// NewHandler makes the handler of an endpoint.
func NewHandler(e *table.Endpoint) Handler { return Handler{e} }

// Keys are the keys in a path as text: those of the rows above, in order, the key of the row, and
// the second key. A key that the path lacks is "".
type Keys struct {
	Above      []string
	Row, Other string
}

// Handle answers one request: it checks access and preconditions, reads the request, and calls
// Serve. A key in the path that cannot be parsed is the error 404. Handle translates errors of the
// database from Serve for the client. A 401 names the accepted schemes. An error, or a panic, may lack headers of Sends: see withhold.
func (e Handler) Handle(c *call.Call, r *http.Request, keys Keys) (*table.Response, error) {
	answered := false
	defer func() {
		if !answered {
			e.withhold(c)
		}
	}()
	resp, err := e.handle(c, r, keys)
	answered = err == nil
	return resp, err
}

// withhold removes the headers of Sends if the call noted rows whose reads are recorded. The headers may show these rows, and an
// error has no entry.
func (e Handler) withhold(c *call.Call) {
	if len(state.Of(c).Progress.Read) > 0 {
		for _, h := range e.Sends {
			c.Header().Del(h.Name)
		}
	}
}

func (e Handler) handle(c *call.Call, r *http.Request, keys Keys) (*table.Response, error) {
	signed := isSigned(e.Endpoint, r)
	if err := e.admit(c, r, signed); err != nil {
		return nil, describe.NewOperation(e.Endpoint).Forbidding(err)
	}
	req := &table.Request{HTTP: r, Signed: signed, Changes: e.ByWriters, ByReaders: e.ByReaders}
	if err := e.choose(c, req); err != nil {
		return nil, err
	}
	if err := e.precondition(req); err != nil {
		return nil, err
	}
	Charge(c, e.Route.ViewSet)
	err := e.readKeys(req, keys)
	if err != nil {
		return nil, err
	}
	if req.Query, err = input.ReadQuery(r); err != nil {
		return nil, err
	}
	if err := e.checkQuery(c, req); err != nil {
		return nil, err
	}
	memory := e.Resource.API.Bodies.For(fair.ClientOf(c))
	defer memory.End()
	if req.Body, err = body.Read(e.Endpoint, r, memory); err != nil {
		return nil, err
	}
	if req.IdempotencyKey, err = e.idempotencyKey(c, r); err != nil {
		return nil, err
	}
	resp, err := e.Serve(c, req)
	resp, err = e.present(c, resp, e.withCurrent(c, req, e.notYours(c, req, err)), func(err error) error { return e.translated(c, req, err) })
	if err != nil {
		return resp, err
	}
	return e.send(c, req, resp)
}

// send leaves out the body that the client does not want, and records the rows that the answer shows. The answer that is stored for an
// Idempotency-Key shows its rows to repeated requests, which read no rows, so they are recorded when it is stored, even without a body.
func (e Handler) send(c *call.Call, req *table.Request, resp *table.Response) (sent *table.Response, err error) {
	if sent = resp; e.MayLackBody() && prefer.Minimal(req.HTTP.Header.Values(prefer.Header)) {
		sent = withoutBody(c, resp)
	}
	switch {
	case e.Record == nil, resp.Recorded:
		return sent, nil
	case req.IdempotencyKey != "":
		return sent, e.Record(c, req, resp)
	}
	return sent, e.Record(c, req, sent)
}

// withoutBody is the answer to a write whose client prefers none: it has the same headers, and 204 instead of 200. The answer that is
// stored for an Idempotency-Key has the body, so a repeated request chooses for itself.
func withoutBody(c *call.Call, resp *table.Response) *table.Response {
	c.Header().Set(prefer.HeaderApplied, prefer.ReturnMinimal)
	short := &table.Response{Status: resp.Status, Created: resp.Created}
	if short.Status == http.StatusOK {
		short.Status = http.StatusNoContent
	}
	return short
}

// translated turns an error of a request into the error for the client.
func (e Handler) translated(c *call.Call, req *table.Request, err error) error {
	return ignored.Suggest(c, e.placed(e.challenged(translate.Error(c, e.Endpoint, err, e.BodyIn.Input(req.Body)))))
}

// present finishes an answer and sets its ETag. It translates an
// error for the client, and arranges that the later errors of an answer in parts are translated
// too.
func (e Handler) present(c *call.Call, resp *table.Response, err error, translated func(error) error) (*table.Response, error) {
	if err != nil {
		return nil, translated(err)
	}
	if resp.Parts != nil {
		resp.Parts.Translate = translated
	}
	if err := e.finish(c, resp); err != nil {
		return nil, err
	}
	return resp, e.tag(c, resp)
}

// finish hides members from the caller, and gives an answer the names of its members and the member
// around it.
func (e Handler) finish(c *call.Call, resp *table.Response) error {
	if err := e.hide(c, resp); err != nil {
		return err
	}
	if err := resp.Rename(e.Names); err != nil {
		return err
	}
	if e.AnswerIn != "" && e.Pagination == nil {
		return resp.Wrap(e.AnswerIn)
	}
	return nil
}

// readKeys parses the keys in the path.
func (e Handler) readKeys(req *table.Request, keys Keys) (err error) {
	if req.Above, err = nested.ReadKeys(e.Resource, keys.Above); err != nil || !e.OnObject {
		return err
	}
	ok := true
	if !e.Resource.Declaration.Single {
		req.Key, ok = datatype.ParseKey(e.Resource.Key.IndirectType, keys.Row)
	}
	if ok && e.OtherKey != nil {
		req.Other, ok = datatype.ParseKey(e.OtherKey.IndirectType, keys.Other)
	}
	if !ok {
		return problem.NotFound()
	}
	return nil
}

// choose chooses the media type of an answer that is sent in parts by the header Accept.
func (e Handler) choose(c *call.Call, req *table.Request) (err error) {
	if e.Exports != nil { // the list chooses, because a parameter has precedence
		c.Header().Add("Vary", "Accept")
	}
	if e.Parts == nil {
		return nil
	}
	if e.Parts.Negotiates() { // for caches
		c.Header().Add("Vary", "Accept")
	}
	if req.Format, err = e.Parts.Choose(req.HTTP); err != nil || req.Format == nil {
		return err
	}
	state.Of(c).Media = req.Format.Media()
	return nil
}

// checkQuery checks the signature of a signed URL, and the parameters of an endpoint that does not
// read them itself.
func (e Handler) checkQuery(c *call.Call, r *table.Request) error {
	if r.Signed {
		if err := e.File.CheckSigned(r, r.Query); err != nil {
			return err
		}
	}
	if e.Asks {
		return nil
	}
	return e.IgnoreQuery(c, r.Query)
}

// isSigned reports whether a request for a file has a signature instead of credentials.
func isSigned(e *table.Endpoint, r *http.Request) bool {
	return e.File != nil && e.File.SignFor > 0 && !e.IsWrite() && r.URL.Query().Has(signature.ParamSignature)
}

// admit runs the access check. A request with a signature needs no caller and no permission: only
// the throttles count it.
func (e Handler) admit(c *call.Call, r *http.Request, signed bool) error {
	if signed {
		return access.Check{Throttles: e.Throttles, Permission: access.Anyone()}.Admit(c, r)
	}
	return e.Admit(c, r)
}

// challenged adds the challenges of the endpoint's authenticators, as WWW-Authenticate, to a
// 401 that lacks this header. If no authenticator has a challenge, it adds nothing. It returns
// other errors unchanged.
func (e Handler) challenged(err error) error {
	var refusal *problem.Error
	if errors.As(err, &refusal) && refusal.Status == http.StatusUnauthorized && refusal.Header[problem.HeaderChallenge] == "" {
		return access.Challenged(refusal, e.Authentication)
	}
	return err
}

// Charge makes the fair queue charge the statements of a call to its caller, its address and a
// viewset.
func Charge(c *call.Call, viewset string) {
	client := fair.Client{Anonymous: c.Caller.Anonymous(), Address: fair.Network(c.Address), Resource: viewset}
	if !client.Anonymous {
		client.Caller = c.Caller.IDText()
	}
	moving.Replace(&c.Context, fair.With(moving.Now(c.Context), client))
}
