package console_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/console"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// managed are agents to manage, for callers who hold agents.change.
func managed() framework.ViewSet[agent] {
	return framework.ViewSet[agent]{
		Name: "agents", Under: "manage", Verbs: framework.CRUD[agentInput, agentView](), Scope: framework.Public(), Ordering: framework.Ordering{Default: "name"},
		Permission: framework.Holds("agents.change"), Filters: []framework.Filter{filter.Exact("name")}, Unindexed: []string{"name"},
		Totals: framework.Totals{By: []string{"name"}}, Pagination: page.Screen{Size: 2},
	}
}

// templates are the files of the pages of the desk.
var templates = fstest.MapFS{
	"queue.html": {Data: []byte(`<p class="whole">{{if .Whole}}all{{else}}some{{end}} of {{len .Tickets}}</p>
{{range .Tickets}}<section><h2>{{.Title}}</h2>{{template "button" .Close}}{{template "button" .Lower}}</section>{{end}}
{{template "table" .Table}}{{template "buttons" .Links}}`)},
	"one.html":   {Data: []byte(`<p>One: {{.}}</p>`)},
	"style.css":  {Data: []byte(`.whole { color: var(--muted); }`)},
	"inline.css": {Data: []byte(`<p style="color: red">`)},
}

// queueTicket is a ticket in the queue.
type queueTicket struct {
	ID       string
	Title    string
	Priority int

	Close, Lower console.Link
}

// queue makes the data of the page of the queue.
func queue(v console.Visit) (any, error) {
	shown := struct {
		Tickets []*queueTicket
		Whole   bool
		Table   any
		Links   []console.Link
	}{}
	var err error
	if shown.Whole, err = v.ReadRows("/tickets/?ordering=title", 100, &shown.Tickets); err != nil {
		return nil, err
	}
	for _, t := range shown.Tickets {
		path := "/tickets/" + t.ID + "/"
		t.Close = v.Step("Close", http.MethodPost, path+"close/", console.Field{Name: "reason", Value: v.Query().Get("reason")})
		t.Close.About = t.Title
		t.Lower = v.Step("Lower", http.MethodPatch, path, console.Field{Name: "priority", Value: "5", Was: strconv.Itoa(t.Priority)})
	}
	shown.Links = []console.Link{
		v.Link("Agents", "/agents/"), v.Link("To manage", "/manage/agents/"), v.Link("Nothing", "/nothing/"),
		v.Form("New", http.MethodPost, "/tickets/", console.Field{Name: "title", Value: `"><b>`}),
	}
	shown.Table, err = v.Table("/agents/")
	return shown, err
}

// count reads the rows of two lists that are divided in different ways, and returns how many it got.
func count(v console.Visit) (any, error) {
	var some, all []struct{ Name string }
	part, err := v.ReadRows("/manage/agents/?name=Twin", 5, &some)
	if err != nil {
		return nil, err
	}
	whole, err := v.ReadRows("/agents/", 500, &all)
	return fmt.Sprint(len(some), part, len(all), whole), err
}

// withPages adds tiles and pages to the console of the desk.
func withPages(c *framework.Config) {
	c.Console.Tiles = []console.Tile{
		{Title: "Urgent tickets", Path: "/tickets/?priority=1"},
		{Title: "Some agents", Path: "/agents/", Rows: 1},
		{Title: "Agents by name", Path: "/manage/agents/totals/?group=name"},
		{Title: "Agents to manage", Path: "/manage/agents/"},
	}
	c.Console.Pages = []console.Page{
		{
			Path: "queue/", Title: "The queue", Group: "Work", Files: templates, Template: "queue.html", Style: "style.css", Data: queue,
			Needs: []string{"GET /tickets/", "POST /tickets/{id}/close/"},
		},
		{Path: "queue/{id}/", Title: "One", Files: templates, Template: "one.html", Data: func(v console.Visit) (any, error) {
			var t queueTicket
			err := v.Read("/tickets/"+url.PathEscape(v.Key("id"))+"/", &t)
			v.SetTitle("Ticket " + t.Title)
			return t.Title, err
		}},
		{Path: "agents/{id}/", Title: "An agent", Files: templates, Template: "one.html", Data: func(v console.Visit) (any, error) { return v.Key("id"), nil }},
		{
			Path: "staff/", Title: "For staff", Group: "Work", Files: templates, Template: "one.html", Needs: []string{"GET /manage/agents/"},
			Data: func(console.Visit) (any, error) { return "secret of the staff", nil },
		},
		{Path: "count/", Title: "Count", Files: templates, Template: "one.html", Data: count},
		{Path: "broken/", Title: "Broken", Files: templates, Template: "one.html", Data: func(console.Visit) (any, error) { return nil, errors.New("an inner detail") }},
	}
	c.Console.Renderers = map[string]console.Renderer{
		"tickets.priority": func(text string) (shown, link string) { return "P" + text, "" },
		"name":             func(text string) (shown, link string) { return "~" + text + "~", "javascript:alert(1)" },
	}
	c.Console.Logo = []byte(`<svg xmlns="http://www.w3.org/2000/svg"></svg>`)
	c.Console.Accent = console.Accent{Light: "#6b2fa0", OnLight: "#ffffff", Dark: "#d0a8ff", OnDark: "#1a0b2b"}
}

