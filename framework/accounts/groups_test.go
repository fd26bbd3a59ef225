package accounts_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/accounts"
	"trestle.example/framework/auth"
)

func TestAdministratorsManageGroups(t *testing.T) {
	inOffice(t, func(o *office) {
		root := o.as(o.T, "root")
		nurses := root.Post(groupsPath, map[string]any{"name": "nurses", "permissions": []any{"cows.view", "cows.milk", "cows.view"}}).
			Expect(http.StatusCreated).Contains(`"permissions":["cows.milk","cows.view"]`, `"members":0`).Headers().Get("Location")
		root.Patch(o.at("ann"), map[string]any{"groups": []any{lastOf(nurses)}}).Expect(http.StatusOK)
		root.Get(nurses).Expect(http.StatusOK).Contains(`"members":1`)
		if got := o.rights("ann"); got != "cows.milk cows.view" {
			o.Errorf("ann holds %q", got)
		}
		root.Patch(nurses, map[string]any{"permissions": []any{"cows.view"}}).Expect(http.StatusOK).Contains(`"name":"nurses"`, `"permissions":["cows.view"]`)
		if got := o.rights("ann"); got != "cows.view" {
			o.Errorf("ann holds %q", got)
		}
		root.Patch(nurses, map[string]any{"name": "carers"}).Expect(http.StatusOK).Contains(`"name":"carers"`, `"permissions":["cows.view"]`)
		root.Patch(nurses, map[string]any{"name": "milkers"}).Expect(http.StatusConflict).Code("not_unique")
		root.Delete(nurses).Expect(http.StatusNoContent)
		if got := o.rights("ann"); got != "" {
			o.Errorf("ann holds %q", got)
		}
		boss := o.as(o.T, "boss")
		boss.Get(groupsPath).Expect(http.StatusOK).Contains(`"count":2`)
		boss.Patch(groupsPath+o.groups["milkers"].String()+"/", map[string]any{"name": "milk", "permissions": []any{"cows.milk", "users.view"}}).Expect(http.StatusOK)
	})
}

// lastOf returns the last segment of a path that ends in a slash.
func lastOf(path string) string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	return parts[len(parts)-1]
}

func TestWrongInputOfAccounts(t *testing.T) {
	type body = map[string]any
	inOffice(t, func(o *office) {
		for _, c := range []struct {
			name         string
			method, path string
			body         body
			at, code     string
		}{
			{"no e-mail address", "POST", usersPath, body{"password": password}, "/email", "required"},
			{"no valid e-mail address", "POST", usersPath, body{"email": "ann", "password": password}, "/email", "email"},
			{"no password", "POST", usersPath, body{"email": "new@example.com"}, "/password", "required"},
			{"a common password", "POST", usersPath, body{"email": "new@example.com", "password": "password1"}, "/password", "too_common"},
			{"the e-mail address as password", "POST", o.at("ann") + "password/", body{"password": "ann@example.com"}, "/password", "same_as_email"},
			{"a user name like an e-mail address", "PATCH", o.at("ann"), body{"username": "a@b"}, "/username", "username"},
			{"a permission of one word", "PATCH", o.at("ann"), body{"permissions": []any{"cows.view", "cows"}}, "/permissions/1", "permission"},
			{"a permission in capitals", "POST", groupsPath, body{"name": "new", "permissions": []any{"Cows.View"}}, "/permissions/0", "permission"},
			{"a group that does not exist", "PATCH", o.at("ann"), body{"groups": []any{o.groups["milkers"], uuid.New()}}, "/groups/1", "invalid_reference"},
			{"a group that is no key", "PATCH", o.at("ann"), body{"groups": []any{"milkers"}}, "/groups/0", "format"},
			{"a group twice", "PATCH", o.at("ann"), body{"groups": []any{o.groups["milkers"], o.groups["milkers"]}}, "/groups", "unique"},
			{"no name of a group", "POST", groupsPath, body{}, "/name", "required"},
			{"null for whether a user is active", "PATCH", o.at("ann"), body{"isActive": nil}, "/isActive", "null"},
		} {
			o.Run(c.name, func(t *testing.T) {
				o.as(t, "root").Do(c.method, c.path, c.body).Expect(http.StatusBadRequest).Fault(c.at, c.code)
			})
		}
		o.as(o.T, "root").Post(usersPath, body{"email": "ANN@example.com", "password": password}).Expect(http.StatusConflict).Code(auth.CodeEmailTaken)
		o.as(o.T, "root").Patch(o.at("ann"), body{"username": "annie"}).Expect(http.StatusOK)
		o.as(o.T, "root").Patch(o.at("boss"), body{"username": "Annie"}).Expect(http.StatusConflict).Code("not_unique")
		if got := o.rights("ann"); got != "" {
			o.Errorf("ann holds %q", got)
		}
	})
}

