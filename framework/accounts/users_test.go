package accounts_test

import (
	"maps"
	"net/http"
	"testing"

	"trestle.example/framework/accounts"
)

func TestAdministratorsManageUsers(t *testing.T) {
	inOffice(t, func(o *office) {
		root := o.as(o.T, "root")
		made := root.Post(usersPath, map[string]any{
			"email": " Ben@Example.com", "username": "Benny", "name": "Ben", "password": password, "isStaff": true,
			"groups": []any{o.groups["milkers"]}, "permissions": []any{"cows.view", "users.view"},
		}).Expect(http.StatusCreated)
		made.Contains(`"email":"ben@example.com"`, `"username":"benny"`, `"isActive":true`, `"isStaff":true`, `"isSuperuser":false`,
			`"permissions":["cows.view","users.view"]`, `"groups":["`+o.groups["milkers"].String()+`"]`).Lacks("hash", password)
		ben := made.Headers().Get("Location")
		root.Get(ben).Expect(http.StatusOK).Contains("ben@example.com").Lacks("hash")
		root.Patch(ben, map[string]any{"name": "Benjamin", "permissions": []any{"cows.view"}, "groups": []any{}}).Expect(http.StatusOK).
			Contains(`"name":"Benjamin"`, `"permissions":["cows.view"]`, `"groups":[]`, `"username":"benny"`)
		root.Patch(ben, map[string]any{"email": "benny@example.com"}).Expect(http.StatusOK).Contains(`"email":"benny@example.com"`, `"emailVerifiedAt":null`)
		o.Post("/api/auth/login", map[string]any{"email": "benny@example.com", "password": password}).Expect(http.StatusOK)
		root.Patch(ben, map[string]any{"isActive": false}).Expect(http.StatusOK).Contains(`"isActive":false`)
		o.Post("/api/auth/login", map[string]any{"email": "benny@example.com", "password": password}).Expect(http.StatusUnauthorized)
		root.Delete(ben).Expect(http.StatusNoContent)
		root.Get(ben).Expect(http.StatusNotFound)
	})
}

func TestTheListOfUsers(t *testing.T) {
	inOffice(t, func(o *office) {
		must(o.T, o.service.Users.SetActive(o.Context(), o.db.Session(), o.people["ann"].ID, false))
		viewer := o.as(o.T, "viewer")
		for query, want := range map[string]string{
			"": `"count":5`, "?search=CLERK@": `"count":1`, "?search=bos": `"count":1`, "?isActive=false": `"count":1`, "?isSuperuser=true": `"count":1`,
			"?isStaff=true": `"count":2`, "?group=" + o.groups["milkers"].String(): `"count":1`, "?ordering=-email": `"count":5`,
		} {
			viewer.Get(usersPath+query).Expect(http.StatusOK).Contains(want).Lacks("hash", "pbkdf2")
		}
	})
}

