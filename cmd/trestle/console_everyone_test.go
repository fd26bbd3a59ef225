package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/axe"
)

// A role is a kind of user of the console.
type role struct {
	name        string
	email       string
	create      string // flags of user create; a role without them is a user of the demo data
	permissions string
	forbidden   string // a page that the role may not open; "" for a role that may open every page
	extras      func(*inspector)
}

func roles() []role {
	return []role{
		{name: "superuser", email: "admin@example.com", extras: (*inspector).managesAll},
		{name: "packer", email: "packer@example.com", create: "--staff", forbidden: "patients/1/history/", extras: (*inspector).packsOrders},
		{
			name: "clerk", email: "clerk@example.com", create: "--name Clerk", forbidden: "admin/orders", extras: (*inspector).keepsPatients,
			permissions: "patients.view patients.add patients.change patients.audit appointments.view appointments.add appointments.change doctors.view",
		},
		{name: "customer", email: "asha@example.com", forbidden: "admin/orders", extras: func(*inspector) {}},
	}
}

// TestTheConsoleIsForEveryone opens every page of the console as each kind of user, on both databases, at each width and in both
// themes. A page has no violation of the rules of axe-core, is not wider than its window, leaves the browser's console empty and
// requests nothing from another host. Each role has the pages that its file in testdata/console lists.
func TestTheConsoleIsForEveryone(t *testing.T) {
	proving.Only(t, "takes many minutes; the stage console runs it")
	script := axe.Script(t)
	onBoth(t, func(t *testing.T, r *rig) {
		s := startProgram(t, buildProgram(t), strings.TrimPrefix(r.env[0], "DATABASE_URL="), "TRESTLE_CONSOLE=/admin/", "TRESTLE_RATES=login=1000/min")
		passwords := passwordsOf(t, s.before)
		for _, one := range roles() {
			if one.create != "" {
				passwords[one.email] = horse
				r.with(horse+"\n", "user create --email "+one.email+" "+one.create).is(t, exitOK)
			}
			if one.permissions != "" {
				r.ok("user grant --email " + one.email + " " + one.permissions)
			}
		}
		base := s.base(t)
		paths := documentedPaths(t, base)
		t.Run("signing in", func(t *testing.T) {
			inspect(t, script, base, paths).signsIn()
		})
		for _, one := range roles() {
			t.Run(one.name, func(t *testing.T) {
				i := inspect(t, script, base, paths)
				i.enters(one.email, passwords[one.email])
				i.crawls()
				i.hasMenus()
				i.searches()
				i.submits("an account with a fault", "auth/email/~post", http.StatusBadRequest, "[name=email]", "x")
				i.opens("an address that is not there", "nothing/here", http.StatusNotFound)
				if one.forbidden != "" {
					i.opens("a page of others", one.forbidden, http.StatusForbidden)
				}
				one.extras(i)
				golden(t, filepath.Join("testdata", "console", one.name+".txt"), i.names())
			})
		}
	})
}

// signsIn checks the pages without a session.
func (i *inspector) signsIn() {
	i.t.Helper()
	i.opens("sign-in", "~sign-in", http.StatusOK)
	i.checks("a wrong password", http.StatusUnauthorized, func() {
		i.visit(i.page("~sign-in"), "#field-email")
		i.enter("#field-email", "nobody@example.com")
		i.enter("#field-password", "wrong")
		i.sends(".entry button")
	})
	i.finds(`document.querySelector("label").remove()`, "label")
}

// hasMenus checks the menus of a page while they are open.
func (i *inspector) hasMenus() {
	i.t.Helper()
	i.widen(telephone)
	i.visit(i.page(""), "main")
	i.widen(desktop)
	i.sees(".menu li a") // a page that becomes wider shows its menu
	i.checks("the open menus", http.StatusOK, func() {
		i.visit(i.page(""), "main")
		read[bool](i.tab, `document.querySelectorAll(".menu details, details.account").forEach(d => { d.open = true }) || true`)
	})
}

// searches checks the results of a search.
func (i *inspector) searches() {
	i.t.Helper()
	i.opens("a search", "~search?q=a", http.StatusOK)
	i.opens("a search without a result", "~search?q=qqqqqq", http.StatusOK)
}

// managesAll checks the pages that need an entry, as a superuser.
func (i *inspector) managesAll() {
	i.t.Helper()
	i.keepsPatients()
	i.packsOrders()
	preview := func(rows string) {
		i.visit(i.page("patients/~import"), "#csv")
		i.fills("#csv", "name,phone\n"+rows)
		i.sends(".do button")
	}
	i.checks("rows of an import", http.StatusOK, func() { preview("Asha,+919800000000") })
	i.checks("an import with faults", http.StatusBadRequest, func() {
		preview("Asha,1\n,2")
		i.sends(".do button")
	})
	i.checks("rows that are not saved", http.StatusBadRequest, func() {
		i.visit(i.page("patients/~rows"), ".grid td")
		i.fills(`.grid tbody input[type=text]`, "")
		i.sends(".do button")
	})
}

// packsOrders checks the pages of orders that need an entry.
func (i *inspector) packsOrders() {
	i.t.Helper()
	chosen := func() {
		i.visit(i.page("admin/orders?status=delivered"), "tbody tr")
		i.sets("#do", read[string](i.tab, `document.querySelector("#do option:nth-child(2)").value`))
		read[bool](i.tab, `[...document.querySelectorAll("input[name=row]")].slice(0, 3).every(box => box.checked = true)`)
		i.sends(".chosen button")
	}
	i.checks("chosen orders", http.StatusOK, chosen)
	i.checks("chosen orders, rejected", http.StatusOK, func() {
		chosen()
		i.sends(".do button")
	})
}

// keepsPatients checks the pages of patients and appointments that need an entry.
func (i *inspector) keepsPatients() {
	i.t.Helper()
	i.submits("a form with faults", "patients/~post", http.StatusBadRequest, `[name=phone]`, "x")
	i.checks("a form that another person overtook", http.StatusConflict, func() {
		i.visit(i.page("patients/"), "tbody th a")
		i.visit(read[string](i.tab, `document.querySelector("tbody th a").href`)+"~patch", ".do button")
		i.fills(`[name="~seen"]`, "another version")
		i.fills(`[name="~was-name"]`, "Before")
		i.fills(`[name="name"]`, "After")
		i.sends(".do button")
	})
	i.opens("a list without a match", "patients/?search=qqqqqq", http.StatusOK)
	i.opens("a filter that is rejected", "appointments/?doctor=x", http.StatusBadRequest)
	i.opens("a calendar", "calendar/?week=2026-W50", http.StatusOK)
	i.checks("free slots", http.StatusOK, func() {
		i.visit(i.page("calendar/?week=2026-W50"), ".calendar .move")
		move := read[string](i.tab, `document.querySelector(".calendar .move").href`)
		i.visit(strings.Replace(move, "2026-W50", "2099-W02", 1), ".calendar button")
	})
}

// page returns the address of a page of the console.
func (i *inspector) page(path string) string {
	to, err := url.JoinPath(i.base, "admin", "/")
	if err != nil {
		i.t.Fatal(err)
	}
	return to + path
}
