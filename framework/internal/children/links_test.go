package children_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

func linked() framework.ViewSet[Machine] {
	v := machines()
	v.Actions = []framework.Action[Machine]{
		framework.Links[Machine]("tags.name"),
		framework.Links[Machine]("materials").Doc("A material of the machine."),
	}
	return v
}

// A Seal is on the link of a machine and a material.
type Seal struct {
	bun.BaseModel `bun:"table:seals"`

	ID     uuid.UUID `bun:",pk"`
	LinkID uuid.UUID
}

// TestLinks: what each request makes of the links of machine 1, which is Ada's.
func TestLinks(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), linked())...)
		for _, test := range []struct{ name, caller, request, want string }{
			{"a member is added", "ada", "PUT tags/old/", "iron old secret | wood"},
			{"a member that is there", "ada", "PUT tags/iron/", "iron secret | wood"},
			{"a member is removed", "ada", "DELETE tags/iron/", "secret | wood"},
			{"a member that is not there", "ada", "DELETE tags/old/", "iron secret | wood"},
			{"a member by its primary key", "ada", "PUT materials/{glass}/", "iron secret | glass wood"},
			{"the same is removed", "ada", "DELETE materials/{wood}/", "iron secret |"},
			{"without the slash at the end", "ada", "PUT tags/old", "iron old secret | wood"},
			{"a member that does not exist", "ada", "PUT tags/none/", "404 not_found"},
			{"a member that does not exist is not removed", "ada", "DELETE tags/none/", "404 not_found"},
			{"a key that is none", "ada", "PUT materials/x/", "404 not_found"},
			{"a member out of sight", "ada", "PUT tags/secret/", "404 not_found"},
			{"a member out of sight is not removed", "ada", "DELETE tags/secret/", "404 not_found"},
			{"staff see it", "staff", "DELETE tags/secret/", "iron | wood"},
			{"another caller", "bob", "PUT tags/old/", "403 not_yours"},
			{"another caller, and a member that does not exist", "bob", "PUT tags/none/", "403 not_yours"},
			{"no credentials", "", "DELETE tags/iron/", "401 authentication_required"},
			{"another method", "ada", "PATCH tags/iron/", "405 method_not_allowed"},
		} {
			t.Run(test.name, func(t *testing.T) {
				furnish(t, db)
				client := apitest.As(c.On(t), test.caller)
				method, path, _ := strings.Cut(test.request, " ")
				for range 2 { // a repeated request is answered in the same way
					r := client.Do(method, "/api/machines/1/"+filledIn(path), nil)
					got := outcome(t, r)
					links := strings.SplitN(summary(t, db, 1), " | ", 4)[3]
					switch {
					case got == "":
						r.Expect(204)
						got = links
					case links != "iron secret | wood":
						t.Errorf("the rejected request changed the links: %s", links)
					}
					if got != test.want {
						t.Errorf("got %s; want %s", got, test.want)
					}
				}
			})
		}
		apitest.As(c, "ada").Put("/api/machines/7/tags/old/", nil).Expect(404)
	})
}

// TestTwoEditors: two callers who add and remove different members do not undo each other.
func TestTwoEditors(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), linked())...)
		furnish(t, db)
		apitest.Insert(t, db, &Tag{ID: 10, Name: "a"}, &Tag{ID: 11, Name: "b"})
		for round := range 20 {
			var editors sync.WaitGroup
			for _, name := range []string{"a", "b"} {
				editors.Go(func() {
					method := []string{"PUT", "DELETE"}[round%2]
					apitest.As(c, "staff").Do(method, "/api/machines/1/tags/"+name+"/", nil).Expect(204)
				})
			}
			editors.Wait()
			want := []string{"a b iron secret", "iron secret"}[round%2]
			if got := strings.Split(summary(t, db, 1), " | ")[3]; got != want {
				t.Fatalf("round %d: the machine has the tags %s; want %s", round, got, want)
			}
		}
	})
}