// TestNoCallerBecomesMorePowerful: a caller who may change users tries to get the rights of a superuser, or those of
// another user.
func TestNoCallerBecomesMorePowerful(t *testing.T) {
	type body = map[string]any
	inOffice(t, func(o *office) {
		o.group("empty")
		milkers, viewers := o.groups["milkers"], o.groups["viewers"]
		newcomer := func(more body) body {
			all := body{"email": "new@example.com", "password": password}
			maps.Copy(all, more)
			return all
		}
		for _, c := range []struct {
			name         string
			who          string
			method, path string
			body         any
			status       int
			code         string
		}{
			{"makes oneself a superuser", "clerk", "PATCH", o.at("clerk"), body{"isSuperuser": true}, 400, accounts.CodeRightNotHeld},
			{"makes oneself staff", "clerk", "PATCH", o.at("clerk"), body{"isStaff": true}, 400, accounts.CodeRightNotHeld},
			{"gives oneself a permission that one lacks", "clerk", "PATCH", o.at("clerk"), body{"permissions": []any{"users.view", "users.change", "cows.milk"}}, 400, accounts.CodeRightNotHeld},
			{"joins a group with a permission that one lacks", "clerk", "PATCH", o.at("clerk"), body{"groups": []any{milkers}}, 400, accounts.CodeRightNotHeld},
			{"makes another user a superuser", "clerk", "PATCH", o.at("ann"), body{"isSuperuser": true}, 400, accounts.CodeRightNotHeld},
			{"makes another user staff", "clerk", "PATCH", o.at("ann"), body{"isStaff": true}, 400, accounts.CodeRightNotHeld},
			{"gives another user a permission that one lacks", "clerk", "PATCH", o.at("ann"), body{"permissions": []any{"groups.change"}}, 400, accounts.CodeRightNotHeld},
			{"puts another user into a stronger group", "clerk", "PATCH", o.at("ann"), body{"groups": []any{milkers, viewers}}, 400, accounts.CodeRightNotHeld},
			{"makes a new superuser", "clerk", "POST", usersPath, newcomer(body{"isSuperuser": true}), 400, accounts.CodeRightNotHeld},
			{"makes new staff", "clerk", "POST", usersPath, newcomer(body{"isStaff": true}), 400, accounts.CodeRightNotHeld},
			{"makes a new user with a permission that one lacks", "clerk", "POST", usersPath, newcomer(body{"permissions": []any{"cows.milk"}}), 400, accounts.CodeRightNotHeld},
			{"makes a new user in a stronger group", "clerk", "POST", usersPath, newcomer(body{"groups": []any{milkers}}), 400, accounts.CodeRightNotHeld},
			{"sets the password of a superuser", "clerk", "POST", o.at("root") + "password/", body{"password": newPassword}, 403, "not_yours"},
			{"sets the password of stronger staff", "clerk", "POST", o.at("boss") + "password/", body{"password": newPassword}, 403, "not_yours"},
			{"sets the own password without the current one", "clerk", "POST", o.at("clerk") + "password/", body{"password": newPassword}, 409, accounts.CodeOwnAccount},
			{"takes over a superuser by the e-mail address", "clerk", "PATCH", o.at("root"), body{"email": "clerk2@example.com"}, 403, "not_yours"},
			{"takes over stronger staff by the e-mail address", "clerk", "PATCH", o.at("boss"), body{"email": "clerk2@example.com"}, 403, "not_yours"},
			{"changes the own e-mail address without the password", "clerk", "PATCH", o.at("clerk"), body{"email": "clerk2@example.com"}, 409, accounts.CodeOwnAccount},
			{"takes the e-mail address of a superuser", "clerk", "PATCH", o.at("ann"), body{"email": "root@example.com"}, 409, "email_taken"},
			{"disables a superuser", "clerk", "PATCH", o.at("root"), body{"isActive": false}, 403, "not_yours"},
			{"demotes a superuser", "clerk", "PATCH", o.at("root"), body{"isSuperuser": false}, 403, "not_yours"},
			{"deletes a superuser", "clerk", "DELETE", o.at("root"), nil, 403, "not_yours"},
			{"signs a superuser out", "clerk", "POST", o.at("root") + "logout/", nil, 403, "not_yours"},
			{"takes permissions from a stronger user", "clerk", "PATCH", o.at("boss"), body{"permissions": []any{}}, 403, "not_yours"},
			{"staff disables a superuser", "boss", "PATCH", o.at("root"), body{"isActive": false}, 403, "not_yours"},
			{"staff changes a user with a permission that it lacks", "boss", "PATCH", o.at("clerk"), body{"name": "x"}, 403, "not_yours"},
			{"gives a group a permission that one lacks", "boss", "PATCH", groupsPath + o.groups["empty"].String() + "/", body{"permissions": []any{"cows.view"}}, 400, accounts.CodeRightNotHeld},
			{"makes a group with a permission that one lacks", "boss", "POST", groupsPath, body{"name": "new", "permissions": []any{"cows.view"}}, 400, accounts.CodeRightNotHeld},
			{"renames a stronger group", "boss", "PATCH", groupsPath + viewers.String() + "/", body{"name": "guests"}, 403, "not_yours"},
			{"deletes a stronger group", "boss", "DELETE", groupsPath + viewers.String() + "/", nil, 403, "not_yours"},
			{"changes groups with the rights of users alone", "clerk", "POST", groupsPath, body{"name": "new"}, 403, "forbidden"},
			{"reads the access of all kinds of callers", "boss", "GET", "/api/accounts/access/", nil, 403, "forbidden"},
			{"reads what another user may do", "boss", "GET", o.at("ann") + "access/", nil, 403, "forbidden"},
			{"changes a user with the right to see them alone", "viewer", "PATCH", o.at("ann"), body{"name": "x"}, 403, "forbidden"},
			{"sets a password with the right to see users alone", "viewer", "POST", o.at("ann") + "password/", body{"password": newPassword}, 403, "forbidden"},
			{"signs a user out with the right to see users alone", "viewer", "POST", o.at("ann") + "logout/", nil, 403, "forbidden"},
			{"makes a user with the right to see users alone", "viewer", "POST", usersPath, newcomer(nil), 403, "forbidden"},
			{"lists users without a right", "ann", "GET", usersPath, nil, 403, "forbidden"},
			{"reads the own row without a right", "ann", "GET", o.at("ann"), nil, 403, "forbidden"},
			{"a superuser disables oneself", "root", "PATCH", o.at("root"), body{"isActive": false}, 409, accounts.CodeOwnAccount},
			{"a superuser demotes oneself", "root", "PATCH", o.at("root"), body{"isSuperuser": false}, 409, accounts.CodeOwnAccount},
			{"a superuser deletes oneself", "root", "DELETE", o.at("root"), nil, 409, accounts.CodeOwnAccount},
		} {
			o.Run(c.name, func(t *testing.T) {
				answer := o.as(t, c.who).Do(c.method, c.path, c.body).Expect(c.status).Contains(`"code":"` + c.code + `"`)
				if c.status != http.StatusBadRequest {
					answer.Code(c.code)
				}
			})
		}
		o.Get(usersPath).Expect(http.StatusUnauthorized)
		if root, clerk := o.now("root"), o.now("clerk"); !root.IsActive || !root.IsSuperuser || root.Email != "root@example.com" || clerk.IsSuperuser || clerk.IsStaff {
			o.Errorf("root is %+v, and clerk %+v", root, clerk)
		}
		if got := o.rights("clerk"); got != "cows.view users.add users.change users.delete users.view" {
			o.Errorf("clerk holds %s", got)
		}
		for _, name := range []string{"root", "boss", "clerk", "ann"} {
			o.signsIn(name, password, true)
		}
	})
}

