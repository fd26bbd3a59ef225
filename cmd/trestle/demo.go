package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/pflag"
	"github.com/uptrace/bun"

	"trestle.example/framework/auth"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/clinic"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/seed"
)

// A demoUser is a user of the demo data.
type demoUser struct {
	auth.NewUser

	kind        string
	permissions []string
	owner       bool // patients and orders belong to this user
}

// triedOut is the e-mail address of the demo user whose token a demo server prints. The user
// has no permissions.
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

// A demo is the mark of a database with demo data: the one row of its table.
type demo struct {
	bun.BaseModel `bun:"table:trestle_demo"`

	ID           int64 `bun:",pk"` // 1: there is only one
	Patients     int64
	Appointments int64
	Products     int64
	SeededAt     time.Time
}

// demoData returns the demo data of a clinic and a store.
func demoData() *program.Demo {
	return &program.Demo{Usage: "[--scale N]", Long: demoLong, Example: demoExample, Flags: addDemoFlags, Plan: sowingOf, Visitor: triedOut, Requests: demoRequests}
}

const demoLong = `Seed makes the demo data of a clinic and of a store, and a user of each kind:
patients, doctors and appointments; products, orders in every state and a cart.
The records are the same each time; the users' passwords are random and printed
this once, on standard output.

A database that is a demo's already is left as it is: --force then adds the
records that are missing, gives the demo's users new passwords and revokes their
tokens. A database that has users and is not a demo's is rejected without
--force. With TRESTLE_ENV=production nothing is ever seeded.`

const demoExample = `  trestle seed
  trestle seed --scale 100 --force
  trestle seed --products 100000`

func addDemoFlags(flags *pflag.FlagSet) {
	flags.Int("scale", 1, "`number` of times as many records: 200 patients, 600 appointments, 12 doctors and 120 products each")
	flags.Int("patients", 0, "`number` of patients, whatever the scale")
	flags.Int("appointments", 0, "`number` of appointments, whatever the scale")
	flags.Int("products", 0, "`number` of products, whatever the scale")
}

// maxSeeds is the most records of one kind, so that a mistyped number does not fill the disk.
const maxSeeds = 10_000_000

// sowingOf returns a sowing of the amounts that the flags say. An amount out of range is an
// error.
func sowingOf(flags *pflag.FlagSet) (program.Sowing, error) {
	scale, _ := flags.GetInt("scale")
	if largest := maxSeeds / clinic.SeedAppointments; scale < 1 || scale > largest {
		return nil, fmt.Errorf("--scale is %d; it must be from 1 to %d", scale, largest)
	}
	w := &sowing{
		clinic: clinic.SeedOptions{
			Doctors: scale * clinic.SeedDoctors, Patients: scale * clinic.SeedPatients, Appointments: scale * clinic.SeedAppointments,
		},
		store: seed.Options{Products: scale * seed.DefaultProducts},
	}
	for name, size := range map[string]*int{"patients": &w.clinic.Patients, "appointments": &w.clinic.Appointments, "products": &w.store.Products} {
		if !flags.Changed(name) {
			continue
		}
		if *size, _ = flags.GetInt(name); *size < 1 || *size > maxSeeds {
			return nil, fmt.Errorf("--%s is %d; it must be from 1 to %d", name, *size, maxSeeds)
		}
	}
	return w, nil
}

// demoRequests returns lines with two commands: one reads the clinic with a token, the other
// reads the store without signing in.
func demoRequests(base string, token auth.Secret) []string {
	return []string{
		"Try it as " + triedOut + ", for 12 hours:", "",
		fmt.Sprintf("  curl -H 'Authorization: Token %s' '%s/api/patients/?search=an&ordering=-city'", token.Reveal(), base), "",
		"or read the store without signing in:", "", "  curl '" + base + "/api/products?q=atta&inStock=true&sort=price_asc'", "",
	}
}

// A sowing makes an amount of demo data.
type sowing struct {
	program.SowOptions

	clinic clinic.SeedOptions
	store  seed.Options
	users  *auth.Users

	before *demo              // the demo that was there already
	made   []program.DemoUser // with new passwords
}

// requireDemoTable returns an error if the table of the mark, or a column of the table, is
// missing. Only seeding needs the table, so the program serves without it.
func requireDemoTable(ctx context.Context, db *sqldb.DB) error {
	table := db.Table(reflect.TypeFor[demo]())
	columns, err := db.Columns(ctx, table.Name)
	if err != nil {
		return err
	}
	const cure = "restore it from a backup, or seed another database, named by DATABASE_URL"
	if len(columns) == 0 {
		return program.NeedsAction("the database has no table %q, in which seed records its demo data; %s", table.Name, cure)
	}
	for _, f := range table.Fields {
		if !db.Kind().HasColumn(columns, f.Name) {
			return program.NeedsAction("the table %q, in which seed records its demo data, has no column %q; %s", table.Name, f.Name, cure)
		}
	}
	return nil
}

