package framework_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestAMisspeltNameOfARequiredField: the answer reports the misspelt name, not only the
// header Trestle-Ignored.
func TestAMisspeltNameOfARequiredField(t *testing.T) {
	type line struct {
		Title string `json:"title" validate:"required"`
	}
	type parcel struct {
		Name  string `json:"name" validate:"required"`
		Lines []line `json:"lines" validate:"required,dive"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		lenient, strict, shaped, either := countries(), countries(), countries(), countries()
		strict.Name, strict.Strict = "strict", framework.Strict
		shaped.Name = "shaped"
		shaped.Verbs.Create = framework.Does(func(*framework.Call, parcel) (framework.None, error) { return framework.None{}, nil })
		either.Name = "either"
		either.Verbs.Create = framework.Does(func(*framework.Call, senders) (framework.None, error) { return framework.None{}, nil })
		needy := countries()
		needy.Name = "needy"
		needy.Verbs.Create = framework.Does(func(_ *framework.Call, in struct {
			Name string `json:"name"`
		}) (framework.None, error) {
			if in.Name == "" {
				return framework.None{}, needed
			}
			return framework.None{}, nil
		})
		wrapped, vague := countries(), countries()
		wrapped.Name, wrapped.Wrap, wrapped.WrapList, wrapped.Verbs.Create = "wrapped", "sender", "senders", needy.Verbs.Create
		vague.Name = "vague"
		vague.Verbs.Create = framework.Does(func(*framework.Call, struct{}) (framework.None, error) {
			return framework.None{}, framework.Invalid(framework.Fault{Code: "required", Detail: "a name is needed"})
		})
		ada := serve(t, config(db), lenient, strict, shaped, either, needy, wrapped, vague).as("ada")
		for _, c := range []struct {
			name, path  string
			body        any
			code        string
			says, lacks string
		}{
			{"near a missing field", "countries", fields{"nam": "x"}, "validation_failed", `"/name","code":"required","detail":"is required; the body has /nam: did you mean /name?"`, ""},
			{"in capitals", "countries", fields{"NAME": "x"}, "validation_failed", `is required; the body has /NAME: did you mean /name?`, ""},
			{"far from the missing field", "countries", fields{"colour": "x"}, "validation_failed", `"detail":"is required"`, "did you mean"},
			{"near a field that is blank", "countries", fields{"name": " ", "nam": "x"}, "validation_failed", `"/name"`, "did you mean"},
			{"where strict refuses", "strict", fields{"nam": "x"}, "unknown_field", `is not a field that can be written here; did you mean /name?`, ""},
			{"where strict refuses, the missing field", "strict", fields{"nam": "x"}, "unknown_field", `is required; the body has /nam: did you mean /name?`, ""},
			{"in an element of a list", "shaped", fields{"name": "x", "lines": []fields{{"title": "a"}, {"titel": "b"}}}, "validation_failed",
				`"/lines/1/title","code":"required","detail":"is required; the body has /lines/1/titel: did you mean /lines/1/title?"`, "/lines/0"},
			{"near the second of two fields, one of which is required", "either", fields{"from": fields{"mail": "a"}, "usrname": "x"}, "validation_failed",
				`"/username","code":"required","detail":"is required; the body has /usrname: did you mean /username?"`, "/mail"},
			{"near one of two fields of a nested object", "either", fields{"mail": "a", "from": fields{"usernam": "x"}}, "validation_failed",
				`"/from/username","code":"required","detail":"is required; the body has /from/usernam: did you mean /from/username?"`, "/mail"},
			{"near neither of two fields", "either", fields{"from": fields{"mail": "a"}, "colour": "x"}, "validation_failed",
				`"/mail","code":"required","detail":"is required"`, "did you mean"},
			{"that a function misses", "needy", fields{"nmae": "x"}, "validation_failed", `"/name","code":"required","detail":"is needed; the body has /nmae: did you mean /name?"`, ""},
			{"that a function misses, far from it", "needy", fields{"colour": "x"}, "validation_failed", `"detail":"is needed"`, "did you mean"},
			{"that a function misses, in an object", "wrapped", fields{"sender": fields{"nmae": "x"}}, "validation_failed", `"/sender/name","code":"required","detail":"is needed; the body has /sender/nmae: did you mean /sender/name?"`, ""},
			{"that a function misses, without a pointer", "vague", fields{"colour": "x"}, "validation_failed", `"detail":"a name is needed"`, "did you mean"},
			{"for a function", "shaped", fields{"nmae": "x", "lines": []fields{{"title": "a"}}}, "validation_failed", `the body has /nmae: did you mean /name?`, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := ada.in(t).post("/api/"+c.path+"/", c.body).refuses(400, c.code).says(c.says)
				if c.lacks != "" {
					got.lacks(c.lacks)
				}
			})
		}
		id := ada.post("/api/countries/", fields{"name": "Peru"}).is(201).id()
		ada.put("/api/countries/"+id+"/", fields{"nam": "x"}).refuses(400, "validation_failed").says("did you mean /name?")
		ada.patch("/api/countries/"+id+"/", fields{"nam": "x"}).is(200).head("Trestle-Ignored", "/nam; did you mean /name?")
	})
}

// needed is one error for all requests, which no answer may change.
var needed = framework.Invalid(framework.Fault{Pointer: "/name", Code: "required", Detail: "is needed"})

// A sender is known by a mail address or by a user name.
type sender struct {
	Mail     string `json:"mail"`
	Username string `json:"username"`
}

func (sender) OneRequired() []string { return []string{"mail", "username"} }

// senders are two senders, one in an object of its own.
type senders struct {
	sender

	From sender `json:"from"`
}
