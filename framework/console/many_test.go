package console_test

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A basket has lines, and its changes are recorded.
type basket struct {
	bun.BaseModel `bun:"table:baskets"`

	ID       uuid.UUID `bun:",pk"`
	OwnerID  uuid.UUID
	Name     string
	PackedAt *time.Time
	Lines    []line `bun:"type:jsonb"`
}

func (b *basket) owner() *uuid.UUID { return &b.OwnerID }

type line struct {
	AgentID uuid.UUID `json:"agent_id" validate:"required" ref:"agents"`
	Count   int64     `json:"count"    validate:"min=1,max=9"`
}

type basketInput struct {
	Name     string     `json:"name"      validate:"required,max=20"`
	PackedAt *time.Time `json:"packed_at"`
	Lines    []line     `json:"lines"     validate:"max=5,dive"`
}

type basketView struct {
	ID uuid.UUID `json:"id"`
	basketInput
}

func empty(c *framework.Call, b *basket, _ framework.None) (basketView, error) {
	if len(b.Lines) == 0 {
		return basketView{}, framework.Refuse(http.StatusConflict, "no_reason", "It is empty.")
	}
	b.Lines = nil
	if err := framework.Save(c, b); err != nil {
		return basketView{}, err
	}
	return basketView{ID: b.ID, basketInput: basketInput{Name: b.Name, PackedAt: b.PackedAt}}, nil
}

// openBaskets serves the desk with baskets of two users.
func openBaskets(t *testing.T, db *sqldb.DB) (d *desk, asha *browser) {
	t.Helper()
	identity, err := auth.New(auth.Config{Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	d = openDeskOf(t, db, identity, nil, framework.ViewSet[basket]{
		Name: "baskets", Verbs: framework.CRUD[basketInput, basketView](), Scope: framework.Own((*basket).owner),
		Ordering: framework.Ordering{Default: "name"}, Search: framework.Search{Fields: []string{"name"}},
		Bulk: framework.Bulk{Create: true}, History: framework.History{Permission: framework.Authenticated()},
		Actions: []framework.Action[basket]{framework.Post("empty", empty).Refuses("no_reason")},
	})
	d.user("asha@example.com", false)
	ravi := d.user("ravi@example.com", false)
	d.insert(&[]*agent{{ID: uuid.Must(uuid.NewV7()), Name: "Meera"}, {ID: uuid.Must(uuid.NewV7()), Name: "Tomas"}})
	d.insert(&basket{ID: uuid.Must(uuid.NewV7()), OwnerID: ravi.ID, Name: "Apples of Ravi", Lines: []line{}})
	return d, d.signedIn("asha@example.com")
}

// baskets lists the baskets by name.
func (d *desk) baskets() map[string]*basket {
	d.t.Helper()
	var rows []*basket
	if err := d.db.Session().IDB().NewSelect().Model(&rows).Scan(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	all := map[string]*basket{}
	for _, b := range rows {
		all[b.Name] = b
	}
	return all
}

// agents lists the keys of the agents in the order of their names.
func (d *desk) agents() (keys []string) {
	d.t.Helper()
	if err := d.db.Session().IDB().NewSelect().Model((*agent)(nil)).Column("id").Order("name").Scan(d.t.Context(), &keys); err != nil {
		d.t.Fatal(err)
	}
	return keys
}

// onBaskets runs a test with baskets on each database.
func onBaskets(t *testing.T, test func(t *testing.T, d *desk, asha *browser)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d, asha := openBaskets(t, db)
		test(t, d, asha)
	})
}

// TestSearchEverything: one search finds pages and rows in all lists that the caller may read.
func TestSearchEverything(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		asha.submit("/admin/baskets/~post", url.Values{"name": {"Apples"}}).is(303)
		asha.get("/admin/~search").is(200).says(`name="q"`)
		asha.get("/admin/~search?q=nothing+of+it").is(200).says("Nothing was found.")
		asha.get("/admin/~search?q=ticket").to("/admin/tickets/")
		asha.get("/admin/~search?q=apples").to("/admin/baskets/" + d.baskets()["Apples"].ID.String() + "/") // that of Ravi is not found
		asha.submit("/admin/baskets/~post", url.Values{"name": {"Apples and pears"}}).is(303)
		asha.get("/admin/~search?q=apples").is(200).says("Apples and pears", "<h2>Baskets</h2>").lacks("Ravi")
		asha.get("/admin/~search?q=%3Cscript%3E").is(200).says("&lt;script&gt;").lacks("<script>")
	})
}

