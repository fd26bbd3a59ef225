package scaffold

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework/program/internal/exit"
)

// shelf is a project with two resources. One has no function for the tests.
var shelf = fstest.MapFS{
	"go.mod":                      {Data: []byte("module shelf.example\n")},
	"migrations/0007_a.tx.up.sql": {},
	"resources.go":                {Data: []byte("package main\n\nfunc register() { api.Register(Books) }\n")},
	"books.go": {Data: []byte("package main\n\ntype Book struct {\n\tbun.BaseModel `bun:\"table:old_books,alias:b\"`\n}\n\n" +
		"var Books = framework.ViewSet[Book]{Name: \"books\"}\n\nconst PenView = 1\n\nfunc Loans() framework.ViewSet[Loan] { return framework.ViewSet[Loan]{Name: \"loans\"} }\n\ntype Loan struct{}\n")},
	"books_test.go": {Data: []byte("package main\n\nfunc newBook() {}\n")},
}

func TestMistakesInAResource(t *testing.T) {
	t.Parallel()
	into, err := readSource(shelf)
	if err != nil {
		t.Fatal(err)
	}
	for words, says := range map[string]string{
		"Review title:string":                        `the resource "Review": a name is lower-case letters, digits and underscores`,
		"9lives title:string":                        `the resource "9lives": a name is lower-case letters`,
		"a-b title:string":                           `the resource "a-b": a name is lower-case letters`,
		"../x title:string":                          `the resource "../x": a name is lower-case letters`,
		"select title:string":                        `the resource "select": this is a reserved word of SQL; choose another, such as select_name`,
		"sheep title:string":                         `its plural is equal to its singular`,
		"book title:string":                          `the resource "book": the project has a resource "books" already`,
		"books title:string":                         `the resource "book": the project has a resource "books" already`,
		"pen title:string":                           `the resource "pen": books.go declares PenView already; choose another name`,
		"app_window title:string":                    `Go compiles a file app_windows.go for one system alone`,
		"auth_user title:string":                     `the framework has a table or a page of the name "auth_users"; choose another name`,
		"idempotency_key title:string":               `the framework has a table or a page of the name "idempotency_keys"`,
		"doc title:string":                           `the framework has a table or a page of the name "docs"`,
		"error title:string":                         `the framework has a table or a page of the name "errors"`,
		"review":                                     `the resource "review" has no fields; give at least one, such as title:string`,
		"review title":                               `the field "title" has no type; write it as title:string`,
		"review title:":                              `the field "title:" has no type; write it as title:string`,
		"review title:strng":                         `the field "title": there is no type "strng"; did you mean "string"? The types are string, text, int, bool, date, time, uuid, ref`,
		"review price:decimal":                       `the field "price": there is no type "decimal". The types are`,
		"review Title:string":                        `the field "Title": a name is lower-case letters`,
		"review order:int":                           `the field "order": this is a reserved word of SQL; choose another, such as order_name`,
		"review id:int":                              `the field "id": each resource has a field of this name already`,
		"review page:int":                            `the field "page": each resource has a field of this name already, or the list a parameter`,
		"review a:int a:text":                        `the field "a": the field "a" has the same name or column`,
		"review book_id:int book:ref:books":          `the field "book": the field "book_id" has the same name or column`,
		"review book:ref":                            `the field "book": ref needs the resource that it refers to; write it as book:ref:books`,
		"review book:ref:bokos":                      `the field "book": the project has no resource "bokos"; did you mean "books"?`,
		"review book:ref:Books":                      `the field "book": the project has no resource "Books"; did you mean "books"?`,
		"review loan:ref:loans":                      `the field "loan": the model Loan has no tag with the name of its table`,
		"review stars:int:5":                         `the field "stars": only ref has a second word; write it as stars:int`,
		"review " + strings.Repeat("a", 31) + ":int": `a name has at most 30 letters`,
		"review :int b:strng":                        "\nthe field \"b\": there is no type",
		"review x:a y:b":                             "\nthe field \"y\": there is no type",
	} {
		args := strings.Fields(words)
		if _, err := newResource(args[0], args[1:], into); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: the error is %v; want %q", words, err, says)
		}
	}
}

