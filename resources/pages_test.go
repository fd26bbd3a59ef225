package resources_test

import (
	"context"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
	"trestle.example/resources/clinic"
	"trestle.example/resources/store/order"
	"trestle.example/resources/store/seed"
)

// An office is the whole server with its console, and the people who work with it.
type office struct {
	t        *testing.T
	db       *sqldb.DB
	identity *auth.Service
	url      string
}

// openOffice serves all services with a console.
func openOffice(t *testing.T, db *sqldb.DB) *office {
	t.Helper()
	o := &office{t: t, db: db}
	var err error
	o.identity, err = resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: slog.New(slog.DiscardHandler), Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}})
	o.must(err)
	config := resources.Config(db, 20, o.identity)
	config.Log, config.Console.Path = slog.New(slog.DiscardHandler), "/admin/"
	api := framework.New(config)
	resources.Register(api, o.identity)
	handler, err := api.Handler()
	o.must(err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

func (o *office) must(err error) {
	o.t.Helper()
	if err != nil {
		o.t.Fatal(err)
	}
}

func (o *office) store(rows any) {
	o.t.Helper()
	_, err := o.db.NewInsert().Model(rows).Exec(o.t.Context())
	o.must(err)
}

// stock stores products, orders of a user in each status, and stocks that a clerk sets.
func (o *office) stock(user, clerk auth.User) {
	o.t.Helper()
	o.must(o.db.InTx(o.t.Context(), func(ctx context.Context, in *sqldb.Session) error {
		return seed.Insert(ctx, in, seed.Options{Products: 20, Staff: clerk.ID, Customers: []uuid.UUID{user.ID}}, func(int, int) {})
	}))
}

// hire makes a user with permissions, and returns the browser after signing in.
func (o *office) hire(email string, isStaff bool, permissions ...string) (*officeTab, auth.User) {
	o.t.Helper()
	user, err := o.identity.Users.CreateUser(o.t.Context(), o.db.Session(), auth.NewUser{Email: email, Password: password, Staff: isStaff})
	o.must(err)
	o.must(o.identity.Users.Grant(o.t.Context(), o.db.Session(), user.ID, permissions...))
	jar, err := cookiejar.New(nil)
	o.must(err)
	tab := &officeTab{o, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	in := url.Values{"email": {email}, "password": {password}}
	maps.Copy(in, fieldsOf(tab.get("/admin/~sign-in", 200), `class="entry"`))
	tab.post("/admin/~sign-in", in, 303)
	return tab, user
}

// An officeTab is a person's browser.
type officeTab struct {
	o      *office
	client *http.Client
}

// send sends a request and returns the page, or the address to which the answer leads.
func (b *officeTab) send(method, path string, form url.Values, status int) string {
	b.o.t.Helper()
	r, err := http.NewRequestWithContext(b.o.t.Context(), method, b.o.url+path, strings.NewReader(form.Encode()))
	b.o.must(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.o.url)
	resp, err := b.client.Do(r)
	b.o.must(err)
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	b.o.must(err)
	if resp.StatusCode != status {
		b.o.t.Fatalf("%s %s: status %d; want %d:\n%s", method, path, resp.StatusCode, status, body)
	}
	if status == http.StatusSeeOther {
		return resp.Header.Get("Location")
	}
	return string(body)
}

func (b *officeTab) get(path string, status int) string {
	b.o.t.Helper()
	return b.send(http.MethodGet, path, nil, status)
}

func (b *officeTab) post(path string, form url.Values, status int) string {
	b.o.t.Helper()
	return b.send(http.MethodPost, path, form, status)
}

// press presses the button of the form at an address of a page.
func (b *officeTab) press(page, action string, status int) string {
	b.o.t.Helper()
	return b.post(action, fieldsOf(page, regexp.QuoteMeta(`action="`+action+`"`)), status)
}

// has checks that a page has texts, and lacks says that it has none of them.
func (o *office) has(page string, texts ...string) {
	o.t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			o.t.Errorf("the page lacks %q:\n%s", text, page)
		}
	}
}

