package auth

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

func TestListUsers(t *testing.T) {
	onBoth(t, func(w *world) {
		var made []User
		for i := range 7 {
			made = append(made, w.user(fmt.Sprintf("user%d@example.com", 9-i))) // the newest last, in no order of names
		}
		w.must(w.users.SetActive(w.ctx, w.s, made[3].ID, false))
		made[3].IsActive = false

		for _, size := range []int{1, 3, 7, 8} {
			var all []User
			after, pages := uuid.Nil, 0
			for pages <= len(made) { // one page more than needed ends it
				page, err := w.users.ListUsers(w.ctx, w.s, after, size)
				w.must(err)
				all = append(all, page...)
				pages++
				if len(page) < size {
					break
				}
				after = page[len(page)-1].ID
			}
			if got, want := fmt.Sprint(all), fmt.Sprint(made); got != want {
				w.Errorf("in pages of %d: %s; want %s", size, got, want)
			}
			if want := 7/size + 1; pages != want {
				w.Errorf("%d pages of %d; want %d", pages, size, want)
			}
		}
		for _, limit := range []int{0, -1} {
			if page, err := w.users.ListUsers(w.ctx, w.s, uuid.Nil, limit); err != nil || len(page) != 1 {
				w.Errorf("limited to %d: %d users, %v; want one", limit, len(page), err)
			}
		}
	})
}

func TestEmptyLists(t *testing.T) {
	onBoth(t, func(w *world) {
		users, err := w.users.ListUsers(w.ctx, w.s, uuid.Nil, 10)
		if err != nil || users == nil || len(users) != 0 {
			w.Errorf("users %v, %v; want none", users, err)
		}
		groups, err := w.users.ListGroups(w.ctx, w.s)
		if err != nil || groups == nil || len(groups) != 0 {
			w.Errorf("groups %v, %v; want none", groups, err)
		}
		_, err = w.users.PermissionsOf(w.ctx, w.s, newID())
		wantNotFound(w.T, err)
	})
}

func TestPermissionsOf(t *testing.T) {
	onBoth(t, func(w *world) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		reception, err := w.users.CreateGroup(w.ctx, w.s, "reception", "patients.view", "patients.add")
		w.must(err)
		w.must(w.users.Grant(w.ctx, w.s, user.ID, "patients.view", "doctors.change"))
		w.must(w.users.Join(w.ctx, w.s, user.ID, reception.ID))
		for id, want := range map[uuid.UUID][]string{
			user.ID:  {"doctors.change", "patients.add", "patients.view"}, // direct ones and those of the group; one of them is both
			other.ID: nil,
		} {
			got, err := w.users.PermissionsOf(w.ctx, w.s, id)
			if err != nil || !slices.Equal(got, want) {
				w.Errorf("holds %q, %v; want %q", got, err, want)
			}
		}
	})
}

func TestListGroups(t *testing.T) {
	onBoth(t, func(w *world) {
		asha, ravi := w.user("asha@example.com"), w.user("ravi@example.com")
		night, err := w.users.CreateGroup(w.ctx, w.s, "night shift")
		w.must(err)
		reception, err := w.users.CreateGroup(w.ctx, w.s, "Reception", "patients.view", "patients.add")
		w.must(err)
		kitchen, err := w.users.CreateGroup(w.ctx, w.s, "kitchen", "meals.view")
		w.must(err)
		for _, user := range []User{asha, ravi} {
			w.must(w.users.Join(w.ctx, w.s, user.ID, reception.ID))
		}
		w.must(w.users.Join(w.ctx, w.s, ravi.ID, night.ID))
		w.must(w.users.Grant(w.ctx, w.s, ravi.ID, "orders.view")) // a direct permission

		want := fmt.Sprint([]GroupListing{
			{reception, []string{"patients.add", "patients.view"}, 2}, {kitchen, []string{"meals.view"}, 0}, {night, nil, 1},
		})
		got, err := w.users.ListGroups(w.ctx, w.s)
		if err != nil || fmt.Sprint(got) != want {
			w.Errorf("groups are %v, %v; want %v", got, err, want)
		}
	})
}

func TestListingInATransaction(t *testing.T) {
	onBoth(t, func(w *world) {
		w.must(w.db.InTx(w.ctx, func(ctx context.Context, s *sqldb.Session) error {
			user, err := w.users.CreateUser(ctx, s, NewUser{Email: "asha@example.com", Password: goodPassword})
			if err != nil {
				return err
			}
			if users, err := w.users.ListUsers(ctx, s, uuid.Nil, 5); err != nil || fmt.Sprint(users) != fmt.Sprint([]User{user}) {
				w.Errorf("within the transaction the users are %v, %v", users, err)
			}
			return nil
		}))
	})
}
