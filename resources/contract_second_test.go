//go:build libopenapi

package resources_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/helpers"

	"trestle.example/framework/frameworktest/contract"
)

// TestASecondOpinion validates requests and answers with an independent validator.
// It takes minutes to build, so it needs a build tag:
//
//	go test -tags libopenapi -run TestASecondOpinion ./resources
func TestASecondOpinion(t *testing.T) {
	seed := seedOf(t)
	peopled(t, func(w *world) {
		document, err := w.api.Document("json")
		w.must(err)
		read, err := libopenapi.NewDocument(document)
		w.must(err)
		judge, faults := validator.NewValidator(read, config.WithFormatAssertions())
		if len(faults) > 0 {
			w.t.Fatal(faults)
		}
		if ok, found := judge.ValidateDocument(); !ok {
			w.t.Errorf("the document is not one of OpenAPI 3.1: %v", found)
		}
		second := &opinion{t: w.t, judge: judge, next: http.DefaultTransport}
		tally := contract.Attack{
			Contract: promised(w.t, w.api, 0), URL: w.client.URL(), Seed: seed, Requests: 3000, Faultless: true, Transport: second,
			Only:    func(_, path string) bool { return !strings.HasPrefix(path, "/api/auth") },
			Callers: w.attackers(false), Known: w.known(), Unsaid: unsaid(),
		}.Run(w.t)
		w.t.Logf("seed %d, %d answers and %d requests judged; %s", seed, second.answers, second.requests, tally)
		if second.answers == 0 || second.requests == 0 {
			w.t.Error("nothing was judged")
		}
	})
}

// An opinion is what the validator says of what passes.
type opinion struct {
	t                 *testing.T
	judge             validator.Validator
	next              http.RoundTripper
	answers, requests int
}

// RoundTrip implements [http.RoundTripper].
func (o *opinion) RoundTrip(r *http.Request) (*http.Response, error) {
	var sent []byte
	if r.Body != nil {
		sent, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(sent))
	}
	response, err := o.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	asked := r.Clone(r.Context())
	asked.Body = io.NopCloser(bytes.NewReader(sent))
	told := *response
	told.Body = io.NopCloser(bytes.NewReader(got))
	o.judged(asked, &told, got)
	response.Body = io.NopCloser(bytes.NewReader(got))
	return response, nil
}

// judged validates an answer, and the request if it succeeded.
func (o *opinion) judged(r *http.Request, told *http.Response, got []byte) {
	_, faults := o.judge.ValidateHttpResponse(r, told)
	known := true
	for _, fault := range faults {
		if fault.ValidationType == helpers.PathValidation || strings.Contains(fault.Message, "not found") {
			known = false // the document has nothing of the kind
			continue
		}
		o.t.Errorf("%s %s %d: %s\n%s", r.Method, r.URL, told.StatusCode, fault.Error(), got)
	}
	if !known || r.Method == http.MethodHead {
		return
	}
	o.answers++
	if told.StatusCode >= http.StatusMultipleChoices || told.Header.Get("Trestle-Ignored") != "" {
		return
	}
	o.requests++
	_, faults = o.judge.ValidateHttpRequestSync(r)
	for _, fault := range faults {
		o.t.Errorf("%s %s %d is taken: %s\n%s", r.Method, r.URL, told.StatusCode, fault.Error(), got)
	}
}
