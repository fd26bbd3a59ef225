package main

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

func TestSeed(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		first := r.run("seed --patients 20 --appointments 40 --products 15")
		first.is(t, exitOK, "Seeded 20 patients, 40 appointments, 15 products and 4 users")
		passwords := passwordsOf(t, first.stdout)

		again := r.run("seed")
		again.is(t, exitOK, "holds demo data already (20 patients, 40 appointments, 15 products, since", "--force")
		if again.stdout != "" {
			t.Errorf("a second time prints %q; want nothing", again.stdout)
		}
		forced := r.run("seed --patients 30 --appointments 60 --products 25 --force")
		forced.is(t, exitOK)
		for email, password := range passwordsOf(t, forced.stdout) {
			if password == passwords[email] {
				t.Errorf("the password of %s is the same as before", email)
			}
		}
		r.run("seed").is(t, exitOK, "(30 patients, 60 appointments, 25 products")
	})
}

// TestSeedWithoutItsTable: only seed needs the table, and names what is missing of it.
func TestSeedWithoutItsTable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ change, says string }{
		"no table":    {"DROP TABLE trestle_demo", `the database has no table "trestle_demo", in which seed records its demo data; restore it from a backup, or seed another database`},
		"no products": {"ALTER TABLE trestle_demo DROP COLUMN products", `the table "trestle_demo", in which seed records its demo data, has no column "products"; restore it`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				r.ok("migrate up")
				r.change(r.database(), test.change)
				for _, call := range []string{"seed", "seed --force", "serve --seed --addr 127.0.0.1:0"} {
					r.run(call).is(t, exitNeedsAction, test.says)
				}
				r.ok("doctor")
			})
		})
	}
}

func TestSeedGivesTheDemosUsersAStore(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]string{"sqlite": sqliteURL(t), "postgresql": postgres.Database(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, url)
			r.ok("migrate up")
			r.ok("seed --patients 1 --appointments 1 --products 40")
			db, err := sqldb.Open(url, sqldb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for email, want := range map[string]string{
				"asha@example.com": "13 orders, 4 in the cart, sets stocks: false", "ravi@example.com": "13 orders, 0 in the cart, sets stocks: false",
				"staff@example.com": "0 orders, 0 in the cart, sets stocks: true", "admin@example.com": "0 orders, 0 in the cart, sets stocks: false",
			} {
				var orders, items, sets int
				err := db.NewRaw(`SELECT (SELECT count(*) FROM orders WHERE user_id = u.id), (SELECT count(*) FROM cart_items WHERE user_id = u.id),
					(SELECT count(*) FROM stock_movements WHERE actor = u.id AND kind = 'set') FROM auth_users u WHERE email = ?`, email).
					Scan(t.Context(), &orders, &items, &sets)
				if got := fmt.Sprintf("%d orders, %d in the cart, sets stocks: %t", orders, items, sets > 30); err != nil || got != want {
					t.Errorf("%s: %s (%v); want %s", email, got, err, want)
				}
			}
		})
	}
}

func TestSeedSizes(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	r.run("seed --products -1").is(t, exitUsage, "--products is -1; it must be from 1")
	r.run("seed --products 0").is(t, exitUsage, "--products is 0; it must be from 1")
	r.run("seed --products 2000000000").is(t, exitUsage, "it must be from 1")
	r.run("seed --scale 2").is(t, exitOK, "Seeded 400 patients, 1200 appointments, 240 products")
}

// passwordsOf reads what seed prints.
func passwordsOf(t *testing.T, stdout string) map[string]string {
	t.Helper()
	passwords := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^(\S+@example\.com)\s+([a-z2-7]{4}(?:-[a-z2-7]{4}){3})\s`).FindAllStringSubmatch(stdout, -1) {
		passwords[line[1]] = line[2]
	}
	if len(passwords) != 4 {
		t.Fatalf("seed prints %q; want four users with passwords", stdout)
	}
	return passwords
}

func TestSeedSparesADatabaseInUse(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with("correct horse battery\n", "createsuperuser --email boss@example.com").is(t, exitOK)
		r.run("seed").is(t, exitNeedsAction, "has users and is not a demo's", "--force")
		r.run("serve --seed --addr 127.0.0.1:0").is(t, exitNeedsAction, "has users and is not a demo's")
		r.ok("seed --force --patients 10 --appointments 10 --products 10")
	})
}

func TestSeedNeverTakesOverAnAccount(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with("correct horse battery\n", "createsuperuser --email admin@example.com").is(t, exitOK)
		r.run("seed --force").is(t, exitFailure, "seed another one")
		r.run("token create --email asha@example.com").is(t, exitFailure, "no user has the e-mail")
	})
}

func TestSeedRefusesProduction(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t), "TRESTLE_ENV=production")
	r.ok("migrate up")
	r.run("seed --force").is(t, exitUsage, "TRESTLE_ENV is production")
}

func TestManySeedAtOnce(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		results := make([]result, 4)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() { results[i] = r.run("seed --patients 10 --appointments 10 --products 10") })
		}
		all.Wait()
		printed := 0
		for _, got := range results {
			got.is(t, exitOK)
			printed += strings.Count(got.stdout, "admin@example.com")
		}
		if printed != 1 {
			t.Errorf("%d of them made the users; want one", printed)
		}
	})
}

func TestReindex(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.ok("seed --patients 10 --appointments 10 --products 10")
		r.run("reindex").is(t, exitOK, "Read 10 rows of patients and changed the search documents of 0.") // what seed fills is what the framework fills
		r.run("reindex doctors").is(t, exitUsage, `no resource "doctors" stores a search document; these do: patients`)
	})
}

func TestDemoPasswordsAreAsLongAsTheyMustBe(t *testing.T) {
	t.Parallel()
	for least, want := range map[int]int{0: 19, 8: 19, 19: 19, 20: 24, 127: 128, 128: 128} {
		if got := newPassword(least); len(got) != want {
			t.Errorf("for %d characters it makes %q; want %d", least, got, want)
		}
	}
	onBoth(t, func(t *testing.T, r *rig) {
		r.env = append(r.env, "TRESTLE_PASSWORD_MIN=128")
		r.ok("migrate up")
		r.ok("seed --patients 1 --appointments 1 --products 1")
	})
}
