// Permission shows a permission of one's own: articles may be read by anyone,
// written by callers that signed in, and published in office hours only.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// OfficeHours permits what p permits, from 9 to 17 o'clock UTC.
type OfficeHours struct{ framework.Permission }

// Permit implements [framework.Permission].
func (o OfficeHours) Permit(c *framework.Call) bool {
	hour := c.Now.Hour()
	return hour >= 9 && hour < 17 && o.Permission.Permit(c)
}

// String implements [framework.Permission].
func (o OfficeHours) String() string { return o.Permission.String() + " in office hours" }

// An Article is drafted first and published later.
type Article struct {
	bun.BaseModel `bun:"table:articles"`

	ID        uuid.UUID `bun:",pk"`
	Title     string
	Published bool
}

// ArticleInput is what clients write.
type ArticleInput struct {
	Title string `json:"title" validate:"required,line,max=200"`
}

// ArticleView is what clients see.
type ArticleView struct {
	ID uuid.UUID `json:"id"`
	ArticleInput
	Published bool `json:"published"`
}

// Articles serves /api/articles/.
var Articles = framework.ViewSet[Article]{
	Name:       "articles",
	Verbs:      framework.CRUD[ArticleInput, ArticleView](),
	Scope:      framework.Public(),
	Permission: framework.OrReadOnly(framework.Authenticated()),
	Actions: []framework.Action[Article]{
		framework.Post("publish", publish).Permit(OfficeHours{framework.Authenticated()}).Refuses("already_published"),
	},
}

// publish serves POST /articles/{id}/publish/, inside a transaction.
func publish(c *framework.Call, a *Article, _ framework.None) (ArticleView, error) {
	if a.Published {
		return ArticleView{}, framework.Conflict("already_published", "This article is published already.")
	}
	a.Published = true
	return ArticleView{a.ID, ArticleInput{a.Title}, a.Published}, framework.Save(c, a)
}

// Gatekeeper authenticates one caller by one header; a real program uses auth.Token.
type Gatekeeper struct{}

// Authenticate implements [framework.Authenticator].
func (Gatekeeper) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	switch r.Header.Get("X-Door") {
	case "":
		return nil, nil
	case "open sesame":
		return &framework.Caller{ID: uuid.NewSHA1(uuid.Nil, []byte("ali")), Name: "Ali", Scheme: "Cave"}, nil
	}
	return nil, framework.InvalidCredentials("That is not the word.")
}

// Challenge implements [framework.Authenticator].
func (Gatekeeper) Challenge() string { return `Cave realm="articles"` }

func main() {
	handler, err := serve(filepath.Join(os.TempDir(), "trestle-articles.db"), time.Now)
	if err != nil {
		log.Fatal(err)
	}
	log.Println("http://localhost:8080/api/articles/")
	server := &http.Server{Addr: "localhost:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// serve opens the database and returns the API; now is its clock.
func serve(file string, now func() time.Time) (http.Handler, error) {
	db, err := sqldb.Open("sqlite://"+file, sqldb.Options{})
	if err != nil {
		return nil, err
	}
	if _, err := db.NewCreateTable().Model((*Article)(nil)).IfNotExists().Exec(context.Background()); err != nil {
		return nil, err
	}
	if err := db.Migrate(context.Background(), nil, framework.Migrations()); err != nil {
		return nil, err
	}
	api := framework.New(framework.Config{
		DB: db, Now: now, Pagination: page.Number{Size: 20},
		Authentication: []framework.Authenticator{Gatekeeper{}},
		Codes: []framework.CodeInfo{{
			Code: "already_published", Status: http.StatusConflict, Title: "Published already",
			Text: "An article is published once. Edit it instead.",
		}},
	})
	api.Register(Articles)
	return api.Handler()
}
