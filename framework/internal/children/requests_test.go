package children_test

import (
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestRequests: what each request makes of machine 1, which is Ada's. A request that is rejected
// changes nothing.
func TestRequests(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), append(others(), machines())...)
		for _, test := range []struct{ name, caller, method, body, want string }{
			{"PATCH without a list", "ada", "PATCH", `{"name":"New"}`, furnished},
			{"PATCH with one list leaves the others", "ada", "PATCH", `{"parts":[]}`, "| by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a row is changed, by its key", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut","quantity":5},{"id":"{bolt}","name":"bolt","quantity":2}]}`, "1.nut=5B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"an absent field of an item has its default", "ada", "PATCH", `{"parts":[{"id":"{bolt}","name":"bolt"}]}`, "1.bolt=1B | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a row is created, without a key, with the column's default", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut"},{"id":"{bolt}","name":"bolt","quantity":2},{"name":"pin","quantity":9}]}`, "1.nut=1B 2.bolt=2B 3.pin=9A | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a key that is null creates too", "ada", "PATCH", `{"parts":[{"id":null,"name":"pin"}]}`, "1.pin=1A | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"the order is that of the list", "ada", "PATCH", `{"parts":[{"id":"{bolt}","name":"bolt","quantity":2},{"name":"pin"},{"id":"{nut}","name":"nut"}]}`, "1.bolt=2B 2.pin=1A 3.nut=1B | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a deleted name is free for a new row", "ada", "PATCH", `{"parts":[{"name":"nut","quantity":7}]}`, "1.nut=7A | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a reference of an item", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut","product":"{steel}"},{"name":"pin","product":"{brass}"}]}`, "1.nut=1B 2.pin=1A | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a list of the limit", "ada", "PATCH", `{"parts":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"}]}`, "1.a=1A 2.b=1A 3.c=1A 4.d=1A | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a list above the limit", "ada", "PATCH", `{"parts":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"d"},{"name":"e"}]}`, "400 /parts max"},
			{"a row of another machine", "ada", "PATCH", `{"parts":[{"id":"{cog}","name":"cog"}]}`, "400 /parts/0/id invalid_reference"},
			{"a row that does not exist", "ada", "PATCH", `{"parts":[{"name":"pin"},{"id":"{none}","name":"x"}]}`, "400 /parts/1/id invalid_reference"},
			{"a key twice", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"a"},{"id":"{nut}","name":"b"}]}`, "400 /parts/1/id unique"},
			{"a key that is none", "ada", "PATCH", `{"parts":[{"id":"x","name":"a"}]}`, "400 /parts/0/id format"},
			{"a list that is null", "ada", "PATCH", `{"parts":null}`, "400 /parts null"},
			{"an item that is no object", "ada", "PATCH", `{"parts":[1]}`, "400 /parts/0 type"},
			{"all faults of all lists and of the machine at once", "ada", "PUT", `{"parts":[{"name":"","quantity":0},{"id":"{cog}","name":"cog","product":"{alloy}"}],"steps":[{}],"tags":["",7],"materials":["{none}"],"remarks":[{"id":3,"text":"x"}]}`, "400 /parts/0/name required, /parts/0/quantity min, /steps/0/text required, /tags/0 required, /tags/1 type, /name required, /parts/1/product invalid_reference, /parts/1/id invalid_reference, /remarks/0/id invalid_reference, /materials/0 invalid_reference"},
			{"a reference out of scope", "ada", "PATCH", `{"parts":[{"name":"a","product":"{steel}"},{"name":"b","product":"{alloy}"}]}`, "400 /parts/1/product invalid_reference"},
			{"the same for staff, who see it", "staff", "PATCH", `{"parts":[{"name":"a","product":"{steel}"},{"name":"b","product":"{alloy}"}]}`, "1.a=1A 2.b=1A | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"a name twice among new rows", "ada", "PATCH", `{"parts":[{"name":"a"},{"name":"b"},{"name":"a"}]}`, "409 part_twice /parts/2/name not_unique"},
			{"a name twice, of a new and of a stored row", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut"},{"name":"nut"}]}`, "409 part_twice /parts/1/name not_unique"},
			{"the name of a stored row, among new rows", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut"},{"name":"pin"},{"name":"nut"}]}`, "409 part_twice /parts/2/name not_unique"},
			{"the name of a stored row, by one of several changed rows", "ada", "PATCH", `{"parts":[{"id":"{bolt}","name":"bolt","quantity":7},{"id":"{nut}","name":"bolt"}]}`, "409 part_twice /parts/1/name not_unique"},
			{"a serial number twice among new rows", "ada", "PATCH", `{"parts":[{"name":"a","serial":"A1"},{"name":"b"},{"name":"c","serial":"A1"}]}`, "409 not_unique /parts/2/serial not_unique"},
			{"the serial number of a part of another machine", "ada", "PATCH", `{"parts":[{"name":"a","serial":"C1"}]}`, "409 not_unique /parts/0/serial not_unique"},
			{"the same, among new rows", "ada", "PATCH", `{"parts":[{"name":"a","serial":"A1"},{"name":"b"},{"name":"c","serial":"C1"},{"name":"d"}]}`, "409 not_unique /parts/2/serial not_unique"},
			{"the same, among changed rows", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut","serial":"A1"},{"id":"{bolt}","name":"bolt","serial":"C1"}]}`, "409 not_unique /parts/1/serial not_unique"},
			{"a name that an earlier item gives up", "ada", "PATCH", `{"parts":[{"id":"{bolt}","name":"screw","quantity":2},{"id":"{nut}","name":"bolt"}]}`, "1.screw=2B 2.bolt=1B | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"two names that are exchanged", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"bolt"},{"id":"{bolt}","name":"nut"}]}`, "409 part_twice /parts/0/name not_unique"},
			{"a check that fails", "ada", "PATCH", `{"parts":[{"id":"{nut}","name":"nut","quantity":1001}]}`, "409 too_many /parts/0/quantity too_many"},
			{"a check that fails for one of several", "ada", "PATCH", `{"parts":[{"name":"a","quantity":1001},{"name":"b","quantity":1}]}`, "409 too_many /parts/0/quantity too_many"},
			{"PUT without lists empties them", "ada", "PUT", `{"name":"Loom"}`, "403 not_yours"},
			{"PUT of an own list alone", "bob", "PUT", `{"name":"Loom"}`, "403 not_yours"},
			{"PATCH by another caller", "bob", "PATCH", `{"parts":[]}`, "403 not_yours"},
			{"PATCH by another caller, with faults", "bob", "PATCH", `{"parts":[{"id":"{cog}"}]}`, "403 not_yours"},
			{"PATCH without credentials", "", "PATCH", `{"parts":[]}`, "401 authentication_required"},
			{"items without keys replace all rows", "ada", "PATCH", `{"steps":[{"text":"b"},{"text":"a"}]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.b 2.a | iron secret | wood"},
			{"the rule max is the limit", "ada", "PATCH", `{"steps":[{"text":"a"},{"text":"b"},{"text":"c"},{"text":"d"}]}`, "400 /steps max"},
			{"a new remark is the caller's", "ada", "PATCH", `{"remarks":[{"id":1,"text":"by Ada"},{"id":2,"text":"by Bob"},{"text":"new"}]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden new | 1.plan 2.build | iron secret | wood"},
			{"another's remark that does not change", "ada", "PATCH", `{"remarks":[{"id":2,"text":"by Bob"}]}`, "1.nut=1B 2.bolt=2B | by Bob hidden | 1.plan 2.build | iron secret | wood"},
			{"another's remark is changed", "ada", "PATCH", `{"remarks":[{"id":1,"text":"by Ada"},{"id":2,"text":"changed"}]}`, "403 not_yours"},
			{"another's remark is deleted", "ada", "PATCH", `{"remarks":[{"id":1,"text":"by Ada"}]}`, "403 not_yours"},
			{"a remark that is deleted already", "ada", "PATCH", `{"remarks":[{"id":3,"text":"x"}]}`, "400 /remarks/0/id invalid_reference"},
			{"a remark that is hidden", "ada", "PATCH", `{"remarks":[{"id":4,"text":"x"}]}`, "400 /remarks/0/id invalid_reference"},
			{"tags that exist, and the hidden link stays", "ada", "PATCH", `{"tags":["old"]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | old secret | wood"},
			{"tags that do not exist are created", "ada", "PATCH", `{"tags":["iron","new","blue"]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | blue iron new secret | wood"},
			{"white space around a tag is removed", "ada", "PATCH", `{"tags":[" old "]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | old secret | wood"},
			{"no tags", "ada", "PATCH", `{"tags":[]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | secret | wood"},
			{"a tag twice", "ada", "PATCH", `{"tags":["old","old"]}`, "400 /tags unique"},
			{"a tag that the caller may not see", "ada", "PATCH", `{"tags":["secret"]}`, "409 not_unique /tags/0 not_unique"},
			{"the same, among new tags", "ada", "PATCH", `{"tags":["new","secret","more"]}`, "409 not_unique /tags/1 not_unique"},
			{"a tag that staff see", "staff", "PATCH", `{"tags":["secret"]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | secret | wood"},
			{"a tag that breaks a rule", "ada", "PATCH", `{"tags":["old","a very long name of a tag"]}`, "400 /tags/1 max"},
			{"a tag that breaks a rule, among too many", "ada", "PATCH", `{"tags":["","b","c","d","e","f","g","h","i","j","k","l","m"]}`, "400 /tags/0 required, /tags max"},
			{"materials by their keys", "ada", "PATCH", `{"materials":["{glass}","{wood}"]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | iron secret | glass wood"},
			{"a material is removed", "ada", "PATCH", `{"materials":["{glass}"]}`, "1.nut=1B 2.bolt=2B | by Ada by Bob hidden | 1.plan 2.build | iron secret | glass"},
			{"a material that does not exist", "ada", "PATCH", `{"materials":["{wood}","{none}"]}`, "400 /materials/1 invalid_reference"},
			{"a material twice", "ada", "PATCH", `{"materials":["{wood}","{wood}"]}`, "400 /materials unique"},
		} {
			t.Run(test.name, func(t *testing.T) {
				furnish(t, db)
				client := apitest.As(c.On(t), test.caller)
				r := client.Do(test.method, "/api/machines/1/", filledIn(test.body))
				got := outcome(t, r)
				if got == "" {
					got = summary(t, db, 1)
				} else if after := summary(t, db, 1); after != furnished {
					t.Errorf("the rejected request changed the machine: %s", after)
				}
				if got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			})
		}
	})
}

// TestManyFaults: an answer lists 100 faults, each with its own code, also of a list with more.
func TestManyFaults(t *testing.T) {
	type input struct {
		Tags []string `json:"tags" to:"tags.name,limit=1000" validate:"dive,required"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := machines()
		v.Verbs = framework.CRUD[input, machineView]()
		v.Verbs.Create = framework.Verb{}
		_, c := apitest.Serve(t, config(db), append(others(), v)...)
		furnish(t, db)
		for _, test := range []struct{ item, code string }{{" ", "required"}, {"unknown", "invalid_reference"}} {
			items := make([]string, 150)
			for i := range items {
				items[i] = test.item
				if test.code != "required" {
					items[i] += strconv.Itoa(i)
				}
			}
			faults := strings.Split(faultsOf(t, apitest.As(c, "ada").Patch("/api/machines/1/", map[string]any{"tags": items}).Expect(400)), ", ")
			if first, last := "/tags/0 "+test.code, "/tags/99 "+test.code; len(faults) != 100 || faults[0] != first || faults[99] != last {
				t.Errorf("%d faults from %s to %s; want 100 from %s to %s", len(faults), faults[0], faults[len(faults)-1], first, last)
			}
		}
	})
}
