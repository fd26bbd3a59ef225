package framework_test

import (
	"net/http"
	"time"

	"trestle.example/framework"
)

// weekdays is a permission of one's own.
type weekdays struct{}

func (weekdays) Permit(c *framework.Call) bool {
	day := c.Now.Weekday()
	return day != time.Saturday && day != time.Sunday
}

func (weekdays) String() string { return "on weekdays" }

// A permission of one's own, combined with a built-in one.
func ExamplePermission() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	c.Now = func() time.Time { return time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC) } // a Sunday
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Permission: framework.OrReadOnly(framework.All(framework.Authenticated(), weekdays{})),
	})
	ask("GET /api/tasks/")
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	// Output:
	// 200 {"count":0,"next":null,"previous":null,"results":[]}
	// 403 {"detail":"You are signed in but have no permission to do this; it needs the permission \"reading, else (authenticated and on weekdays)\"."}
}

// doorman is an authenticator of one's own: it knows one word.
type doorman struct{}

func (doorman) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	switch r.Header.Get("X-Word") {
	case "":
		return nil, nil
	case "swordfish":
		return callers["ada"], nil
	}
	return nil, framework.InvalidCredentials("That is not the word.")
}

func (doorman) Challenge() string { return "Word" }

// An authenticator of the program: a request without credentials is anonymous, and wrong
// credentials are an error.
func ExampleAuthenticator() {
	c, done := setup()
	defer done()
	c.ErrorShape, c.Authentication = framework.DRFShape{}, []framework.Authenticator{doorman{}}
	v := framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public(), Permission: framework.Authenticated()}
	ask := serving(c, v)
	ask("GET /api/tasks/")
	ask("GET /api/tasks/ as ada") // an Authorization header that no scheme here knows
	// Output:
	// 401 {"detail":"This needs credentials, and the request carries none."}
	// 401 {"detail":"The header Authorization holds no credentials of a kind that is accepted here; send Word, a space and the credentials."}
}

// once is a throttle of one's own: the first call passes.
type once struct{ used bool }

func (o *once) Allow(*framework.Call, *http.Request) (time.Duration, error) {
	if o.used {
		return 90 * time.Second, nil
	}
	o.used = true
	return 0, nil
}

func (*once) String() string { return "once" }

// A throttle of one's own says how long to wait.
func ExampleThrottle() {
	c, done := setup()
	defer done()
	c.ErrorShape, c.Throttles = framework.DRFShape{}, []framework.Throttle{&once{}}
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Verbs: framework.ReadOnly[TaskView](), Scope: framework.Public()})
	ask("GET /api/tasks/")
	ask("GET /api/tasks/")
	// Output:
	// 200 {"count":0,"next":null,"previous":null,"results":[]}
	// 429 {"detail":"Too many requests; try again in 90 s."}
}

// One verb differs from its viewset.
func ExampleVerb_Permit() {
	c, done := setup()
	defer done()
	c.ErrorShape = framework.DRFShape{}
	verbs := framework.CRUD[TaskInput, TaskView]()
	verbs.Create = verbs.Create.Permit(framework.Staff())
	ask := serving(c, framework.ViewSet[Task]{Name: "tasks", Verbs: verbs, Scope: framework.Public()})
	ask("POST /api/tasks/ as ada", `{"text": "Sow"}`)
	ask("POST /api/tasks/ as eve", `{"text": "Sow"}`)
	ask("DELETE /api/tasks/1/ as ada")
	// Output:
	// 403 {"detail":"You are signed in but have no permission to do this; it is for staff."}
	// 201 {"id":1,"text":"Sow","done":false}
	// 204
}
