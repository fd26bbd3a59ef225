package access

import (
	"context"
	"net/http"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/state"
)

// furtherKey is the key of a context of [WithFurther], which has a further.
type furtherKey struct{}

// A further has schemes that run before those of one list. Lists are compared by identity, not by what they have.
type further struct {
	schemes []call.Authenticator
	before  state.List
}

// WithFurther returns the context of a request within this process. Further schemes may identify its caller too. They run
// before those of an API. An endpoint with schemes of its own, such as one that checks a signature, runs those alone. No request of
// a client has such a context.
func WithFurther(ctx context.Context, schemes, ofAPI []call.Authenticator) context.Context {
	return context.WithValue(ctx, furtherKey{}, further{schemes, listOf(ofAPI)})
}

// withFurther returns the schemes that run for a request.
func withFurther(r *http.Request, schemes []call.Authenticator) []call.Authenticator {
	f, _ := r.Context().Value(furtherKey{}).(further)
	if len(schemes) == 0 || f.before != listOf(schemes) {
		return schemes
	}
	return slices.Concat(f.schemes, schemes)
}