// TestRowsInForms: a list of objects has a row of controls for each object.
func TestRowsInForms(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		const add = "/admin/baskets/~post"
		agents := d.agents()
		asha.get(add).is(200).says(`name="lines.0.count"`, `<option value="`+agents[1]+`">Tomas</option>`, `name="~more" value="lines"`).lacks(`name="lines.1.count"`)

		grown := asha.submit(add, url.Values{"name": {"Box"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"2"}, "~more": {"lines"}}).is(200)
		grown.says(`value="Box"`, `name="lines.0.count" type="text" inputmode="decimal" value="2"`, `name="lines.1.count"`, "<title>Add basket")
		if len(d.baskets()) != 1 {
			t.Error("the form was sent")
		}
		wrong := asha.submit(add, url.Values{
			"name": {"Box"}, "lines.0.~remove": {"1"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"1"}, "lines.1.agent_id": {agents[1]}, "lines.1.count": {"12"},
		}).is(400)
		wrong.says(`id="field-lines.1.count-error"`, `href="#field-lines.1.count"`, `value="12"`).lacks(`id="field-lines.0.count-error"`)
		asha.submit(add, url.Values{
			"name": {"Box"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"2"}, "lines.1.agent_id": {agents[1]}, "lines.1.count": {"3"}, "lines.2.count": {""},
		}).is(303)
		made := d.baskets()["Box"]
		if len(made.Lines) != 2 || made.Lines[1].Count != 3 || made.Lines[1].AgentID.String() != agents[1] {
			t.Fatalf("the lines are %+v", made.Lines)
		}
		edit := "/admin/baskets/" + made.ID.String() + "/~patch"
		asha.submit(edit, url.Values{"name": {"Crate"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"2"}, "lines.1.agent_id": {agents[1]}, "lines.1.count": {"3"}}).is(303)
		asha.submit(edit, url.Values{
			"name": {"Crate"}, "lines.0.~remove": {"1"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"2"}, "lines.1.agent_id": {agents[1]}, "lines.1.count": {"4"},
		}).is(303)
		if now := d.baskets()["Crate"]; len(now.Lines) != 1 || now.Lines[0].Count != 4 {
			t.Errorf("the lines are %+v", now.Lines)
		}
	})
}

// TestCopiesAndMore: a form can begin with another row, and another form can follow it.
func TestCopiesAndMore(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		agents := d.agents()
		asha.submit("/admin/baskets/~post", url.Values{"name": {"Box"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"2"}, "~another": {"1"}}).to("/admin/baskets/~post?~said=created")
		asha.get("/admin/baskets/~post?~said=created").is(200).says("Added.", `name="name" type="text" value=""`)
		page := "/admin/baskets/" + d.baskets()["Box"].ID.String() + "/"
		asha.get(page).is(200).says(`href="/admin/baskets/~post?~from=` + d.baskets()["Box"].ID.String() + `"`)
		copied := "/admin/baskets/~post?~from=" + d.baskets()["Box"].ID.String()
		asha.get(copied).is(200).says(`value="Box"`, `name="lines.0.count" type="text" inputmode="decimal" value="2"`)
		asha.get("/admin/baskets/~post?~from=" + d.baskets()["Apples of Ravi"].ID.String()).is(200).lacks("Ravi")
		asha.get("/admin/agents/"+agents[0]+"/").is(200).says(`>Add ticket</a>`, `~post?agent_id=`+agents[0])
	})
}

// TestChosenRows: an operation is done to each of the rows that a person chose, and each has its result.
func TestChosenRows(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		agents := d.agents()
		for _, name := range []string{"One", "Two"} {
			asha.submit("/admin/baskets/~post", url.Values{"name": {name}}).is(303)
		}
		asha.submit("/admin/baskets/~post", url.Values{"name": {"Full"}, "lines.0.agent_id": {agents[0]}, "lines.0.count": {"2"}}).is(303)
		all := d.baskets()
		keys := []string{all["One"].ID.String(), all["Full"].ID.String(), all["Apples of Ravi"].ID.String()}
		asha.get("/admin/baskets/").is(200).says(`name="row" value="`+keys[0]+`" form="chosen"`, `<option value="delete:">Delete</option>`, `<option value="post:empty">Empty</option>`)

		const at = "/admin/baskets/~chosen"
		token := asha.form("/admin/baskets/", nil)
		sent := func(more url.Values) *seen {
			form := url.Values{"~token": token["~token"], "row": keys}
			maps.Copy(form, more)
			return asha.send(http.MethodPost, at, form)
		}
		asha.get(at).is(303)
		sent(url.Values{"~do": {"patch:"}}).is(400)
		sent(url.Values{"~do": {"post:empty"}, "row": nil}).is(400)
		sent(url.Values{"~do": {"post:empty"}}).is(200).says("Empty these 3 rows?", "Full", "One").lacks("Ravi")
		if len(d.baskets()["Full"].Lines) != 1 {
			t.Error("it was done before the person was sure")
		}
		sent(url.Values{"~do": {"post:empty"}, "~sure": {"1"}}).is(200).says("1 of 3 done.", "It is empty.").lacks("Ravi")
		sent(url.Values{"~do": {"delete:"}, "~sure": {"1"}, "~token": {"forged"}}).is(200).says("0 of 3 done.")
		sent(url.Values{"~do": {"delete:"}, "~sure": {"1"}}).is(200).says("2 of 3 done.")
		if left := d.baskets(); len(left) != 2 || left["Two"] == nil || left["Apples of Ravi"] == nil {
			t.Errorf("%d baskets are left: %v", len(left), left)
		}
	})
}

