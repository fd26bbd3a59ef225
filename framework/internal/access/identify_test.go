package access

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/call"
)

// answering is a scheme whose answers come in turn; the last one stays.
type answering struct{ answers *[]any }

func (answering) Challenge() string { return "" }

func (a answering) Authenticate(*call.Call, *http.Request) (*call.Caller, error) {
	next := (*a.answers)[0]
	if len(*a.answers) > 1 {
		*a.answers = (*a.answers)[1:]
	}
	if err, failed := next.(error); failed {
		return nil, err
	}
	return next.(*call.Caller), nil
}

// TestIdentifyAgain: the schemes that identified the caller do not run again; schemes that
// failed do.
func TestIdentifyAgain(t *testing.T) {
	ann, bob, fault := &call.Caller{ID: uuid.New()}, &call.Caller{ID: uuid.New()}, errors.New("no database")
	for about, c := range map[string]struct {
		answers []any
		want    []any // after each of two calls: an error, or the caller
	}{
		"a caller is identified once":           {[]any{ann, bob}, []any{ann, ann}},
		"an error comes again":                  {[]any{fault}, []any{fault, fault}},
		"a caller is identified after an error": {[]any{fault, bob}, []any{fault, bob}},
	} {
		t.Run(about, func(t *testing.T) {
			schemes := []call.Authenticator{answering{&c.answers}}
			to := &call.Call{}
			for i, want := range c.want {
				err := Identify(to, &http.Request{}, schemes)
				if want == any(fault) {
					if !errors.Is(err, fault) {
						t.Errorf("%d: the error is %v", i, err)
					}
				} else if err != nil || to.Caller != want {
					t.Errorf("%d: the caller is %v, %v", i, to.Caller, err)
				}
			}
		})
	}
}

// TestIdentifyByOtherSchemes: a part of a list of schemes is another list.
func TestIdentifyByOtherSchemes(t *testing.T) {
	none, ann := []any{(*call.Caller)(nil)}, []any{&call.Caller{ID: uuid.New()}}
	all := []call.Authenticator{answering{&none}, answering{&ann}}
	to := &call.Call{}
	for _, c := range []struct {
		about     string
		schemes   []call.Authenticator
		anonymous bool
	}{
		{"all schemes", all, false}, {"the first alone", all[:1], true}, {"the second alone", all[1:], false}, {"no scheme", nil, true},
	} {
		if err := Identify(to, &http.Request{}, c.schemes); err != nil || to.Caller.Anonymous() != c.anonymous {
			t.Errorf("%s: %v, %v", c.about, to.Caller, err)
		}
	}
}
