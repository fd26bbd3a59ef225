package framework_test

import (
	"testing"

	"trestle.example/framework"
)

// TestThrottlesOfEveryMethod: throttles also count a method that is not offered, and
// OPTIONS.
func TestThrottlesOfEveryMethod(t *testing.T) {
	for _, method := range []string{"GET", "HEAD", "POST", "OPTIONS", "DELETE", "TRACE", "MADEUP"} {
		t.Run(method, func(t *testing.T) {
			first := &turnstile{free: 2}
			c := config(sqlite(t))
			c.Throttles = []framework.Throttle{first}
			ada := serve(t, c, countries()).as("ada")
			for range 2 {
				if a := ada.do(method, "/api/countries/", fields{}); a.status == 429 {
					a.failf("the first two calls are let in")
				}
			}
			ada.do(method, "/api/countries/", fields{}).is(429).head("Retry-After", "1")
			if len(first.calls) != 3 {
				t.Errorf("asked for %v", first.calls)
			}
		})
	}
	t.Run("an action's path has the throttles of its viewset for other methods", func(t *testing.T) {
		c, v := config(sqlite(t)), books()
		c.Throttles = []framework.Throttle{&turnstile{}}
		v.Actions = []framework.Action[Book]{framework.Post("lend", lend).Throttle()}
		ada := serve(t, c, countries(), authors(), v).as("ada")
		path := "/api/books/" + missing + "/lend/"
		ada.post(path, nil).refuses(404, "not_found")
		ada.get(path).refuses(429, "rate_limited")
		ada.do("OPTIONS", path, nil).refuses(429, "rate_limited")
	})
}

// TestAllowOfARejectedCaller: a rejected caller gets no list of methods.
func TestAllowOfARejectedCaller(t *testing.T) {
	v := countries()
	v.Permission = framework.Staff()
	api := serve(t, config(sqlite(t)), v)
	for _, path := range []string{"/api/countries/", "/api/countries/" + missing + "/"} {
		for _, method := range []string{"GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS", "TRACE", "MADEUP"} {
			api.do(method, path, fields{}).is(401).head("Allow", "")
			api.as("nobody").do(method, path, fields{}).is(401).head("Allow", "")
			api.as("ada").do(method, path, fields{}).is(403).head("Allow", "")
		}
	}
	eve := api.as("eve")
	eve.get("/api/countries/").is(200).head("Allow", "GET, HEAD, POST, OPTIONS")
	eve.do("TRACE", "/api/countries/", nil).is(405).head("Allow", "GET, HEAD, POST, OPTIONS")
	eve.post("/api/countries/", fields{}).is(400).head("Allow", "GET, HEAD, POST, OPTIONS")
	eve.get("/api/countries/"+missing+"/").is(404).head("Allow", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
}

// TestOptionsOfARejectedCaller: they have no parameters, because parameters reveal what
// the rows contain.
func TestOptionsOfARejectedCaller(t *testing.T) {
	v := books()
	v.Verbs.List = v.Verbs.List.Permit(framework.Staff())
	api := serve(t, config(sqlite(t)), countries(), authors(), v)
	for caller, wanted := range map[string]bool{"ada": false, "eve": true} {
		var d described
		api.as(caller).do("OPTIONS", "/api/books/", nil).is(200).json(&d)
		if _, told := d.Actions["GET"]; told != wanted || (d.parameter("GET", "search") != nil) != wanted {
			t.Errorf("%s is told of %v", caller, d.Actions)
		}
		if d.Actions["POST"].Body == nil {
			t.Errorf("%s may add books and is not told how", caller)
		}
	}
}

// TestOptionsOfAnAction: its path is described in its own words, and by the
// parameters that it reads.
func TestOptionsOfAnAction(t *testing.T) {
	v := books()
	v.Actions = []framework.Action[Book]{framework.Post("lend", lend).Doc("Lends the book."), framework.Post("burn", lend)}
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "aloud", func(_ *framework.Call, in span) (span, error) { return in, nil }).Doc("Reads aloud."),
	}
	ada := serve(t, config(sqlite(t)), countries(), authors(), v).as("ada")
	for path, want := range map[string]string{
		"/api/books/" + missing + "/lend/": "Lends the book.", "/api/books/" + missing + "/burn/": "Books of one's own.",
		"/api/books/aloud/": "Reads aloud.", "/api/books/": "Books of one's own.",
	} {
		var d described
		if ada.do("OPTIONS", path, nil).is(200).json(&d); d.Description != want {
			t.Errorf("%s is described as %q, want %q", path, d.Description, want)
		}
	}
	var d described
	ada.do("OPTIONS", "/api/books/aloud/", nil).json(&d)
	if voice := d.parameter("GET", "voice"); voice == nil || len(voice.Enum) != 2 {
		t.Errorf("the parameters are %+v", d.Actions)
	}
}