// TestOneSuperuserRemains: two superusers who demote, disable or delete each other at the same time do
// not both succeed.
func TestOneSuperuserRemains(t *testing.T) {
	inOffice(t, func(o *office) {
		for round := range 6 {
			o.person("first", auth.NewUser{Superuser: true})
			o.person("second", auth.NewUser{Superuser: true})
			if round == 0 {
				o.as(o.T, "first").Patch(o.at("root"), map[string]any{"isSuperuser": false}).Expect(http.StatusOK)
			}
			var answers [2]int
			done := make(chan struct{})
			attack := func(i int, who, whom string) {
				defer func() { done <- struct{}{} }()
				client := o.as(o.T, who)
				switch round % 3 {
				case 0:
					answers[i] = client.Patch(o.at(whom), map[string]any{"isSuperuser": false}).Status()
				case 1:
					answers[i] = client.Patch(o.at(whom), map[string]any{"isActive": false}).Status()
				default:
					answers[i] = client.Delete(o.at(whom)).Status()
				}
			}
			go attack(0, "first", "second")
			go attack(1, "second", "first")
			<-done
			<-done
			left, err := o.db.NewSelect().Table("auth_users").Where("is_superuser").Where("is_active").Count(o.Context())
			must(o.T, err)
			if left < 1 {
				o.Fatalf("round %d: %d superusers are left; the answers are %v", round, left, answers)
			}
			_, err = o.db.NewDelete().Table("auth_users").Where("email IN ('first@example.com', 'second@example.com')").Exec(o.Context())
			must(o.T, err)
		}
	})
}

// TestTheLastSuperuserStays: a caller of another scheme is a superuser without a row.
func TestTheLastSuperuserStays(t *testing.T) {
	inOffice(t, func(o *office) {
		o.person("second", auth.NewUser{Superuser: true})
		second := o.as(o.T, "second")
		must(o.T, o.service.Users.SetActive(o.Context(), o.db.Session(), o.people["second"].ID, false))
		second.Patch(o.at("root"), map[string]any{"isSuperuser": false}).Expect(http.StatusUnauthorized)
		must(o.T, o.service.Users.SetActive(o.Context(), o.db.Session(), o.people["second"].ID, true))
		second.Patch(o.at("root"), map[string]any{"isSuperuser": false}).Expect(http.StatusOK)
		o.as(o.T, "root").Patch(o.at("second"), map[string]any{"isSuperuser": false}).Expect(http.StatusForbidden)
	})
}

