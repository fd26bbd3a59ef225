package access

import (
	"context"
	"net/http"
	"slices"

	"trestle.example/framework/call"
)

// furtherKey is the key of a context of [WithFurther].
type furtherKey struct{}

// WithFurther returns the context of a request within this process. Further schemes may identify its caller too. They run
// before those of each endpoint that has schemes. No request of a client has such a context.
func WithFurther(ctx context.Context, schemes []call.Authenticator) context.Context {
	return context.WithValue(ctx, furtherKey{}, schemes)
}

// withFurther returns the schemes that run for a request.
func withFurther(r *http.Request, schemes []call.Authenticator) []call.Authenticator {
	further, _ := r.Context().Value(furtherKey{}).([]call.Authenticator)
	if len(further) == 0 || len(schemes) == 0 {
		return schemes
	}
	return slices.Concat(further, schemes)
}
