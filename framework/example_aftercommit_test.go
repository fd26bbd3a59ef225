package framework_test

import (
	"context"
	"fmt"

	"trestle.example/framework"
)

// Work after the commit: a message about a new task. A task that is not stored causes no message.
func ExampleCall_afterCommit() {
	c, done := setup()
	defer done()
	api := framework.New(c)
	api.Register(framework.ViewSet[Task]{
		Name: "tasks", Verbs: framework.CRUD[TaskInput, TaskView](), Scope: framework.Public(),
	})
	add := func(c *framework.Call, text string) error {
		c.AfterCommit(func(c *framework.Call) error {
			tasks, err := framework.Find[TaskView](c, "tasks", nil)
			fmt.Println("a message about", text, "as one of", len(tasks))
			return err
		})
		return framework.Insert(c, &Task{Text: text})
	}

	call, err := api.NewCall(context.Background(), framework.CallOptions{})
	must(err)
	for range 2 { // the second text is taken
		err = call.InTx(func(c *framework.Call) error { return add(c, "Sow") })
		fmt.Println("stored:", err == nil)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	api.Run(over, func(err error) { fmt.Println(err) }) // as a server does when it stops
	// Unordered output:
	// stored: true
	// stored: false
	// a message about Sow as one of 1
}
