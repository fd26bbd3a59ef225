package framework_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// A client that got no answer sends the same request again, with the same key,
// and the work is done once.
func ExampleVerb_Idempotent() {
	c, done := setup()
	defer done()
	must(c.DB.Migrate(context.Background(), nil, framework.Migrations()))
	add := func(c *framework.Call, in TaskInput) (TaskView, error) {
		t := Task{Text: in.Text, OwnerID: framework.IDOf[uuid.UUID](c)}
		err := framework.Insert(c, &t)
		return TaskView{t.ID, in}, err
	}
	api := framework.New(c)
	api.Register(framework.ViewSet[Task]{
		Name: "tasks", Scope: framework.Public(),
		Verbs: framework.Verbs{Create: framework.Does(add).Idempotent()},
	})
	handler, err := api.Handler()
	must(err)
	for _, body := range []string{`{"text": "Sow"}`, `{"text": "Sow"}`, `{"text": "Reap"}`} {
		r := httptest.NewRequest(http.MethodPost, "/api/tasks/", strings.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Authorization": {"Name ada"}, "Idempotency-Key": {"8e03978e"}}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		var answer struct{ ID int64 }
		_ = json.Unmarshal(w.Body.Bytes(), &answer)
		fmt.Fprintf(os.Stdout, "%d: task %d, replayed %q\n", w.Code, answer.ID, w.Header().Get("Idempotent-Replayed"))
	}
	// Output:
	// 201: task 1, replayed ""
	// 201: task 1, replayed "true"
	// 422: task 0, replayed ""
}
