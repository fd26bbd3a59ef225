package resources_test

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
	"trestle.example/resources/clinic"
	"trestle.example/resources/store/order"
)

// mark is in the texts of every row on stage: who reads it has seen one.
const mark = "kestrel"

// A stage has the rows that requests are about. Patients and appointments are
// the owner's. Two of the rows hold an appointment together, the others may be
// deleted.
type stage struct {
	*world

	owner   auth.User
	patient string // without an appointment
	orders  map[order.Status]string
}

// stage clears what was there and puts up new rows.
func (w *world) stage(owner auth.User) *stage {
	w.t.Helper()
	for _, table := range []string{
		"appointments", "patients", "doctors", "stock_movements", "order_items", "orders", "cart_items", "carts", "delivery_slots",
		"product_changes", "product_terms", "product_grams", "variants", "products", "categories",
	} {
		_, err := w.db.NewDelete().Table(table).Where("1 = 1").Exec(w.t.Context())
		w.must(err)
	}
	patients, doctors := []clinic.Patient{patientOf(owner), patientOf(owner)}, []clinic.Doctor{newDoctor(), newDoctor()}
	slot := clinic.Appointment{
		ID: newID(), PatientID: patients[1].ID, DoctorID: doctors[1].ID,
		Status: clinic.Booked, Notes: mark, CreatedAt: owner.CreatedAt, UpdatedAt: owner.UpdatedAt,
	}
	w.store(&patients)
	w.store(&doctors)
	w.store(&slot)
	s := &stage{world: w, owner: owner, patient: patients[0].ID.String()}
	s.shop()
	return s
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func patientOf(owner auth.User) clinic.Patient {
	return clinic.Patient{
		ID: newID(), OwnerID: owner.ID, Name: "A " + mark, Phone: "+91 50000 " + mark, City: mark,
		Search: sqldb.Document("A "+mark, "+91 50000 "+mark), CreatedAt: owner.CreatedAt, UpdatedAt: owner.UpdatedAt,
	}
}

func newDoctor() clinic.Doctor {
	return clinic.Doctor{ID: newID(), Name: "Dr " + mark, Speciality: mark}
}

func route(r framework.RouteInfo) string { return r.Method + " " + r.Path }

var createsTable = regexp.MustCompile(`CREATE TABLE (\w+)`)

// tables are all that the migrations make.
func (w *world) tables() (names []string) {
	w.t.Helper()
	for _, set := range resources.Migrations() {
		files, err := fs.Glob(set.FS, "*.up.sql")
		w.must(err)
		for _, file := range files {
			text, err := fs.ReadFile(set.FS, file)
			w.must(err)
			for _, found := range createsTable.FindAllSubmatch(text, -1) {
				names = append(names, string(found[1]))
			}
		}
	}
	return names
}

// contents are all rows of all tables, as text, without the tokens of mails: those are stored after
// the answer.
func (w *world) contents() string {
	w.t.Helper()
	var text strings.Builder
	for _, table := range w.tables() {
		if table == "auth_mail_links" {
			continue
		}
		fmt.Fprintf(&text, "%s:\n", table)
		w.dump(&text, table)
	}
	return text.String()
}

func (w *world) dump(to *strings.Builder, table string) {
	w.t.Helper()
	rows, err := w.db.QueryContext(w.t.Context(), "SELECT * FROM ? ORDER BY 1", bun.Ident(table)) //nolint:unqueryvet // every column there is
	w.must(err)
	defer rows.Close()
	columns, err := rows.Columns()
	w.must(err)
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		w.must(rows.Scan(into...))
		fmt.Fprintln(to, values...)
	}
	w.must(rows.Err())
}

// unchanged runs fn and checks that it wrote nothing.
func (w *world) unchanged(fn func()) {
	w.t.Helper()
	before := w.contents()
	fn()
	if after := w.contents(); after != before {
		w.t.Errorf("this wrote to the database; before:\n%s\nafter:\n%s", before, after)
	}
}
