package export

import (
	"iter"
	"net/http"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/problem"
)

// Turns lets each caller have one export at a time, in this process. The zero value is ready, and it is safe for
// concurrent use. An anonymous caller is known by its address.
type Turns struct {
	mu    sync.Mutex
	taken map[fair.Client]bool
}

// Take begins an export of a client. end ends it. If the client has one already, the error is 429.
func (t *Turns) Take(client fair.Client) (end func(), err error) {
	client.Resource = ""
	if !client.Anonymous {
		client.Address = ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken[client] {
		return nil, inProgress()
	}
	if t.taken == nil {
		t.taken = map[fair.Client]bool{}
	}
	t.taken[client] = true
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.taken, client)
	}, nil
}

// During reads parts while a client has its export. If the client has another one, the first part is the error 429.
func (t *Turns) During(client fair.Client, parts iter.Seq2[jsontext.Value, error]) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		end, err := t.Take(client)
		if err != nil {
			yield(nil, err)
			return
		}
		defer end()
		parts(yield)
	}
}

// wait is the Retry-After of a second export, in seconds: how long an export lasts is not known.
const wait = "5"

func inProgress() *problem.Error {
	e := problem.Refuse(http.StatusTooManyRequests, problem.CodeExportInProgress,
		"Another export of yours is not done yet, and a caller has one at a time; wait until it is, or close its connection.")
	e.Header = map[string]string{problem.HeaderRetry: wait}
	return e
}
