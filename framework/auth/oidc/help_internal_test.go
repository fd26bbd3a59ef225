package oidc

import "encoding/json"

// decodes returns the decoder of a token with these claims.
func decodes(token string) decoder {
	return func(v any) error { return json.Unmarshal([]byte(token), v) }
}