// TestSignInsOfAUser: administrators list and end them; a user sees and ends their own.
func TestSignInsOfAUser(t *testing.T) {
	inOffice(t, func(o *office) {
		ctx, s, ann := o.Context(), o.db.Session(), o.people["ann"]
		secret, phone, err := o.service.Users.IssueToken(ctx, s, ann, "phone", time.Hour)
		must(o.T, err)
		viewer, clerk := o.as(o.T, "viewer"), o.as(o.T, "clerk")
		viewer.Get(o.at("ann")+"tokens/").Expect(http.StatusOK).Contains(`"count":2`, `"name":"phone"`, secret.Reveal()[:8]).Lacks("hash", secret.Reveal())
		viewer.Delete(o.at("ann") + "tokens/" + phone.ID.String() + "/").Expect(http.StatusForbidden)
		ofRoot, err := o.service.Users.ListTokens(ctx, s, o.people["root"].ID)
		must(o.T, err)
		clerk.Delete(o.at("root") + "tokens/" + ofRoot[0].ID.String() + "/").Expect(http.StatusForbidden).Code("not_yours")
		clerk.Delete(o.at("ann") + "tokens/" + ofRoot[0].ID.String() + "/").Expect(http.StatusNotFound)
		clerk.Delete(o.at("viewer") + "tokens/" + phone.ID.String() + "/").Expect(http.StatusNotFound)
		clerk.Delete(o.at("ann") + "tokens/" + phone.ID.String() + "/").Expect(http.StatusNoContent)
		o.With("Authorization", "Token "+secret.Reveal()).Get("/api/auth/me").Expect(http.StatusUnauthorized)
		clerk.Post(o.at("ann")+"logout/", nil).Expect(http.StatusNoContent)
		o.as(o.T, "ann").Get("/api/auth/me").Expect(http.StatusUnauthorized)
		clerk.Get(o.at("ann") + "sessions/").Expect(http.StatusOK).Contains(`"count":0`)
	})
}

func TestOwnSignIns(t *testing.T) {
	inOffice(t, func(o *office) {
		ctx, s, ann := o.Context(), o.db.Session(), o.people["ann"]
		secret, phone, err := o.service.Users.IssueToken(ctx, s, ann, "phone", time.Hour)
		must(o.T, err)
		other, err := o.service.JWT.Issue(ctx, s, ann)
		must(o.T, err)
		ann1 := o.as(o.T, "ann")
		ann1.Get("/api/auth/tokens").Expect(http.StatusOK).Contains(`"count":2`, `"name":"phone"`, `"name":"laptop"`).Lacks("hash", secret.Reveal())
		ann1.Get("/api/auth/sessions").Expect(http.StatusOK).Contains(`"count":0`)
		o.as(o.T, "root").Get("/api/auth/tokens").Expect(http.StatusOK).Contains(`"count":1`)
		o.as(o.T, "root").Delete("/api/auth/tokens/" + phone.ID.String()).Expect(http.StatusNotFound)
		o.Get("/api/auth/tokens").Expect(http.StatusUnauthorized)
		ann1.Delete("/api/auth/tokens/" + phone.ID.String()).Expect(http.StatusNoContent)
		o.With("Authorization", "Token "+secret.Reveal()).Get("/api/auth/me").Expect(http.StatusUnauthorized)
		jwt := o.With("Authorization", "Bearer "+other.Access.Reveal())
		jwt.Get("/api/auth/me").Expect(http.StatusOK)
		ann1.Post("/api/auth/logout/everywhere", nil).Expect(http.StatusNoContent)
		jwt.Get("/api/auth/me").Expect(http.StatusUnauthorized)
		ann1.Get("/api/auth/me").Expect(http.StatusUnauthorized)
		o.as(o.T, "root").Get("/api/auth/me").Expect(http.StatusOK)
	})
}

