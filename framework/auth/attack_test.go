package auth_test

import (
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest/contract"
)

// TestTheEndpointsFollowTheirDocument sends requests that are generated from the OpenAPI
// document. No fault is excused: every valid request must be accepted as valid.
func TestTheEndpointsFollowTheirDocument(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		contract.Attack{
			Contract: d.promised, URL: d.URL(), Seed: 5, Requests: 400,
			Callers: map[string]func(string, string) http.Header{
				"nobody": func(string, string) http.Header { return http.Header{} },
				"a user": func(string, string) http.Header {
					return http.Header{"Authorization": {"Token " + d.token(user)}}
				},
			},
			Known: map[string][]string{"password": {`"` + goodPassword + `"`}},
		}.Run(d.T)
	})
}

// TestTheAccountEndpointsFollowTheirDocument does the same for the endpoints that are off by
// default. No document has the current password, which is generated, and wrong: nothing is excused.
func TestTheAccountEndpointsFollowTheirDocument(t *testing.T) {
	options := auth.AccountOptions{Change: true, Reset: true, Verify: true}
	inOffice(t, options, func(own *auth.Config, common *framework.Config) {
		unlimited(own, common)
		own.Usernames = true
	}, func(o *office) {
		user := o.user("asha@example.com")
		contract.Attack{
			Contract: o.promised, URL: o.URL(), Seed: 5, Requests: 400,
			Callers: map[string]func(string, string) http.Header{
				"nobody": func(string, string) http.Header { return http.Header{} },
				"a user": func(string, string) http.Header {
					return http.Header{"Authorization": {"Token " + o.token(user)}}
				},
			},
			Known: map[string][]string{"password": {`"` + goodPassword + `"`}},
		}.Run(o.T)
	})
}