// onBothWithPages runs a test with a desk that has tiles and pages, on each database.
func onBothWithPages(t *testing.T, test func(t *testing.T, d *desk)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		identity, err := auth.New(auth.Config{Hashes: auth.HashOptions{Write: auth.Bcrypt(4)}, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		test(t, openDeskOf(t, db, identity, withPages, managed()))
	})
}

// TestTiles: a tile shows what the API answers this caller, and callers who may not use the endpoint do not see it.
func TestTiles(t *testing.T) {
	onBothWithPages(t, func(t *testing.T, d *desk) {
		filled(t, d)
		home := d.signedIn("asha@example.com").get("/admin/").is(200)
		home.says(`<a href="/admin/tickets/?priority=1">Urgent tickets</a>`, `<p class="figure">1</p>`, "Some agents", "~Meera~")
		home.lacks("Agents by name", "Agents to manage", "/admin/manage/agents/")
		d.signedIn("ravi@example.com").get("/admin/").is(200).says(`<p class="figure">0</p>`) // his one is not urgent
		d.signedIn("boss@example.com").get("/admin/").is(200).says("Agents by name", "<dt><bdi>Meera</bdi></dt><dd><bdi>1</bdi></dd>", "Agents to manage", `href="/admin/manage/agents/totals/?group=name"`)
	})
}

// TestOwnPages: a page of the program's own shows what the API answers this caller, and its buttons do the operations.
func TestOwnPages(t *testing.T) {
	onBothWithPages(t, func(t *testing.T, d *desk) {
		asha, ravi, a := filled(t, d)
		b := d.signedIn("asha@example.com")
		b.get("/admin/").says(`<h2>Work</h2>`, `href="/admin/queue/"`).lacks("/admin/staff/")
		b.get("/admin/staff/").is(403).lacks("secret of the staff")
		d.signedIn("boss@example.com").get("/admin/staff/").is(200).says("secret of the staff")
		d.browser().get("/admin/queue/").is(303)

		page := b.get("/admin/queue/?reason=done").is(200)
		page.says("<h1><bdi>The queue</bdi></h1>", "all of 1", "Printer is on fire", `<span class="hidden">Printer is on fire</span>`, `href="/admin/agents/`+a.ID.String()+`/"`,
			`href="/admin/agents/">Agents</a>`, `~post?title=%22%3E%3Cb%3E&amp;~next=%2Fadmin%2Fqueue%2F%3Freason%3Ddone`, `aria-current="page"`)
		page.lacks("secret of Ravi", "To manage", "Nothing", "<b>", "This page as JSON")

		one := b.get("/admin/queue/" + asha.ID.String() + "/").is(200)
		one.says("<h1><bdi>Ticket Printer is on fire</bdi></h1>", "One: Printer is on fire", `<li><a href="/admin/queue/"><bdi>The queue</bdi></a></li>`)
		b.get("/admin/queue/" + ravi.ID.String() + "/").is(404).lacks("secret of Ravi")
		for _, path := range []string{"queue/%00/", "queue/a%2Fb/", "queue/..%2f..%2fagents/", "queue/%ff"} {
			if got := b.get("/admin/" + path); got.status >= 500 || got.status == 200 {
				t.Errorf("%s: status %d", path, got.status)
			}
		}
		b.get("/admin/queue?reason=done").to("/admin/queue/?reason=done")
		b.get("/admin/broken/").is(500).lacks("inner detail")
		b.send(http.MethodPost, "/admin/queue/", b.form("/admin/queue/", nil)).is(405)

		b.get("/admin/agents/"+a.ID.String()+"/").is(200).says("One: "+a.ID.String(), `~json`, `<a href="/admin/agents/">`).lacks("~patch")
		d.signedIn("boss@example.com").get("/admin/manage/agents/"+a.ID.String()+"/").is(200).says("~patch", "<dd>")
		b.get("/admin/agents/").is(200).says("~Meera~").lacks("javascript:")
		b.get("/admin/tickets/").is(200).says("P1")
	})
}

