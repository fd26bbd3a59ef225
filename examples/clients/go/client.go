// Package client calls a Trestle server. It is generated from the server's own
// reference but for this file, which adds what makes it pleasant to use.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// New makes a client of the server at a URL such as http://127.0.0.1:8080, which
// sends the token with every request, unless it is "". A client is safe for
// concurrent use.
func New(server, token string) (*ClientWithResponses, error) {
	identify := func(_ context.Context, r *http.Request) error {
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	return NewClientWithResponses(server, WithRequestEditorFn(identify))
}

// ByEmail are credentials with an e-mail address.
func ByEmail(email, password string) (CredentialsInput, error) {
	var in CredentialsInput
	err := in.FromEmailCredentialsInput(EmailCredentialsInput{Email: email, Password: password})
	return in, err
}

// Error implements error: it returns the status, the code and the sentence.
func (p *Problem) Error() string {
	return fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail)
}

// Details reads the facts that go with the code of a problem, such as
// [CancelDetails] with order_not_cancellable: check the code first.
func Details[T any](p *Problem) (T, error) {
	var facts T
	if err := json.Unmarshal(p.Details, &facts); err != nil {
		return facts, fmt.Errorf("the details of %s are no %T: %w", p.Code, facts, err)
	}
	return facts, nil
}
