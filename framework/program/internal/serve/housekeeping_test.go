package serve

import (
	"context"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"
	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

func TestHousekeepingOutlivesAPanic(t *testing.T) {
	t.Parallel()
	project := site.Project{
		Name: "trestle", Migrations: []sqldb.Migrations{framework.Migrations(), auth.Migrations()}, NewIdentity: auth.New,
	}
	onBoth(t, func(t *testing.T, database string) {
		c, err := project.Table().Read(pflag.NewFlagSet("", pflag.ContinueOnError), map[string]string{"DATABASE_URL": database})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			said := &strings.Builder{}
			log := c.NewLog(said)
			var broken atomic.Bool
			now := func() time.Time {
				if broken.Load() {
					panic("no clock")
				}
				return time.Now()
			}
			identity := c.IdentityConfig(log)
			identity.Now = now
			s, err := project.Open(c, identity, log)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.DB.Migrate(t.Context(), nil, project.Migrations...); err != nil {
				t.Fatal(err)
			}
			var deleted atomic.Int64
			s.DB.Observe(func(_ context.Context, e sqldb.Event) {
				if strings.Contains(e.SQL, "DELETE FROM") {
					deleted.Add(1)
				}
			})
			broken.Store(true)
			end := startHousekeeping(t.Context(), s, framework.New(framework.Config{DB: s.DB, Now: now}))
			time.Sleep(time.Minute + time.Second) //nolint:forbidigo // the bubble's clock, which runs at once
			broken.Store(false)
			synctest.Wait()
			for of, times := range map[string]int{"sessions and tokens": 4, "idempotency keys and files": 1} {
				lines := strings.Split(said.String(), "\n")
				lines = slices.DeleteFunc(lines, func(line string) bool {
					return !strings.Contains(line, "looking after "+of+" failed and is tried again") || !strings.Contains(line, `: no clock\ngoroutine `)
				})
				if len(lines) != times {
					t.Errorf("the log tells %d times of %s; want %d, with the stack: %s", len(lines), of, times, said)
				}
			}
			before := len(said.String())
			time.Sleep(time.Hour) //nolint:forbidigo // as above
			synctest.Wait()
			// Two kinds of sessions, tokens, logins, links of mails, and keys.
			if n := deleted.Load(); n != 6 {
				t.Errorf("an hour later %d kinds of rows are deleted; want 6", n)
			}
			end()
			if more := said.String()[before:]; more != "" {
				t.Errorf("then it says %s", more)
			}
		})
	})
}

// onBoth runs a test on a fresh database of each kind, without tables.
func onBoth(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, (&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "test.db")}).String())
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		test(t, postgres.Database(t))
	})
}

// TestTheTimeToStop: the files of deploy/ allow for it.
func TestTheTimeToStop(t *testing.T) {
	t.Parallel()
	if got := config.ProductionDelay + drainTime + lastWrites; got != 33*time.Second {
		t.Errorf("a server stops within %s; change longestStop of cmd/trestle too", got)
	}
}
