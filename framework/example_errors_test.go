package framework_test

import (
	"errors"
	"fmt"
	"strings"

	"trestle.example/framework"
)

// refusing is a viewset with one action, which answers with err.
func refusing(err error) framework.ViewSet[Task] {
	return framework.ViewSet[Task]{Name: "tasks", Scope: framework.Public(), Collection: []framework.CollectionAction{
		framework.OnCollection("POST", "try", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, err }),
	}}
}

// plain is an error shape of one's own: one line of text in JSON.
type plain struct{}

func (plain) Shape(p framework.Problem) (string, any) {
	line := []string{fmt.Sprintf("%d %s: %s", p.Status, p.Code, p.Detail)}
	for _, f := range p.Faults {
		line = append(line, fmt.Sprintf("[%s%s %s]", f.Pointer, f.Parameter, f.Detail))
	}
	return "application/json", strings.Join(line, " ")
}

// An error with a code of the program. Only the log has the cause.
func ExampleRefuse() {
	c, done := setup()
	defer done()
	c.ErrorShape = plain{}
	ask := serving(c, refusing(framework.Refuse(422, "too_late", "The sun is down.").Because(errors.New("lux was 3"))))
	ask("POST /api/tasks/try/")
	// Output:
	// 422 "422 too_late: The sun is down."
}

// An error that lists the faults of the body with their places.
func ExampleInvalid() {
	c, done := setup()
	defer done()
	c.ErrorShape = plain{}
	ask := serving(c, refusing(framework.Invalid(
		framework.Fault{Pointer: "/from", Code: "past", Detail: "must not be in the past"},
		framework.Fault{Pointer: "/lines/0/amount", Code: "stock", Detail: "must be at most 3"},
	)))
	ask("POST /api/tasks/try/")
	// Output:
	// 400 "400 validation_failed: The body is not valid; errors names each fault. [/from must not be in the past] [/lines/0/amount must be at most 3]"
}

// The body of errors is pluggable; two shapes come with the framework.
func ExampleErrorShape() {
	for _, shape := range []framework.ErrorShape{framework.ProblemJSON{}, framework.DRFShape{}, plain{}} {
		problem := framework.Problem{Error: framework.NotFound(), Type: "https://example.org/errors/not_found", Title: "Not found"}
		mediaType, body := shape.Shape(problem)
		fmt.Printf("%s %.60v\n", mediaType, strings.TrimPrefix(fmt.Sprintf("%v", body), "{"))
	}
	// Output:
	// application/problem+json https://example.org/errors/not_found Not found 404 Nothing i
	// application/json map[detail:Nothing is here, or it is not yours to see.]
	// application/json 404 not_found: Nothing is here, or it is not yours to see.
}

// A unique constraint in words of one's own.
func ExampleUnique() {
	c, done := setup()
	defer done()
	c.ErrorShape = plain{}
	ask := serving(c, framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
		Uniques: []framework.Unique{{Fields: []string{"text"}, Code: "known_task", Detail: "This is on the list already."}},
	})
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	ask("POST /api/tasks/", `{"text": "Sow"}`)
	// Output:
	// 201 {"id":1,"text":"Sow","done":false}
	// 409 "409 known_task: This is on the list already. [/text must be unique]"
}