// TestEditInRows: the values of a page of a list may be changed in place; each row is saved by itself.
func TestEditInRows(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		for _, name := range []string{"One", "Three", "Two"} {
			asha.submit("/admin/baskets/~post", url.Values{"name": {name}}).is(303)
		}
		const at = "/admin/baskets/~rows"
		asha.get("/admin/baskets/").is(200).says(`href="/admin/baskets/~rows"`)
		form := asha.form(at, nil)
		for n, name := range []string{"One", "Three", "Two"} {
			if got := form.Get(rowName("~was-", n, ".name")); got != name {
				t.Fatalf("row %d is %q; want %q", n, got, name)
			}
			form.Set(rowName("", n, ".name"), name)
			form.Set(rowName("", n, ".packed_at"), "")
		}
		form.Set("0.name", "First")
		form.Set("1.name", strings.Repeat("x", 21))
		form.Set("2.packed_at", "2026-12-24T10:30")
		wrong := asha.send(http.MethodPost, at, form).is(400)
		wrong.says("1 of the rows that you changed were not saved.", `id="field-1.name-error"`, strings.Repeat("x", 21))
		if all := d.baskets(); all["First"] == nil || all["Three"] == nil || all["Two"].PackedAt == nil {
			t.Errorf("the baskets are %v", all)
		}
		asha.submit("/admin/baskets/"+d.baskets()["Three"].ID.String()+"/~patch", url.Values{"name": {"Third"}}).is(303)
		form.Set("0.name", "One")
		form.Set("1.name", "3")
		asha.send(http.MethodPost, at, form).is(400).says("Another person changed this meanwhile", "it is now Third", `value="3"`)
		if all := d.baskets(); all["Third"] == nil || all["3"] != nil {
			t.Errorf("the baskets are %v", all)
		}
		form = asha.form(at+"?search=third&~fields=name", nil)
		form.Set("0.name", "3")
		asha.send(http.MethodPost, at+"?search=third&~fields=name", form).to("/admin/baskets/?search=third&~said=saved")

		forged := asha.form(at, nil)
		forged.Set("~key-0", d.baskets()["Apples of Ravi"].ID.String())
		forged.Set("0.name", "Mine")
		asha.send(http.MethodPost, at, forged).is(400)
		if d.baskets()["Apples of Ravi"] == nil {
			t.Error("another's row was changed")
		}
	})
}

func rowName(before string, n int, after string) string { return before + string(rune('0'+n)) + after }

// TestImport: the rows of a spreadsheet are shown first, and are all added or not at all.
func TestImport(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		const at = "/admin/baskets/~import"
		asha.get("/admin/baskets/").is(200).says(`href="/admin/baskets/~import"`)
		asha.get("/admin/tickets/").is(200).lacks("~import")
		asha.get("/admin/tickets/~import").is(404)
		asha.submit(at, url.Values{"csv": {"name,colour\nBox,red\n"}}).is(400).says("no column &#34;colour&#34;; the columns are name, packed_at, lines", "Box,red")
		read := asha.submit(at, url.Values{"csv": {"name;packed_at\nBox;2026-12-24T10:30:00Z\n<b>Crate;\n"}}).is(200)
		read.says("2 rows were read, and nothing was added yet.", "Add 2 rows", `name="~sure"`, "<bdi>&lt;b&gt;Crate</bdi>")
		if len(d.baskets()) != 1 {
			t.Error("rows were added before the person was sure")
		}
		long := strings.Repeat("x", 21)
		wrong := asha.submit(at, url.Values{"csv": {"name\nBox\n" + long + "\n\"\"\n"}, "~sure": {"1"}}).is(400)
		wrong.says("Nothing was added.", "Line 3, name", "Line 4, name", long)
		if len(d.baskets()) != 1 {
			t.Error("some rows were added")
		}
		asha.submit(at, url.Values{"csv": {"name;packed_at\nBox;2026-12-24T10:30:00Z\nCrate;\n"}, "~sure": {"1"}}).to("/admin/baskets/?~said=created")
		if all := d.baskets(); len(all) != 3 || all["Box"].PackedAt == nil {
			t.Errorf("the baskets are %v", all)
		}
	})
}

