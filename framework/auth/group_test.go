package auth

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
)

// holds checks the permissions that a token's caller has.
func (w *world) holds(token string, want ...string) {
	w.Helper()
	caller, err := w.identify("Token " + token)
	w.must(err)
	if got := slices.Sorted(maps.Keys(caller.Permissions)); !slices.Equal(got, want) {
		w.Errorf("the caller holds %q, want %q", got, want)
	}
}

func TestPermissionsComeFromTheUserAndTheirGroups(t *testing.T) {
	onBoth(t, func(w *world) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		token, otherToken := w.token(user, 0), w.token(other, 0)
		w.holds(token)

		reception, err := w.users.CreateGroup(w.ctx, w.s, "reception", "patients.view", "patients.add")
		w.must(err)
		night, err := w.users.CreateGroup(w.ctx, w.s, "night shift")
		w.must(err)
		w.must(w.users.GrantGroup(w.ctx, w.s, night.ID, "patients.view", "doctors.view"))
		w.must(w.users.Join(w.ctx, w.s, user.ID, reception.ID))
		w.must(w.users.Join(w.ctx, w.s, user.ID, reception.ID)) // again
		w.must(w.users.Join(w.ctx, w.s, user.ID, night.ID))
		w.must(w.users.Grant(w.ctx, w.s, user.ID, "patients.view", "patients.view"))
		w.must(w.users.Grant(w.ctx, w.s, user.ID, "patients.view", "orders.change")) // one again
		w.must(w.users.Grant(w.ctx, w.s, user.ID))                                   // none
		w.holds(token, "doctors.view", "orders.change", "patients.add", "patients.view")
		w.holds(otherToken)

		took := func(taken []string, err error) string {
			w.must(err)
			return strings.Join(taken, " ")
		}
		if got := took(w.users.Revoke(w.ctx, w.s, user.ID, "patients.view", "orders.change", "never.held", "doctors.view")); got != "orders.change patients.view" {
			t.Errorf("removed %q; want the direct permissions of the user", got)
		}
		if got := took(w.users.Revoke(w.ctx, w.s, user.ID)); got != "" {
			t.Errorf("without names it removed %q", got)
		}
		w.holds(token, "doctors.view", "patients.add", "patients.view")
		if got := took(w.users.RevokeGroup(w.ctx, w.s, reception.ID, "patients.add", "doctors.view")); got != "patients.add" {
			t.Errorf("removed %q from the group; want the permissions of the group", got)
		}
		w.holds(token, "doctors.view", "patients.view")
		w.must(w.users.Leave(w.ctx, w.s, user.ID, night.ID))
		w.must(w.users.Leave(w.ctx, w.s, user.ID, night.ID)) // again
		w.holds(token, "patients.view")
	})
}

func TestGroupNames(t *testing.T) {
	onBoth(t, func(w *world) {
		made, err := w.users.CreateGroup(w.ctx, w.s, " Reception ", "patients.view")
		w.must(err)
		found, err := w.users.FindGroup(w.ctx, w.s, "Reception")
		if err != nil || found != made {
			w.Errorf("found %+v, %v; made %+v", found, err, made)
		}
		_, err = w.users.CreateGroup(w.ctx, w.s, "Reception")
		wantInput(w.T, err, "name", "unique")
		_, err = w.users.CreateGroup(w.ctx, w.s, "  ")
		wantInput(w.T, err, "name", "required")
		_, err = w.users.CreateGroup(w.ctx, w.s, "Kitchen", "patients.view", "no permission")
		wantInput(w.T, err, "permission", "permission")
		_, err = w.users.FindGroup(w.ctx, w.s, "Kitchen")
		wantNotFound(w.T, err) // the rejected group left nothing
		w.must(w.db.InTx(w.ctx, func(ctx context.Context, tx *sqldb.Session) error {
			_, err := w.users.CreateGroup(ctx, tx, "Kitchen", "patients.view", "no permission")
			wantInput(w.T, err, "permission", "permission")
			return nil // the function of the caller commits
		}))
		_, err = w.users.FindGroup(w.ctx, w.s, "Kitchen")
		wantNotFound(w.T, err)
	})
}

func TestPermissionNames(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		for _, good := range []string{"patients.view", "order-items.change", "line_items.delete", "reports2.export_all"} {
			if err := w.users.Grant(w.ctx, w.s, user.ID, good); err != nil {
				w.Errorf("%q was rejected: %v", good, err)
			}
		}
		for _, bad := range []string{
			"", "patients", "patients.", ".view", "Patients.view", "patients.view ", "patients view",
			"patients.view\n", "patients.view.all", "patients.view orders.view", "*.view", strings.Repeat("a", 300) + ".view",
		} {
			w.Run(bad, func(t *testing.T) {
				wantInput(t, w.users.Grant(w.ctx, w.s, user.ID, "doctors.view", bad), "permission", "permission")
			})
		}
		w.holds(w.token(user, 0), "line_items.delete", "order-items.change", "patients.view", "reports2.export_all")
	})
}