// TestStillLinked: a link to which other rows refer stays, whether a list or an action of Links would
// remove it. The error names the resource of these rows.
func TestStillLinked(t *testing.T) {
	type view struct {
		ID uuid.UUID `json:"id"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		seals := framework.ViewSet[Seal]{Name: "seals", Verbs: framework.ReadOnly[view](), Scope: framework.Public()}
		_, c := apitest.Serve(t, config(db), append(others(), linked(), seals)...)
		furnish(t, db)
		apitest.Insert(t, db, &Seal{ID: apitest.ID("seal"), LinkID: apitest.ID("link")})
		ada := apitest.As(c, "ada")
		for _, r := range []*frameworktest.Response{
			ada.Delete("/api/machines/1/materials/" + apitest.ID("wood").String() + "/"),
			ada.Patch("/api/machines/1/", `{"materials":[]}`),
		} {
			r.Expect(409).Code("still_referenced").Contains("Records of seals refer to this one.")
		}
		if after := summary(t, db, 1); after != furnished {
			t.Errorf("a rejected request changed the machine: %s", after)
		}
		if _, err := db.DB.DB.Exec("DELETE FROM seals"); err != nil {
			t.Fatal(err)
		}
		ada.Delete("/api/machines/1/materials/" + apitest.ID("wood").String() + "/").Expect(204)
	})
}

// TestLinkedTo: a row to which only links refer stays. The error names the resource whose rows have the
// links, if the caller may see all of these rows.
func TestLinkedTo(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for _, c := range []struct {
			name, says string
			scope      framework.Scope
			permission framework.Permission
		}{
			{"all may see the machines", "Records of machines refer to this one.", framework.Public(), framework.Authenticated()},
			{"each sees their own machines", "Other records refer to this one.", framework.Own((*Machine).owner), framework.Authenticated()},
			{"only the staff list machines", "Other records refer to this one.", framework.Public(), framework.Staff()},
		} {
			t.Run(c.name, func(t *testing.T) {
				tags := framework.ViewSet[Tag]{Name: "tags", Verbs: framework.Verbs{List: framework.Shows[tagView](), Delete: framework.Deletes()}, Scope: framework.Public(), Permission: framework.Authenticated()}
				linked := machines()
				linked.Scope, linked.Permission, linked.Writers = c.scope, c.permission, framework.Scope{}
				all := append([]framework.Resource{tags, linked}, slices.DeleteFunc(others(), func(r framework.Resource) bool {
					_, same := r.(framework.ViewSet[Tag])
					return same
				})...)
				_, client := apitest.Serve(t, config(db), all...)
				furnish(t, db)
				apitest.As(client, "ada").Delete("/api/tags/1/").Expect(409).Code("still_referenced").Contains(c.says)
			})
		}
	})
}

// TestLinksOnce: the doctor requires the unique index by which a repeated PUT adds no second link.
func TestLinksOnce(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, config(db), append(others(), linked())...)
		id := map[bool]string{true: "TEXT", false: "uuid"}[db.Kind() == sqldb.SQLite]
		for _, text := range []string{
			"DROP TABLE seals", "DROP TABLE machine_materials", "CREATE TABLE machine_materials (id " + id + " PRIMARY KEY, machine_id bigint NOT NULL, material_id " + id + " NOT NULL)",
		} {
			if _, err := db.DB.DB.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		missing, err := api.MissingIndexes(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var unique []string
		for _, n := range missing {
			if n.Unique {
				unique = append(unique, n.String()+" "+strings.Join(n.For, ", "))
			}
		}
		if got, want := strings.Join(unique, "; "), `machine_materials (machine_id, material_id) machines: links of "materials", machines: relation "materials"`; got != want {
			t.Errorf("missing are %q; want %q", got, want)
		}
	})
}

// TestLinksDeclared: the routes, the statements and the document of links.
func TestLinksDeclared(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		counter := frameworktest.CountStatements(db)
		api, c := apitest.Serve(t, config(db), append(others(), linked())...)
		furnish(t, db)
		for _, method := range []string{"PUT", "DELETE"} {
			texts := counter.During(func() { apitest.As(c, "ada").Do(method, "/api/machines/1/tags/old/", nil).Expect(204) })
			if len(texts) != 3 { // the machine, the tag, and the change
				t.Errorf("%s: %d statements, want 3:\n%s", method, len(texts), strings.Join(texts, "\n"))
			}
		}
		var routes []string
		for _, r := range api.Routes() {
			routes = append(routes, fmt.Sprint(r.Method, " ", r.Path, " ", r.Writers, " ", r.Doc))
		}
		for _, want := range []string{
			"PUT /api/machines/{id}/tags/{tag}/ own, unless staff Add a tag. If it is there already, nothing changes.",
			"DELETE /api/machines/{id}/tags/{tag}/ own, unless staff Remove a tag. If it is not there, nothing changes.",
			"PUT /api/machines/{id}/materials/{material}/ own, unless staff A material of the machine.",
		} {
			if !strings.Contains(strings.Join(routes, "\n"), want) {
				t.Errorf("no route %s among\n%s", want, strings.Join(routes, "\n"))
			}
		}
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`"putMachineTags"`, `"deleteMachineMaterials"`, `The name of one of tags.`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("the document lacks %s", want)
			}
		}
		apitest.As(c, "ada").Do("OPTIONS", "/api/machines/1/tags/old/", nil).Expect(200).Contains(`"PUT"`, `"DELETE"`)
	})
}
