package framework_test

import (
	"slices"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

func profile() framework.ViewSet[Profile] {
	accepts := framework.Accepts[ProfileInput, ProfileView]()
	reset := func(c *framework.Call, p *Profile, _ framework.None) (ProfileView, error) {
		_, err := c.DB.NewUpdate().Model(p).Set("theme = 'dark'").WherePK().Exec(c)
		return ProfileView{ProfileInput: ProfileInput{Nickname: p.Nickname, Theme: "dark"}}, err
	}
	return framework.ViewSet[Profile]{
		Name: "profile", Scope: framework.Own((*Profile).owner), Single: true,
		Verbs:   framework.Verbs{Retrieve: framework.Shows[ProfileView](), Update: accepts, Patch: accepts, Delete: framework.Deletes()},
		Actions: []framework.Action[Profile]{framework.Post("darken", reset)},
	}
}

// TestSingle: the caller's one row. The first PUT makes it, others replace it.
func TestSingle(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), profile())
		ada, bob := api.as("ada"), api.as("bob")

		ada.get("/api/profile/").refuses(404, "not_found")
		ada.patch("/api/profile/", fields{"nickname": "a"}).refuses(404, "not_found")
		ada.delete("/api/profile/").refuses(404, "not_found")
		ada.post("/api/profile/darken/", nil).refuses(404, "not_found")
		ada.put("/api/profile/", fields{"nickname": ""}).refuses(400, "validation_failed").fault("/nickname", "required")

		ada.put("/api/profile/", fields{"nickname": "lovelace", "theme": "dark"}).is(201).says(`"nickname":"lovelace"`, `"theme":"dark"`)
		ada.put("/api/profile/", fields{"nickname": "countess"}).is(200).says(`"nickname":"countess"`, `"theme":"light"`)
		ada.get("/api/profile/").is(200).says(`"nickname":"countess"`)
		ada.get("/api/profile").is(200).says(`"nickname":"countess"`)
		ada.patch("/api/profile/", fields{"theme": "dark"}).is(200).says(`"nickname":"countess"`, `"theme":"dark"`)
		ada.patch("/api/profile/", fields{"theme": "pink"}).refuses(400, "validation_failed").fault("/theme", "oneof")

		bob.get("/api/profile/").refuses(404, "not_found")
		bob.put("/api/profile/", fields{"nickname": "bob"}).is(201)
		bob.delete("/api/profile/").is(204)
		bob.get("/api/profile/").refuses(404, "not_found")

		ada.patch("/api/profile/", fields{"theme": "light"}).is(200)
		ada.post("/api/profile/darken/", nil).is(200).says(`"theme":"dark"`)
		ada.get("/api/profile/").is(200).says(`"theme":"dark"`)
		ada.get("/api/profile/"+missing+"/").refuses(404, "not_found")
		ada.post("/api/profile/", fields{}).refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS")
		api.get("/api/profile/").refuses(401, "authentication_required")
		api.put("/api/profile/", fields{"nickname": "x"}).refuses(401, "authentication_required")
		ada.get("/api/").is(200).says(`{"profile":"` + api.url + `/api/profile/"}`)
	})
}

// TestAPutInsertsOnlyAMissingRow: a 404 of the declaration's function is the answer, and
// inserts nothing.
func TestAPutInsertsOnlyAMissingRow(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		set, filled := profile(), 0
		set.Verbs.Update = framework.Fills[ProfileView](func(_ *framework.Call, p *Profile, in ProfileInput) error {
			filled++
			if p.Nickname = in.Nickname; filled == 2 {
				return framework.NotFound()
			}
			return nil
		})
		ada := serve(t, config(db), set).as("ada")
		ada.put("/api/profile/", fields{"nickname": "lovelace"}).is(201)
		ada.put("/api/profile/", fields{"nickname": "countess"}).refuses(404, "not_found")
		ada.get("/api/profile/").is(200).says(`"nickname":"lovelace"`)
		if filled != 2 {
			t.Errorf("the function ran %d times; want once for each request", filled)
		}
	})
}

// TestFirstPuts: of many first PUTs at once one makes the row and the others
// replace it.
func TestFirstPuts(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), profile()).as("ada")
		for range 5 {
			var done sync.WaitGroup
			status := make([]int, 10)
			for i := range status {
				done.Go(func() { status[i] = ada.put("/api/profile/", fields{"nickname": "x"}).status })
			}
			done.Wait()
			slices.Sort(status)
			if status[8] != 200 || status[9] != 201 {
				t.Errorf("answered with %v; want one 201 and 200 for the others", status)
			}
			ada.delete("/api/profile/").is(204)
		}
	})
}