// TestTimeZones: times are those of the browser's zone, and a form says so. It does not guess what the clocks skip or show twice.
func TestTimeZones(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		add := func(at string) *seen {
			form := asha.form("/admin/baskets/~post", url.Values{"name": {"Box"}, "packed_at": {at}})
			form.Set("~zone", "Europe/Berlin")
			return asha.send(http.MethodPost, "/admin/baskets/~post", form)
		}
		add("2027-03-28T02:30").is(400).says("skip this time", `value="2027-03-28T02:30"`, `type="text"`)
		add("2027-10-31T02:30").is(400).says("show this time twice")
		add("2027-07-01T12:00").is(303)
		made := d.baskets()["Box"]
		if want := time.Date(2027, 7, 1, 10, 0, 0, 0, time.UTC); !made.PackedAt.Equal(want) {
			t.Errorf("it was packed at %s; want %s", made.PackedAt, want)
		}
		page := "/admin/baskets/" + made.ID.String() + "/"
		asha.get(page).is(200).says("1 Jul 2027, 10:00 UTC")
		u, _ := url.Parse(d.url)
		asha.client.Jar.SetCookies(u, []*http.Cookie{{Name: "zone", Value: "Europe/Berlin", Path: "/admin/"}})
		asha.get(page).is(200).says("1 Jul 2027, 12:00 CEST", `title="2027-07-01T10:00:00Z"`)
		asha.get(page+"~patch").is(200).says(`value="2027-07-01T12:00"`, "In Europe/Berlin.")
		asha.client.Jar.SetCookies(u, []*http.Cookie{{Name: "zone", Value: "../../etc/passwd", Path: "/admin/"}})
		asha.get(page).is(200).says("10:00 UTC")
	})
}

// TestRestore: a history shows what changed, and leads to the form with the values of before.
func TestRestore(t *testing.T) {
	onBaskets(t, func(t *testing.T, d *desk, asha *browser) {
		asha.submit("/admin/baskets/~post", url.Values{"name": {"Box"}}).is(303)
		page := "/admin/baskets/" + d.baskets()["Box"].ID.String() + "/"
		asha.submit(page+"~patch", url.Values{"name": {"Crate"}}).is(303)
		asha.get(page+"history/").is(200).says("Name: <bdi>Box</bdi>", "<bdi>Crate</bdi>", `href="`+page+`~patch?name=Box"`)
		restored := asha.form(page+"~patch?name=Box", url.Values{"name": {"Box"}})
		if restored.Get("~was-name") != "Crate" {
			t.Errorf("the form began with %q", restored.Get("~was-name"))
		}
		asha.send(http.MethodPost, page+"~patch?name=Box", restored).is(303)
		if d.baskets()["Box"] == nil {
			t.Error("the name was not restored")
		}
	})
}

// TestRowsThatOneMayOnlyRead: the form for a row that the caller may read but not change says so.
func TestRowsThatOneMayOnlyRead(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		identity, err := auth.New(auth.Config{Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		d := openDeskOf(t, db, identity, nil, framework.ViewSet[basket]{
			Name: "baskets", Verbs: framework.CRUD[basketInput, basketView](),
			Scope: framework.Own((*basket).owner).Unless(framework.OrReadOnly(framework.Holds("agents.change"))),
		})
		asha, ravi := d.user("asha@example.com", false), d.user("ravi@example.com", false)
		own, others := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
		d.insert(&[]*basket{{ID: own, OwnerID: asha.ID, Name: "Pears", Lines: []line{}}, {ID: others, OwnerID: ravi.ID, Name: "Apples", Lines: []line{}}})
		b := d.signedIn("asha@example.com")
		for end, entered := range map[string]url.Values{"/~patch": {"name": {"Plums"}}, "/~delete": nil} {
			b.submit("/admin/baskets/"+others.String()+end, entered).is(404).says("You may read this row, but not change or delete it.").lacks("Nothing is here")
		}
		b.submit("/admin/baskets/"+own.String()+"/~patch", url.Values{"name": {"Plums"}}).is(303)
		if all := d.baskets(); all["Apples"] == nil || all["Plums"] == nil {
			t.Errorf("the baskets are %v", all)
		}
	})
}