// findDemo returns the mark of the database, or nil if it has none.
func findDemo(ctx context.Context, in *sqldb.Session) (*demo, error) {
	var found []demo
	err := in.IDB().NewSelect().Model(&found).Scan(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// Sow implements [program.Sowing].
func (w *sowing) Sow(ctx context.Context, db *sqldb.DB, users *auth.Users, o program.SowOptions) (program.Sown, error) {
	w.SowOptions, w.users = o, users
	if err := requireDemoTable(ctx, db); err != nil {
		return program.Sown{}, err
	}
	var err error
	if w.before, err = findDemo(ctx, db.Session()); err == nil && (w.before == nil || o.Force) {
		err = db.InTx(ctx, func(ctx context.Context, in *sqldb.Session) error {
			w.made, w.before = nil, nil
			return w.sowIn(ctx, in)
		})
	}
	switch {
	case err != nil:
		return program.Sown{}, err
	case len(w.made) == 0:
		return program.Sown{Records: records(w.before.Patients, w.before.Appointments, w.before.Products), Since: w.before.SeededAt}, nil
	}
	return program.Sown{Records: records(int64(w.clinic.Patients), int64(w.clinic.Appointments), int64(w.store.Products)), Users: w.made}, nil
}

func records(patients, appointments, products int64) string {
	return fmt.Sprintf("%d patients, %d appointments, %d products", patients, appointments, products)
}

// sowIn makes the demo data. If the database has a mark and Force is not set, it changes
// nothing. It marks the database first: if two processes seed at once, the second waits for
// the first and then finds its mark.
func (w *sowing) sowIn(ctx context.Context, in *sqldb.Session) error {
	mark := demo{ID: 1, SeededAt: time.Now().UTC().Truncate(time.Microsecond)}
	result, err := in.Exec(ctx, in.IDB().NewInsert().Model(&mark).On("CONFLICT DO NOTHING"))
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil {
		return err
	} else if n == 0 {
		if w.before, err = findDemo(ctx, in); err != nil || !w.Force {
			return err
		}
	} else if err := w.requireNoUsers(ctx, in); err != nil {
		return err
	}
	if err := w.sowUsers(ctx, in); err != nil {
		return err
	}
	if err := w.sowRecords(ctx, in); err != nil {
		return err
	}
	return markDemo(ctx, in, mark)
}

// sowRecords makes the records of the clinic and of the store.
func (w *sowing) sowRecords(ctx context.Context, in *sqldb.Session) error {
	before := 0
	err := clinic.Seed(ctx, in, w.clinic, func(done, total int) {
		before = total
		w.Progress(done, total+w.store.Products)
	})
	if err != nil {
		return err
	}
	return seed.Insert(ctx, in, w.store, func(done, total int) { w.Progress(before+done, before+total) })
}

// requireNoUsers returns an error if the database has users. With --force it returns one only
// if a user has the e-mail address of a demo user: that user's password would change.
func (w *sowing) requireNoUsers(ctx context.Context, in *sqldb.Session) error {
	q := in.IDB().NewSelect().Model((*auth.User)(nil))
	if w.Force {
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
	case w.Force:
		return errors.New("users of this database have the e-mails of the demo's (admin, staff, asha, ravi @example.com), and it is not a demo's database; seed another one")
	}
	return program.NeedsAction("this database has users and is not a demo's; name another one by DATABASE_URL, or add demo data to it by: trestle seed --force")
}

// sowUsers makes the demo's users, or gives them new passwords. It stores for the records
// which users own the patients, which users order, and which user set the stocks.
func (w *sowing) sowUsers(ctx context.Context, in *sqldb.Session) error {
	w.clinic.Owners = nil
	for _, u := range demoUsers() {
		u.Password = newPassword(w.PasswordMin)
		id, err := w.sowUser(ctx, in, u)
		if err != nil {
			return fmt.Errorf("making the demo's user %s: %w", u.Email, err)
		}
		w.made = append(w.made, program.DemoUser{Email: u.Email, Password: auth.NewSecret(u.Password), Kind: u.kind})
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

func (w *sowing) sowUser(ctx context.Context, in *sqldb.Session, u demoUser) (uuid.UUID, error) {
	known, err := w.users.FindUser(ctx, in, u.Email)
	switch {
	case errors.Is(err, auth.ErrNotFound):
		known, err = w.users.CreateUser(ctx, in, u.NewUser)
	case err == nil:
		err = w.users.SetPassword(ctx, in, known.ID, u.Password)
	}
	if err != nil {
		return uuid.Nil, err
	}
	return known.ID, w.users.Grant(ctx, in, known.ID, u.permissions...)
}

// markDemo writes the numbers of rows that the database has into the mark.
func markDemo(ctx context.Context, in *sqldb.Session, mark demo) error {
	for model, n := range map[any]*int64{
		(*clinic.Patient)(nil): &mark.Patients, (*clinic.Appointment)(nil): &mark.Appointments, (*catalogue.Product)(nil): &mark.Products,
	} {
		var err error
		if *n, err = in.IDB().NewSelect().Model(model).Count(ctx); err != nil {
			return err
		}
	}
	_, err := in.Exec(ctx, in.IDB().NewUpdate().Model(&mark).WherePK())
	return err
}

// newPassword returns a password with at least 80 random bits and at least as many characters
// as least says, in groups of four, but never more than 128 characters.
func newPassword(least int) string {
	var groups []string
	for len(groups) < 4 || len(groups)*5-1 < least {
		groups = append(groups, strings.ToLower(rand.Text()[:4]))
	}
	password := strings.Join(groups, "-")
	return password[:min(len(password), 128)]
}