func (o *office) lacks(page string, texts ...string) {
	o.t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			o.t.Errorf("the page has %q:\n%s", text, page)
		}
	}
}

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)

// fieldsOf returns the hidden fields of the first form of a page whose tag matches a pattern.
func fieldsOf(page, pattern string) url.Values {
	all := url.Values{}
	form := regexp.MustCompile(`(?s)<form [^>]*(` + pattern + `).*?</form>`).FindString(page)
	for _, hidden := range hiddenInput.FindAllStringSubmatch(form, -1) {
		all.Set(html.UnescapeString(hidden[1]), html.UnescapeString(hidden[2]))
	}
	return all
}

// onBothOffices runs a test with an office on each database.
func onBothOffices(t *testing.T, test func(t *testing.T, o *office)) {
	t.Helper()
	both(t, func(t *testing.T, db *sqldb.DB) {
		t.Parallel()
		test(t, openOffice(t, db))
	})
}

// TestPackingQueue: staff take an order from placed to delivered, each step by one button, and callers who are not staff neither
// see nor open the pages.
func TestPackingQueue(t *testing.T) {
	onBothOffices(t, func(t *testing.T, o *office) {
		buyer, user := o.hire("buyer@example.com", false)
		packer, clerk := o.hire("packer@example.com", true)
		o.stock(user, clerk)

		o.lacks(buyer.get("/admin/", 200), "/admin/packing/", "Orders to confirm", "Variants that run low")
		o.lacks(buyer.get("/admin/packing/", 403), "Placed")
		var placed order.Order
		o.must(o.db.NewSelect().Model(&placed).Relation("Items").Where("status = 'placed'").OrderExpr("placed_at").Limit(1).Scan(t.Context()))
		o.lacks(buyer.get("/admin/packing/"+placed.Number+"/", 403), string(placed.Address.Phone))

		home := packer.get("/admin/", 200)
		o.has(home, `href="/admin/packing/"`, "Orders to confirm", "Orders to pack", "Variants that run low", `href="/admin/admin/variants?maxStock=5&amp;archived=false"`)
		for _, step := range []string{"confirm", "pack", "dispatch", "deliver"} {
			queue := packer.get("/admin/packing/", 200)
			o.has(queue, placed.Number, html.EscapeString(placed.Items[0].Name), "Stock that runs low", `href="`+placed.Number+`/"`)
			action := "/admin/admin/orders/" + placed.ID.String() + "/" + step + "/~post"
			another := packer.get("/admin/packing/", 200)
			forged := fieldsOf(queue, regexp.QuoteMeta(action))
			forged.Set("~token", "forged")
			packer.post(action, forged, 403)
			if to := packer.press(queue, action, 303); to != "/admin/packing/?~said=done" && to != "/admin/packing/?%7Esaid=done" {
				t.Errorf("%s leads to %s", step, to)
			}
			packer.press(queue, action, 303) // a second click is harmless
			o.has(packer.press(another, action, 409), "This was not accepted", "cannot take this step")
		}
		o.lacks(packer.get("/admin/packing/", 200), placed.Number)
		slip := packer.get("/admin/packing/"+placed.Number+"/", 200)
		o.has(slip, "Packing slip "+placed.Number, placed.Address.City, html.EscapeString(placed.Items[0].Name), "₹")
		o.has(packer.get("/admin/packing/NONE/", 404), "No order has this number.")

		var found []string
		o.must(o.db.NewSelect().Table("variants").Column("sku").Where("stock <= 5").Where("NOT archived").OrderExpr("stock, id").Limit(1).Scan(t.Context(), &found))
		o.has(packer.get("/admin/packing/", 200), found[0], "expectedStock=")
	})
}