// TestTheColumnOfAField: the tag names the column only where bun derives another one.
func TestTheColumnOfAField(t *testing.T) {
	t.Parallel()
	into, err := readSource(shelf)
	if err != nil {
		t.Fatal(err)
	}
	for words, tag := range map[string]string{
		"title:string":        "",
		"due_at:time":         "",
		"image_url:string":    "",
		"line2:string":        "",
		"book:ref:books":      "",
		"a:int":               "",
		"a_b:int":             "`bun:\"a_b\"`",
		"line_2:string":       "`bun:\"line_2\"`",
		"book2:ref:books":     "`bun:\"book2_id\"`",
		"site2_url:string":    "`bun:\"site2_url\"`",
		"site_url:ref:books":  "`bun:\"site_url_id\"`",
		"id_url:string":       "`bun:\"id_url\"`",
		"site_url_id:int":     "`bun:\"site_url_id\"`",
		"site_url_title:text": "",
	} {
		made, err := newResource("review", []string{words}, into)
		if err != nil {
			t.Fatal(err)
		}
		if have := made.Fields[0].ModelTag(); have != tag {
			t.Errorf("%s: the tag is %q; want %q", words, have, tag)
		}
	}
}

func TestTheTestsNeedARowOfTheTarget(t *testing.T) {
	t.Parallel()
	files := maps.Clone(shelf)
	delete(files, "books_test.go")
	into, err := readSource(files)
	if err != nil {
		t.Fatal(err)
	}
	_, err = newResource("review", []string{"book:ref:books"}, into)
	if err == nil || !strings.Contains(err.Error(), "the tests need a function newBook(*frameworktest.Client) string") {
		t.Errorf("the error is %v", err)
	}
}

func TestFoldersThatAreNoProject(t *testing.T) {
	t.Parallel()
	for missing, says := range map[string]string{
		"go.mod":                      "there is no go.mod here; run this in the folder of a project",
		"resources.go":                "there is no resources.go here",
		"migrations/0007_a.tx.up.sql": "there is no migrations here",
	} {
		files := maps.Clone(shelf)
		delete(files, missing)
		if _, err := readSource(files); err == nil || !strings.Contains(err.Error(), says) || exit.Code(err) != exit.Usage {
			t.Errorf("without %s: %v; want %q", missing, err, says)
		}
	}
	files := maps.Clone(shelf)
	files["x.go"] = &fstest.MapFile{Data: []byte("package main\nfunc")}
	if _, err := readSource(files); err == nil || !strings.Contains(err.Error(), "the project must compile before a resource is added to it: x.go:") {
		t.Errorf("with broken Go: %v", err)
	}
}

// TestTheFilesOfAResource: names, numbers and the SQL.
func TestTheFilesOfAResource(t *testing.T) {
	t.Parallel()
	into, err := readSource(shelf)
	if err != nil {
		t.Fatal(err)
	}
	made, err := newResource("book_reviews", []string{"book:ref:books", "stars:int", "text:text?"}, into)
	if err != nil {
		t.Fatal(err)
	}
	root, _ := inFolder(t, shelf)
	files, err := made.changes(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.name)
	}
	want := []string{"book_reviews.go", "book_reviews_test.go", "migrations/0008_book_reviews.tx.up.sql", "migrations/0008_book_reviews.tx.down.sql", "resources.go"}
	if !slices.Equal(names, want) {
		t.Errorf("the files are %q; want %q", names, want)
	}
	for i, part := range map[int]string{
		0: "\tBookID uuid.UUID `json:\"book\" validate:\"required\" ref:\"books\"`\n",
		1: `"book":  newBook(caller),`,
		2: "    book_id {{uuid}} NOT NULL REFERENCES old_books (id),\n    stars {{bigint}} NOT NULL,\n    text {{text}},\n    created_at {{timestamp}} NOT NULL\n",
		3: "DROP TABLE book_reviews;\n",
		4: "api.Register(Books, BookReviews)",
	} {
		if !strings.Contains(string(files[i].content), part) {
			t.Errorf("%s has no %q:\n%s", files[i].name, part, files[i].content)
		}
	}
}