// TestWhatAWeakerAdministratorMayDo: all that gives no right that the administrator lacks.
func TestWhatAWeakerAdministratorMayDo(t *testing.T) {
	inOffice(t, func(o *office) {
		clerk := o.as(o.T, "clerk")
		clerk.Patch(o.at("ann"), map[string]any{"permissions": []any{"cows.view"}, "groups": []any{o.groups["viewers"]}, "name": "Ann"}).Expect(http.StatusOK)
		if got := o.rights("ann"); got != "cows.view" {
			o.Errorf("ann holds %s", got)
		}
		clerk.Post(o.at("ann")+"password/", map[string]any{"password": newPassword}).Expect(http.StatusNoContent)
		o.as(o.T, "ann").Get("/api/auth/me").Expect(http.StatusUnauthorized)
		o.signsIn("ann", password, false)
		o.signsIn("ann", newPassword, true)
		clerk.Patch(o.at("clerk"), map[string]any{"name": "The clerk"}).Expect(http.StatusOK)
		clerk.Delete(o.at("ann")).Expect(http.StatusNoContent)
		clerk.Patch(o.at("viewer"), map[string]any{"permissions": []any{}}).Expect(http.StatusOK)
		o.as(o.T, "viewer").Get(usersPath).Expect(http.StatusForbidden)
	})
}