// TestHostileOrders: what buyers enter is shown as text.
func TestHostileOrders(t *testing.T) {
	onBothOffices(t, func(t *testing.T, o *office) {
		_, user := o.hire("buyer@example.com", false)
		packer, clerk := o.hire("packer@example.com", true)
		o.stock(user, clerk)
		const hostile = `</p><script>alert(1)</script><img src=x onerror=alert(1)>`
		var placed order.Order
		o.must(o.db.NewSelect().Model(&placed).Where("status = 'placed'").Limit(1).Scan(t.Context()))
		placed.Notes, placed.Address.Name, placed.Address.Line2 = hostile, hostile, new(hostile)
		_, err := o.db.NewUpdate().Model(&placed).Column("notes", "address").WherePK().Exec(t.Context())
		o.must(err)
		for _, page := range []string{packer.get("/admin/packing/", 200), packer.get("/admin/packing/"+placed.Number+"/", 200)} {
			o.has(page, html.EscapeString(hostile))
			o.lacks(page, "<script>alert", "<img src=x")
		}
	})
}

// A ward is a doctor with two patients of two owners, who come on Monday and on Tuesday at four o'clock of a week to come.
type ward struct {
	doctor       clinic.Doctor
	mine, others clinic.Patient
	first, other clinic.Appointment
}

const wardWeek = "2099-W02"

func (o *office) openWard(owner, another auth.User) ward {
	o.t.Helper()
	at := time.Date(2099, time.January, 5, 4, 0, 0, 0, time.UTC)
	w := ward{doctor: clinic.Doctor{ID: newID(), Name: "Dr Meera Iyer"}}
	w.mine = clinic.Patient{ID: newID(), OwnerID: owner.ID, Name: `Asha <b>"Rao"`, Phone: "1", Search: "asha", Version: 1, CreatedAt: at, UpdatedAt: at}
	w.others = clinic.Patient{ID: newID(), OwnerID: another.ID, Name: "Ravi Menon", Phone: "2", Search: "ravi", Version: 1, CreatedAt: at, UpdatedAt: at}
	tuesday := at.AddDate(0, 0, 1)
	w.first = clinic.Appointment{ID: newID(), PatientID: w.mine.ID, DoctorID: w.doctor.ID, Status: clinic.Booked, StartsAt: &at, Version: 1, CreatedAt: at, UpdatedAt: at}
	w.other = clinic.Appointment{ID: newID(), PatientID: w.others.ID, DoctorID: w.doctor.ID, Status: clinic.Booked, StartsAt: &tuesday, Version: 1, CreatedAt: at, UpdatedAt: at}
	o.store(&w.doctor)
	o.store(&[]*clinic.Patient{&w.mine, &w.others})
	o.store(&[]*clinic.Appointment{&w.first, &w.other})
	return w
}

