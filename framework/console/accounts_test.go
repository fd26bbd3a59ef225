package console_test

import (
	"log/slog"
	"net/http/httptest"
	"net/url"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/accounts"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// onAccounts runs a test with a console of accounts on each database.
func onAccounts(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		identity, err := auth.New(auth.Config{
			Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: slog.New(slog.DiscardHandler), Account: auth.AccountOptions{Change: true, LogoutEverywhere: true},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Migrate(t.Context(), nil, framework.Migrations(), auth.Migrations()); err != nil {
			t.Fatal(err)
		}
		api := framework.New(framework.Config{
			DB: db, Authentication: identity.Authentication(), Codes: append(identity.Codes(), accounts.Codes()...),
			Pagination: page.Number{Size: 60}, Log: slog.New(slog.DiscardHandler), Console: framework.Console{Path: "/admin/"},
		})
		api.Register(append(accounts.Own(identity), identity.ViewSet(), accounts.Administration(api, identity))...)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		test(t, &desk{t: t, db: db, identity: identity, url: server.URL})
	})
}

// TestTheConsoleManagesUsers: a superuser makes a group and a user by forms, and changes the user.
func TestTheConsoleManagesUsers(t *testing.T) {
	onAccounts(t, func(t *testing.T, d *desk) {
		d.user("boss@example.com", true)
		ann := d.user("ann@example.com", false)
		b := d.signedIn("boss@example.com")
		b.get("/admin/").is(200).says(`href="/admin/accounts/users/"`, `href="/admin/accounts/groups/"`, `href="/admin/accounts/access/"`,
			`href="/admin/auth/password/~post"`, `href="/admin/auth/tokens"`, `href="/admin/auth/sessions"`)
		b.get("/admin/accounts/groups/~post").is(200).says(`type="checkbox" name="permissions" value="users.view"`, `value="groups.change"`)
		b.submit("/admin/accounts/groups/~post", url.Values{"name": {"readers"}, "permissions": {"users.view", "groups.view"}}).is(303)
		readers, err := d.identity.Users.FindGroup(t.Context(), d.db.Session(), "readers")
		if err != nil {
			t.Fatal(err)
		}
		at := "/admin/accounts/users/" + ann.ID.String() + "/"
		form := b.get(at + "~patch").is(200)
		form.says(`type="checkbox" name="groups" value="` + readers.ID.String() + `"> <bdi>readers</bdi>`)
		b.submit(at+"~patch", url.Values{"groups": {readers.ID.String()}, "permissions": {"users.change"}, "isActive": {"true"}}).is(303)
		b.get(at).is(200).says(`href="/admin/accounts/groups/`+readers.ID.String()+`/"`, "readers", "users.change", `href="`+at+`tokens/"`, `href="`+at+`access/"`).lacks("hash")
		b.get(at+"~patch").is(200).says(`value="`+readers.ID.String()+`" checked`, `value="users.change" checked`, `value="users.view">`)
		held, err := d.identity.Users.PermissionsOf(t.Context(), d.db.Session(), ann.ID)
		if err != nil || len(held) != 3 {
			t.Fatalf("ann holds %v, %v", held, err)
		}
		b.submit(at+"~patch", url.Values{"name": {"Ann"}, "groups": {readers.ID.String()}, "permissions": {"users.change"}}).is(303)
		b.submit(at+"~patch", url.Values{}).is(303) // every box is cleared
		held, err = d.identity.Users.PermissionsOf(t.Context(), d.db.Session(), ann.ID)
		if err != nil || len(held) != 0 {
			t.Fatalf("ann holds %v, %v", held, err)
		}
		b.get(at+"access/").is(200).says("/api/accounts/users/", "refused")
		b.get("/admin/accounts/access/").is(200).says("Superuser", "/api/accounts/users/{id}/password/")
		b.submit(at+"password/~post", url.Values{"password": {"another four words walk"}}).is(303)
		if _, err := d.identity.Users.CheckPassword(t.Context(), d.db.Session(), "ann@example.com", "another four words walk"); err != nil {
			t.Fatal(err)
		}
	})
}

// TestTheConsoleOfAUserWithoutRights has the own account alone.
func TestTheConsoleOfAUserWithoutRights(t *testing.T) {
	onAccounts(t, func(t *testing.T, d *desk) {
		d.user("ann@example.com", false)
		b := d.signedIn("ann@example.com")
		b.get("/admin/").is(200).says(`href="/admin/auth/password/~post"`).lacks("accounts/users", "accounts/access")
		b.get("/admin/accounts/users/").is(403)
		b.get("/admin/auth/sessions").is(200).says("1 in all")
		b.submit("/admin/auth/password/~post", url.Values{"currentPassword": {password}, "password": {"another four words walk"}}).is(303)
		b.get("/admin/").is(200).says("ann@example.com")
		b.submit("/admin/auth/logout/everywhere/~post", url.Values{}).is(303)
		b.get("/admin/").is(303)
	})
}