// TestRowsOfSeveralPages: rows are read page after page, whatever divides the list, and no more than the page needs.
func TestRowsOfSeveralPages(t *testing.T) {
	onBothWithPages(t, func(t *testing.T, d *desk) {
		filled(t, d)
		boss := d.signedIn("boss@example.com")
		for twins, want := range map[int]string{4: "4 true", 5: "5 true", 6: "5 false", 120: "5 false 121 true"} {
			var all []*agent
			for range twins {
				all = append(all, &agent{ID: uuid.Must(uuid.NewV7()), Name: "Twin"})
			}
			d.insert(&all)
			boss.get("/admin/count/").is(200).says("One: " + want)
			if _, err := d.db.Session().IDB().NewDelete().Model((*agent)(nil)).Where("name = 'Twin'").Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		d.signedIn("asha@example.com").get("/admin/count/").is(403)
	})
}

// TestSteps: a button does one operation once and leads back to its page. A rejected operation shows its form, and so does one whose
// row another person changed.
func TestSteps(t *testing.T) {
	onBothWithPages(t, func(t *testing.T, d *desk) {
		asha, _, _ := filled(t, d)
		b := d.signedIn("asha@example.com")
		path := "/admin/tickets/" + asha.ID.String() + "/"
		queue := "/admin/queue/?reason=boredom"
		step := func(more url.Values) url.Values {
			all := b.form(queue, more)
			for name := range all {
				if strings.HasPrefix(name, "~was-") || name == "priority" {
					if _, given := more[name]; !given {
						all.Del(name)
					}
				}
			}
			return all
		}
		b.send(http.MethodPost, path+"close/~post", step(nil)).is(409).says("Boredom is no reason.", `value="boredom"`)
		queue = "/admin/queue/?reason=done"
		b.send(http.MethodPost, path+"close/~post", step(url.Values{"~token": {"forged"}})).is(403)
		b.send(http.MethodPost, path+"close/~post", step(nil)).to("/admin/queue/?reason=done&~said=done")
		b.get("/admin/queue/?~said=done").says("Done.")

		lower := url.Values{"priority": {"5"}, "~was-priority": {"1"}}
		stale := b.form("/admin/queue/", lower)
		b.submit(path+"~patch", url.Values{"priority": {"3"}}).is(303)
		b.send(http.MethodPost, path+"~patch", stale).is(409).says("Another person changed this meanwhile", "<td><bdi>3</bdi></td>")
		b.send(http.MethodPost, path+"~patch", b.form("/admin/queue/", url.Values{"priority": {"5"}, "~was-priority": {"3"}})).to("/admin/queue/?~said=saved")
		b.get(path).says("P5")
	})
}

// TestHostileValuesInOwnPages: a value of an answer is shown as text in pages of the program's own and in tiles.
func TestHostileValuesInOwnPages(t *testing.T) {
	onBothWithPages(t, func(t *testing.T, d *desk) {
		asha, _, _ := filled(t, d)
		b := d.signedIn("boss@example.com")
		owner := d.signedIn("asha@example.com")
		for _, hostile := range []string{`<script>alert(1)</script>`, `" onmouseover="alert(1)`, `</h2><img src=x onerror=alert(1)>`, `{{.Title}}`} {
			b.submit("/admin/manage/agents/~post", url.Values{"name": {"!" + hostile}}).is(303)
			owner.submit("/admin/tickets/"+asha.ID.String()+"/~patch", url.Values{"title": {hostile}}).is(303)
			for _, page := range []*seen{b.get("/admin/"), owner.get("/admin/queue/"), owner.get("/admin/queue/" + asha.ID.String() + "/")} {
				page.is(200).says(htmlText(hostile)).lacks("<script>alert", ` onmouseover="`, "<img src=x")
			}
		}
	})
}

// TestStyles: the files of a program are among those of the console.
func TestStyles(t *testing.T) {
	onBothWithPages(t, func(t *testing.T, d *desk) {
		filled(t, d)
		b := d.signedIn("asha@example.com")
		page := b.get("/admin/queue/").body
		for i, want := range []string{".menu", "#6b2fa0", ".whole"} {
			_, rest, _ := strings.Cut(page, `<link rel="stylesheet" href="`)
			address, after, _ := strings.Cut(rest, `"`)
			b.get(address).is(200).says(want)
			if page = after; i == 2 {
				_, rest, _ = strings.Cut(page, `<img class="logo" src="`)
				logo, _, _ := strings.Cut(rest, `"`)
				if got := b.get(logo).is(200); got.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(got.header.Get("Content-Security-Policy"), "default-src 'none'") {
					t.Errorf("the logo is %s with the policy %s", got.header.Get("Content-Type"), got.header.Get("Content-Security-Policy"))
				}
			}
		}
		b.get("/admin/").lacks("color: red")
	})
}

// TestMistakesInPages: a tile, a page, a renderer and a colour that cannot work are mistakes at start.
func TestMistakesInPages(t *testing.T) {
	ok := console.Page{Path: "own/", Title: "Own", Files: templates, Template: "one.html", Data: func(console.Visit) (any, error) { return "", nil }}
	file := func(text string) fstest.MapFS { return fstest.MapFS{"one.html": {Data: []byte(text)}} }
	page := func(change func(*console.Page)) framework.Console {
		p := ok
		change(&p)
		return framework.Console{Pages: []console.Page{p}}
	}
	tile := func(path string, rows int) framework.Console {
		return framework.Console{Tiles: []console.Tile{{Title: "T", Path: path, Rows: rows}}}
	}
	shown := func(text string) (string, string) { return text, "" }
	for name, c := range map[string]struct {
		console framework.Console
		want    string // "" for no mistake
	}{
		"a right page":                     {page(func(*console.Page) {}), ""},
		"a path twice":                     {framework.Console{Pages: []console.Page{ok, ok}}, `the page "own/": another page has this path`},
		"a path with other names of keys":  {framework.Console{Pages: []console.Page{{Path: "{a}/", Title: "A", Files: templates, Template: "one.html", Data: ok.Data}, {Path: "{b}/", Title: "B", Files: templates, Template: "one.html", Data: ok.Data}}}, "another page has this path"},
		"a path without a slash":           {page(func(p *console.Page) { p.Path = "own" }), "the path must be names or keys"},
		"a path with a tilde":              {page(func(p *console.Page) { p.Path = "~own/" }), "the path must be names or keys"},
		"no title":                         {page(func(p *console.Page) { p.Title = "" }), "it needs a Title"},
		"no function":                      {page(func(p *console.Page) { p.Data = nil }), "it needs a Title, Files, a Template and Data"},
		"an endpoint that is not there":    {page(func(p *console.Page) { p.Needs = []string{"GET /ticket/"} }), `the API has no endpoint "GET /ticket/"; did you mean "GET /tickets/"?`},
		"a method that is not there":       {page(func(p *console.Page) { p.Needs = []string{"PUT /agents/"} }), `the API has no endpoint "PUT /agents/"`},
		"a file that is not there":         {page(func(p *console.Page) { p.Template = "none.html" }), "none.html"},
		"a style sheet that is not there":  {page(func(p *console.Page) { p.Style = "none.css" }), "none.css"},
		"a template that does not parse":   {page(func(p *console.Page) { p.Files = file("{{if}}") }), "the template one.html"},
		"a part that is not there":         {page(func(p *console.Page) { p.Files = file(`{{template "nothing" .}}`) }), `no such template "nothing"`},
		"a text that cannot be escaped":    {page(func(p *console.Page) { p.Files = file(`<a href="{{if .}}x">{{end}}`) }), "the template one.html"},
		"a style in a template":            {page(func(p *console.Page) { p.Template = "inline.css" }), `which the policy of the page forbids`},
		"a script in a template":           {page(func(p *console.Page) { p.Files = file("<SCRIPT>") }), `which the policy of the page forbids`},
		"a handler in a template":          {page(func(p *console.Page) { p.Files = file(`<p onclick="x()">`) }), `which the policy of the page forbids`},
		"a link in the menu twice":         {page(func(p *console.Page) { p.Path, p.Group = "agents/", "Desk" }), "leave Group empty"},
		"a right tile":                     {tile("/tickets/?priority=1", 0), ""},
		"a tile of nothing":                {tile("/ticket/", 0), `the tile "T": the API has no endpoint "GET /ticket/"`},
		"a tile of a row":                  {tile("/tickets/{id}/", 0), "neither a list nor totals"},
		"a tile of an unknown parameter":   {tile("/tickets/?prio=1", 0), `has no parameter "prio"`},
		"a tile without a title":           {framework.Console{Tiles: []console.Tile{{Path: "/tickets/"}}}, "it needs a Title"},
		"a renderer of nothing":            {framework.Console{Renderers: map[string]console.Renderer{"tickets.titel": shown}}, `the renderer of "tickets.titel": no answer has this member; did you mean "tickets.title"?`},
		"a renderer without a function":    {framework.Console{Renderers: map[string]console.Renderer{"title": nil}}, `the renderer of "title" has no function`},
		"a colour in words":                {framework.Console{Accent: console.Accent{Light: "blue"}}, "is not a colour"},
		"a text that cannot be read":       {framework.Console{Accent: console.Accent{Light: "#777777", OnLight: "#ffffff", Dark: "#7ab7ff", OnDark: "#0b1a2b"}}, "the contrast of OnLight on Light, #ffffff on #777777, is 4.48:1; it must be at least 4.5:1"},
		"an accent that the page swallows": {framework.Console{Accent: console.Accent{Light: "#ffee00", OnLight: "#000000", Dark: "#7ab7ff", OnDark: "#0b1a2b"}}, "Light on the page"},
		"a logo that is no image":          {framework.Console{Logo: []byte("hello")}, "the logo is not an image"},
	} {
		t.Run(name, func(t *testing.T) {
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) { checkStart(t, db, c.console, c.want) })
		})
	}
}