// TestCalendar: a clerk books, and moves an appointment to a free slot; a slot that is taken meanwhile is a fault.
func TestCalendar(t *testing.T) {
	onBothOffices(t, func(t *testing.T, o *office) {
		_, owner := o.hire("owner@example.com", false)
		_, another := o.hire("another@example.com", false)
		clerk, _ := o.hire("clerk@example.com", true, "patients.view", "appointments.view", "appointments.change")
		w := o.openWard(owner, another)
		at := "/admin/calendar/?doctor=" + w.doctor.ID.String() + "&week=" + wardWeek

		week := clerk.get(at, 200)
		o.has(week, "5 Jan to 11 Jan 2099", "Asha &lt;b&gt;&#34;Rao&#34;", "Ravi Menon", "Mon 5 Jan", "week=2099-W01", "week=2099-W03",
			"/admin/appointments/"+w.first.ID.String()+"/", "~post?doctor="+w.doctor.ID.String()+"&amp;starts_at=2099-01-05T03%3A30%3A00Z", "09:30")
		o.lacks(week, "<b>", "starts_at=2099-01-05T04%3A00%3A00Z", "Move here", "style=")
		form := clerk.get("/admin/appointments/~post?doctor="+w.doctor.ID.String()+"&starts_at=2099-01-05T03:30:00Z", 200)
		o.has(form, `value="2099-01-05T03:30"`, `<option value="`+w.doctor.ID.String()+`" selected>`)

		moving := clerk.get(at+"&move="+w.first.ID.String(), 200)
		o.has(moving, "Choose a free slot for", "Move here", "Leave it where it is")
		action := "/admin/appointments/" + w.first.ID.String() + "/~patch"
		taken := fieldsOf(moving, regexp.QuoteMeta(action))
		taken.Set("starts_at", "2099-01-06T04:00")
		o.has(clerk.post(action, taken, 409), "This was not accepted", "already has a booked appointment")
		if to := clerk.press(moving, action, 303); !strings.HasPrefix(to, "/admin/calendar/?doctor=") || strings.Contains(to, "move=") {
			t.Errorf("a move leads to %s", to)
		}
		o.has(clerk.get(at, 200), "starts_at=2099-01-05T04%3A00%3A00Z") // the slot is free again
		o.has(clerk.press(moving, action, 409), "Another person changed this meanwhile")

		o.has(clerk.get(at+"&move="+uuid.NewString(), 404))

		server, err := url.Parse(o.url)
		o.must(err)
		clerk.client.Jar.SetCookies(server, []*http.Cookie{{Name: "zone", Value: "America/New_York", Path: "/admin/"}}) // of the browser
		abroad := "/admin/appointments/" + w.other.ID.String() + "/~patch"
		clerk.press(clerk.get(at+"&move="+w.other.ID.String(), 200), abroad, 303)
		var moved clinic.Appointment
		o.must(o.db.NewSelect().Model(&moved).Where("id = ?", w.other.ID).Scan(t.Context()))
		if want := time.Date(2099, time.January, 6, 3, 30, 0, 0, time.UTC); !moved.StartsAt.Equal(want) { // the first slot of Monday is taken
			t.Errorf("a clerk abroad moved the appointment to %s; want %s", moved.StartsAt, want)
		}
		o.has(clerk.get("/admin/appointments/~post?starts_at=2099-01-05T03:30:00Z", 200), `value="2099-01-04T22:30"`, "America/New_York")
		o.has(clerk.get("/admin/calendar/?doctor="+uuid.NewString(), 404), "There is no such doctor.")
		for _, odd := range []string{"", "2099-W54", "2099-W00", "<script>alert(1)</script>", "99999-W01", "2099-W2"} {
			o.lacks(clerk.get("/admin/calendar/?week="+url.QueryEscape(odd), 200), "<script>alert", "Jan 2099")
		}
	})
}

// TestCalendarIsPrivate: a caller sees the appointments and the names that the API shows, and no others.
func TestCalendarIsPrivate(t *testing.T) {
	onBothOffices(t, func(t *testing.T, o *office) {
		asha, owner := o.hire("owner@example.com", false)
		ravi, another := o.hire("another@example.com", false)
		w := o.openWard(owner, another)
		at := "/admin/calendar/?doctor=" + w.doctor.ID.String() + "&week=" + wardWeek
		mine := asha.get(at, 200)
		o.has(mine, "Asha &lt;b&gt;")
		o.lacks(mine, "Ravi Menon", w.others.ID.String(), w.other.ID.String())
		o.lacks(ravi.get(at, 200), "Asha", w.first.ID.String())
		asha.get(at+"&move="+w.other.ID.String(), 404)
		taken := fieldsOf(asha.get("/admin/appointments/~post", 200), `class="entry"`)
		maps.Copy(taken, url.Values{"patient": {w.mine.ID.String()}, "doctor": {w.doctor.ID.String()}, "starts_at": {"2099-01-06T04:00"}, "status": {"booked"}, "fee": {"1"}})
		o.lacks(asha.post("/admin/appointments/~post", taken, 409), "Ravi")

		planner, _ := o.hire("planner@example.com", true, "appointments.view")
		week := planner.get(at, 200)
		o.has(week, "Patient not shown")
		o.lacks(week, "Asha", "Ravi")
	})
}
