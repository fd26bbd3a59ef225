package children_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// made is the key of a created machine.
func made(tb testing.TB, r *frameworktest.Response) int64 {
	tb.Helper()
	var m struct{ ID int64 }
	r.Expect(201).JSON(&m)
	return m.ID
}

// TestCreate: what POST makes of each list, and what it rejects. A rejected POST leaves no machine.
func TestCreate(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		for _, test := range []struct{ name, caller, body, want string }{
			{"no lists", "ada", `{"name":"Saw"}`, "| | | |"},
			{"empty lists", "ada", `{"name":"Saw","parts":[],"remarks":[],"steps":[],"tags":[],"materials":[]}`, "| | | |"},
			{"all lists", "bob", `{"name":"Saw","parts":[{"name":"a","quantity":2},{"name":"b","product":"{steel}"}],"remarks":[{"text":"x"}],"steps":[{"text":"one"},{"text":"two"}],"tags":["new","iron"],"materials":["{wood}"]}`, "1.a=2A 2.b=1A | x | 1.one 2.two | iron new | wood"},
			{"a key of a row of another machine", "ada", `{"name":"Saw","parts":[{"id":"{nut}","name":"a"}]}`, "400 /parts/0/id invalid_reference"},
			{"faults beside a missing name", "ada", `{"parts":[{"id":"{nut}","name":"a"},{}],"tags":[1]}`, "400 /parts/1/name required, /tags/0 type, /name required, /parts/0/id invalid_reference"},
			{"no credentials: the machine would have no owner", "", `{"name":"Saw","parts":[{"name":"a"}]}`, "401 authentication_required"},
			{"a name twice", "ada", `{"name":"Saw","parts":[{"name":"a"},{"name":"a"}]}`, "409 part_twice /parts/1/name not_unique"},
			{"a tag out of sight", "ada", `{"name":"Saw","tags":["new","secret"]}`, "409 not_unique /tags/1 not_unique"},
			{"the serial number of a part of another machine", "ada", `{"name":"Saw","parts":[{"name":"a"},{"name":"b","serial":"C1"}]}`, "409 not_unique /parts/1/serial not_unique"},
		} {
			t.Run(test.name, func(t *testing.T) {
				furnish(t, db)
				client := apitest.As(c.On(t), test.caller)
				r := client.Post("/api/machines/", filledIn(test.body))
				got := outcome(t, r)
				if got == "" {
					got = summary(t, db, made(t, r))
				} else if n := apitest.Count(t, db, "machines") + apitest.Count(t, db, "tags"); n != 5 {
					t.Errorf("the rejected request left %d machines and tags; want 5", n)
				}
				if got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
				if after := summary(t, db, 1); after != furnished {
					t.Errorf("another machine changed: %s", after)
				}
			})
		}
	})
}

// TestAnswer: the answer of each write shows the lists as they are stored, which a client can send
// back unchanged.
func TestAnswer(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		furnish(t, db)
		ada := apitest.As(c, "ada")
		r := ada.Put("/api/machines/1/", filledIn(`{"name":"Loom","parts":[{"name":"pin"},{"id":"{nut}","name":"nut"}],"remarks":[{"id":1,"text":"a"},{"id":2,"text":"by Bob"}],"steps":[{"text":"do"}],"tags":["old","new"],"materials":[]}`)).Expect(200)
		r.Contains(`"name":"pin","quantity":1,"product":null},{"id":"`+apitest.ID("nut").String()+`","name":"nut","quantity":1,"product":null}]`, `"remarks":[{"id":1,"text":"a"},{"id":2,"text":"by Bob"}]`, `"steps":[{"text":"do"}]`, `"tags":["new","old"]`, `"materials":[]`)
		r.Lacks("secret", "hidden", "bolt")
		var back map[string]any
		r.JSON(&back)
		delete(back, "id")
		if again := ada.Put("/api/machines/1/", back).Expect(200).Body(); again != r.Body() {
			t.Errorf("sent back unchanged, the machine is\n%s\nand was\n%s", again, r.Body())
		}
	})
}

// A Use of a part prevents its deletion.
type Use struct {
	bun.BaseModel `bun:"table:uses"`

	ID     uuid.UUID `bun:",pk"`
	PartID uuid.UUID
}