// checkStart starts the desk with a console, and checks the mistake that it reports.
func checkStart(t *testing.T, db *sqldb.DB, settings framework.Console, want string) {
	t.Helper()
	identity, err := auth.New(auth.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	settings.Path = "/admin/"
	_, err = deskAPI(db, identity, func(c *framework.Config) { c.Console = settings }).Handler()
	switch {
	case want == "" && err != nil:
		t.Errorf("a mistake: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), "Config.Console: ") || !strings.Contains(err.Error(), want)):
		t.Errorf("the mistake is %v; want %q", err, want)
	}
}

// TestMoney: amounts in minor units are shown with their digits.
func TestMoney(t *testing.T) {
	for _, c := range []struct {
		symbol string
		digits int
		text   string
		want   string
	}{
		{"₹", 2, "29800", "₹298.00"}, {"₹", 2, "5", "₹0.05"}, {"₹", 2, "-150", "-₹1.50"}, {"¥", 0, "1200", "¥1200"}, {"", 3, "1", "0.001"},
		{"₹", 2, "1.5", "1.5"}, {"₹", 2, "", ""}, {"₹", 2, "-", "-"}, {"₹", 2, "1e9", "1e9"}, {"₹", 2, "92233720368547758079", "₹922337203685477580.79"},
	} {
		if got, link := console.Money(c.symbol, c.digits)(c.text); got != c.want || link != "" {
			t.Errorf("%s with %s and %d digits is %s; want %s", c.text, c.symbol, c.digits, got, c.want)
		}
	}
}
