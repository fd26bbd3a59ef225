package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/clinic"
	"trestle.example/resources/store"
)

// A demoUser is a user of the demo data, one of each kind.
type demoUser struct {
	auth.NewUser

	kind        string
	permissions []string
	owner       bool // patients belong to them, and they order
}

// triedOut is the demo user whose token a demo server prints: an ordinary one.
const triedOut = "asha@example.com"

func demoUsers() []demoUser {
	return []demoUser{
		{NewUser: auth.NewUser{Email: "admin@example.com", Name: "Admin", Staff: true, Superuser: true}, kind: "superuser, holds every permission"},
		{
			NewUser:     auth.NewUser{Email: "staff@example.com", Name: "Staff", Staff: true},
			kind:        "staff, sees all records and manages the doctors and the store",
			permissions: []string{"patients.view", "appointments.view", "doctors.view", "doctors.add", "doctors.change", "doctors.delete"},
		},
		{NewUser: auth.NewUser{Email: triedOut, Name: "Asha"}, kind: "owner of half of the patients, with orders and a cart", owner: true},
		{NewUser: auth.NewUser{Email: "ravi@example.com", Name: "Ravi"}, kind: "owner of the other half, with orders", owner: true},
	}
}

// A demo is the row that says that a database holds demo data.
type demo struct {
	bun.BaseModel `bun:"table:trestle_demo"`

	ID           int64 `bun:",pk"` // 1: there is only one
	Patients     int64
	Appointments int64
	Products     int64
	SeededAt     time.Time
}

// A sowing is what seeding was asked to make, and what it made.
type sowing struct {
	clinic clinic.SeedOptions
	store  store.SeedOptions

	force    bool
	progress func(done, total int)

	before *demo                  // the demo that was there already, nil for none
	users  map[string]auth.Secret // new passwords by e-mail
}

// findDemo returns the mark of a demo's database, or nil.
func (s *site) findDemo(ctx context.Context, in *sqldb.Session) (*demo, error) {
	var found []demo
	err := in.IDB().NewSelect().Model(&found).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// sow fills the database with demo data, all or nothing. A database that is a
// demo's already is left as it is, unless force asks for what is missing and
// for new passwords.
func (s *site) sow(ctx context.Context, w *sowing) error {
	var err error
	if w.before, err = s.findDemo(ctx, s.db.Session()); err != nil || w.before != nil && !w.force {
		return err
	}
	return s.db.InTx(ctx, func(ctx context.Context, in *sqldb.Session) error {
		w.users, w.before = map[string]auth.Secret{}, nil
		return s.sowIn(ctx, in, w)
	})
}

// sowIn marks the database first: of two who seed at once, one waits there and
// then finds the other's mark.
func (s *site) sowIn(ctx context.Context, in *sqldb.Session, w *sowing) error {
	mark := demo{ID: 1, SeededAt: time.Now().UTC().Truncate(time.Microsecond)}
	result, err := in.Exec(ctx, in.IDB().NewInsert().Model(&mark).On("CONFLICT DO NOTHING"))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		if w.before, err = s.findDemo(ctx, in); err != nil || !w.force {
			return err
		}
	} else if err := s.requireNoUsers(ctx, in, w); err != nil {
		return err
	}
	if err := s.sowUsers(ctx, in, w); err != nil {
		return err
	}
	if err := w.records(ctx, in); err != nil {
		return err
	}
	return s.markDemo(ctx, in, mark)
}

// records makes those of every service.
func (w *sowing) records(ctx context.Context, in *sqldb.Session) error {
	before := 0
	err := clinic.Seed(ctx, in, w.clinic, func(done, total int) {
		before = total
		w.progress(done, total+w.store.Products)
	})
	if err != nil {
		return err
	}
	return store.Seed(ctx, in, w.store, func(done, total int) { w.progress(before+done, before+total) })
}

// requireNoUsers refuses a database that is in use, and e-mails of the demo
// that are taken even by force: their passwords would change.
func (s *site) requireNoUsers(ctx context.Context, in *sqldb.Session, w *sowing) error {
	q := in.IDB().NewSelect().Model((*auth.User)(nil))
	if w.force {
		var emails []string
		for _, u := range demoUsers() {
			emails = append(emails, u.Email)
		}
		q = q.Where("email IN (?)", bun.List(emails))
	}
	n, err := q.Count(ctx)
	switch {
	case err != nil || n == 0:
		return err
	case w.force:
		return errors.New("users of this database have the e-mails of the demo's (admin, staff, asha, ravi @example.com), and it is not a demo's database; seed another one")
	}
	return needsAction("this database has users and is not a demo's; name another one by DATABASE_URL, or add demo data to it by: trestle seed --force")
}

// sowUsers makes the demo's users, or gives them new passwords, and notes who
// owns the patients, who orders, and who set the stocks.
func (s *site) sowUsers(ctx context.Context, in *sqldb.Session, w *sowing) error {
	w.clinic.Owners = nil
	for _, u := range demoUsers() {
		u.Password = newPassword(s.passwordMin)
		id, err := s.sowUser(ctx, in, u)
		if err != nil {
			return fmt.Errorf("making the demo's user %s: %w", u.Email, err)
		}
		w.users[u.Email] = auth.NewSecret(u.Password)
		if u.owner {
			w.clinic.Owners = append(w.clinic.Owners, id)
		}
		if u.Staff && !u.Superuser {
			w.store.Staff = id
		}
	}
	w.store.Customers = w.clinic.Owners
	return nil
}

func (s *site) sowUser(ctx context.Context, in *sqldb.Session, u demoUser) (uuid.UUID, error) {
	known, err := s.users.FindUser(ctx, in, u.Email)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		known, err = s.users.CreateUser(ctx, in, u.NewUser)
	case err == nil:
		err = s.users.SetPassword(ctx, in, known.ID, u.Password)
	}
	if err != nil {
		return uuid.Nil, err
	}
	return known.ID, s.users.Grant(ctx, in, known.ID, u.permissions...)
}

// markDemo completes the mark with what the database holds.
func (s *site) markDemo(ctx context.Context, in *sqldb.Session, mark demo) error {
	for model, n := range map[any]*int64{
		(*clinic.Patient)(nil): &mark.Patients, (*clinic.Appointment)(nil): &mark.Appointments, (*store.Product)(nil): &mark.Products,
	} {
		var err error
		if *n, err = in.IDB().NewSelect().Model(model).Count(ctx); err != nil {
			return err
		}
	}
	_, err := in.Exec(ctx, in.IDB().NewUpdate().Model(&mark).WherePK())
	return err
}

// newPassword has 80 random bits or more, in groups that can be typed, and at
// least so many characters; no password has more than 128.
func newPassword(least int) string {
	var groups []string
	for len(groups) < 4 || len(groups)*5-1 < least {
		groups = append(groups, strings.ToLower(rand.Text()[:4]))
	}
	password := strings.Join(groups, "-")
	return password[:min(len(password), 128)]
}