// TestStillReferenced: parts that other rows refer to cannot be deleted. The error names these rows.
func TestStillReferenced(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		type view struct {
			ID uuid.UUID `json:"id"`
		}
		uses := framework.ViewSet[Use]{Name: "uses", Verbs: framework.ReadOnly[view](), Scope: framework.Public()}
		_, c := apitest.Serve(t, config(db), append(others(), machines(), uses)...)
		furnish(t, db)
		if _, err := db.Exec("INSERT INTO uses (id, part_id) VALUES (?, ?)", apitest.ID("use"), apitest.ID("bolt")); err != nil {
			t.Fatal(err)
		}
		apitest.As(c, "ada").Patch("/api/machines/1/", filledIn(`{"name":"Other","parts":[{"id":"{nut}","name":"nut"}]}`)).Expect(409).Code("still_referenced").Contains("Records of uses refer to this one.")
		if after := summary(t, db, 1); after != furnished {
			t.Errorf("the rejected request changed the machine: %s", after)
		}
	})
}

// TestStatements: the number of statements does not grow with the lists.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		counter := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		ada := apitest.As(c, "ada")
		furnish(t, db)
		const shown = 6 // the machine and its five lists
		for _, test := range []struct {
			name, body string
			want       int
		}{
			{"no list: one UPDATE", `{"name":"A"}`, 1 + shown},
			{"a list that does not change: the machine is read, its parts are read, and the machine is changed", `{"parts":[{"id":"{nut}","name":"nut"},{"id":"{bolt}","name":"bolt","quantity":2}]}`, 3 + shown},
			{"one row is changed", `{"parts":[{"id":"{nut}","name":"nut"},{"id":"{bolt}","name":"bolt","quantity":3}]}`, 4 + shown},
			{"two rows are changed", `{"parts":[{"id":"{nut}","name":"nut","quantity":4},{"id":"{bolt}","name":"bolt","quantity":5}]}`, 4 + shown},
			{"rows are deleted, changed and created, with references", `{"parts":[{"id":"{nut}","name":"nut","quantity":9,"product":"{steel}"},{"name":"a","product":"{brass}"},{"name":"b","product":"{steel}"},{"name":"c"}]}`, 7 + shown},
			{"one reference of two rows", `{"parts":[{"name":"d","product":"{brass}"},{"name":"e","product":"{brass}"}]}`, 6 + shown},
			{"rows with writers: the right to change and to delete is checked, and the scope of new rows", `{"remarks":[{"id":2,"text":"by Bob"},{"text":"x"},{"text":"y"}]}`, 7 + shown},
			{"tags that exist: they are found, and the links are read, deleted and inserted", `{"tags":["old"]}`, 6 + shown},
			{"materials", `{"materials":["{glass}"]}`, 6 + shown},
		} {
			texts := counter.During(func() { ada.Patch("/api/machines/1/", filledIn(test.body)).Expect(200) })
			if len(texts) != test.want {
				t.Errorf("%s: %d statements, want %d:\n%s", test.name, len(texts), test.want, strings.Join(texts, "\n"))
			}
			for _, text := range texts {
				if strings.Contains(text, "'nut'") || strings.Contains(text, apitest.ID("nut").String()) {
					t.Errorf("%s: a value is in the statement: %s", test.name, text)
				}
			}
		}
		texts := counter.During(func() { ada.Patch("/api/machines/1/", `{"tags":["n1","n2","n3"]}`).Expect(200) })
		want := 9 + shown // two reads more, one INSERT for all new tags
		if db.Kind() == sqldb.PostgreSQL {
			want++ // the lock
		}
		if len(texts) != want {
			t.Errorf("new tags: %d statements, want %d:\n%s", len(texts), want, strings.Join(texts, "\n"))
		}
	})
}