// TestTheAuditLog: each change says who made it, without an e-mail address or a password.
func TestTheAuditLog(t *testing.T) {
	inOffice(t, func(o *office) {
		root, by := o.as(o.T, "root"), o.people["root"].ID.String()
		root.Post(usersPath, map[string]any{"email": "new@example.com", "password": password, "groups": []any{o.groups["milkers"]}}).Expect(http.StatusCreated)
		root.Patch(o.at("ann"), map[string]any{"isStaff": true, "permissions": []any{"cows.view"}, "email": "ann2@example.com", "name": "A"}).Expect(http.StatusOK)
		root.Patch(o.at("ann"), map[string]any{"isActive": false}).Expect(http.StatusOK)
		root.Patch(o.at("ann"), map[string]any{"isActive": true}).Expect(http.StatusOK)
		root.Post(o.at("ann")+"password/", map[string]any{"password": newPassword}).Expect(http.StatusNoContent)
		root.Post(o.at("ann")+"logout/", nil).Expect(http.StatusNoContent)
		root.Delete(o.at("ann")).Expect(http.StatusNoContent)
		root.Delete(groupsPath + o.groups["milkers"].String() + "/").Expect(http.StatusNoContent)
		for _, event := range []string{
			"user_created", "group_joined", "user_rights_changed", "permission_granted", "email_changed", "account_changed", "user_disabled", "user_enabled",
			"password_changed", "sign_ins_ended", "account_deleted", "group_deleted",
		} {
			line := o.wait(event)
			if line["by"] != by || line["request"] == "" || (line["user"] == nil) != (event == "group_deleted") {
				o.Errorf("%s has the line %v", event, line)
			}
			for name, value := range line {
				if text, ok := value.(string); ok && (strings.Contains(text, "@") || strings.Contains(text, "words")) {
					o.Errorf("%s has %s in %s", event, text, name)
				}
			}
		}
	})
}

// TestTheHistoryOfAUser shows the columns that changed, never a hash.
func TestTheHistoryOfAUser(t *testing.T) {
	inOffice(t, func(o *office) {
		root := o.as(o.T, "root")
		root.Patch(o.at("ann"), map[string]any{"isStaff": true, "email": "ann2@example.com"}).Expect(http.StatusOK)
		root.Post(o.at("ann")+"password/", map[string]any{"password": newPassword}).Expect(http.StatusNoContent)
		root.Get(o.at("ann")+"history/").Expect(http.StatusOK).
			Contains(`"isStaff":{"from":false,"to":true}`, `"email":{"from":"ann@example.com","to":"ann2@example.com"}`, o.people["root"].ID.String()).
			Lacks("hash", "pbkdf2")
		o.as(o.T, "boss").Get(o.at("clerk") + "history/").Expect(http.StatusOK)
	})
}

// TestPermissionsAndAccess show what the declarations say.
func TestPermissionsAndAccess(t *testing.T) {
	inOffice(t, func(o *office) {
		var known accounts.PermissionsView
		o.as(o.T, "viewer").Get("/api/accounts/permissions/").Expect(http.StatusOK).JSON(&known)
		for _, want := range []accounts.PermissionView{{Name: "users.view", Held: true}, {Name: "users.change"}, {Name: "groups.change"}} {
			if !slices.Contains(known.Permissions, want) {
				o.Errorf("the permissions are %v; want %v among them", known.Permissions, want)
			}
		}
		o.as(o.T, "ann").Get("/api/accounts/permissions/").Expect(http.StatusForbidden)
		var kinds accounts.AccessView
		o.as(o.T, "root").Get("/api/accounts/access/").Expect(http.StatusOK).JSON(&kinds)
		list := accounts.EndpointView{
			Method: "GET", Path: usersPath, Permission: "users.view|add|change|delete", Rows: "public", Visitor: "refused", User: "refused", Staff: "refused", Superuser: "allowed",
		}
		if i := slices.IndexFunc(kinds.Endpoints, func(e accounts.EndpointView) bool { return e.Method == http.MethodGet && e.Path == usersPath }); i < 0 || kinds.Endpoints[i] != list {
			o.Errorf("the access is %+v", kinds.Endpoints)
		}
		for name, want := range map[string]string{"viewer": "allowed", "ann": "refused"} {
			var of accounts.UserAccessView
			o.as(o.T, "root").Get(o.at(name) + "access/").Expect(http.StatusOK).JSON(&of)
			if i := slices.IndexFunc(of.Endpoints, func(e accounts.UserEndpointView) bool { return e.Method == http.MethodGet && e.Path == usersPath }); i < 0 || of.Endpoints[i].Access != want {
				o.Errorf("the access of %s is %+v", name, of.Endpoints)
			}
		}
	})
}