// TestFills: the function of Fills sees the lists before they are stored, and the second function of
// FillsThen the stored row and its key.
func TestFills(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fill := func(_ *framework.Call, m *Machine, in machineInput) error {
			m.Name = fmt.Sprintf("%s of %d parts", in.Name, len(in.Parts))
			for i := range in.Parts {
				in.Parts[i].Name += "!"
			}
			return nil
		}
		then := func(c *framework.Call, m *Machine, in machineInput) error {
			if in.Name == "Wrong" {
				return framework.Invalid(framework.Fault{Pointer: "/name", Code: "oneof", Detail: "is wrong"})
			}
			n, err := c.DB.NewSelect().Model((*Part)(nil)).Where("machine_id = ?", m.ID).Count(c)
			if err != nil {
				return err
			}
			return framework.Insert(c, &Remark{MachineID: m.ID, Text: fmt.Sprint(n, " are stored")})
		}
		v := machines()
		v.Verbs.Create = framework.FillsThen[machineView](fill, then)
		v.Verbs.Patch = framework.FillsThen[machineView](nil, then)
		v.Verbs.Update = framework.Fills[machineView](fill)
		_, c := apitest.Serve(t, config(db), append(others(), v)...)
		furnish(t, db)
		ada := apitest.As(c, "ada")
		r := ada.Post("/api/machines/", `{"name":"Saw","parts":[{"name":"a"},{"name":"b"}]}`)
		id := made(t, r)
		r.Contains(`"name":"Saw of 2 parts"`, `"name":"a!"`, `"2 are stored"`)
		path := fmt.Sprintf("/api/machines/%d/", id)
		ada.Patch(path, `{"parts":[{"name":"c"}]}`).Expect(200).Contains(`"1 are stored"`, `"name":"c"`, `"name":"Saw of 2 parts"`)
		ada.Put(path, `{"name":"Axe","parts":[{"name":"d"}]}`).Expect(200).Contains(`"name":"Axe of 1 parts"`, `"name":"d!"`).Lacks("stored")
		before := summary(t, db, id)
		ada.Patch(path, `{"name":"Wrong","parts":[]}`).Expect(400).Fault("/name", "oneof")
		ada.Post("/api/machines/", `{"name":"Wrong","parts":[{"name":"a"}]}`).Expect(400).Fault("/name", "oneof")
		if after := summary(t, db, id); after != before || apitest.Count(t, db, "machines") != 3 {
			t.Errorf("an error of the second function left %s; want %s", after, before)
		}
	})
}

// TestRecorder: each row that a list changes is recorded.
func TestRecorder(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var recorded []string
		settings := config(db)
		settings.Observers = []framework.Observer{frameworktest.RecordChanges(func(_ *framework.Call, change frameworktest.Change) error {
			recorded = append(recorded, change.Verb+" "+change.ViewSet)
			return nil
		})}
		_, c := apitest.Serve(t, settings, append(others(), machines())...)
		furnish(t, db)
		apitest.As(c, "ada").Patch("/api/machines/1/", filledIn(`{"parts":[{"id":"{nut}","name":"nut","quantity":3},{"name":"a"},{"name":"b"}],"steps":[{"text":"x"}],"tags":["new"]}`)).Expect(200).
			Contains(`"quantity":3`, `"name":"a"`, `"new"`)
		got := strings.Join(recorded, ", ")
		want := "update machines, delete parts, update parts, create parts, create parts, delete machines.steps, delete machines.steps, create machines.steps, create tags"
		if got != want {
			t.Errorf("recorded %s\nwant %s", got, want)
		}
	})
}

// TestTimes: a new row has both times of the request, a changed one a new time of change, and a row
// that does not change keeps it.
func TestTimes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		furnish(t, db)
		apitest.As(c, "ada").Patch("/api/machines/1/", filledIn(`{"parts":[{"id":"{nut}","name":"nut"},{"id":"{bolt}","name":"bolt","quantity":7},{"name":"pin"}]}`)).Expect(200)
		var parts []Part
		if err := db.NewSelect().Model(&parts).Where("machine_id = 1").Order("rank").Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		nut, bolt, pin := parts[0], parts[1], parts[2]
		if !nut.UpdatedAt.Equal(nut.CreatedAt) {
			t.Error("the time of change of a row that does not change has changed")
		}
		if !bolt.UpdatedAt.After(bolt.CreatedAt) || !pin.CreatedAt.Equal(pin.UpdatedAt) || !pin.CreatedAt.Equal(bolt.UpdatedAt) {
			t.Errorf("the times are %v and %v of the changed row, %v and %v of the new one", bolt.CreatedAt, bolt.UpdatedAt, pin.CreatedAt, pin.UpdatedAt)
		}
	})
}
