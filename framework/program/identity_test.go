package program

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/spf13/pflag"
	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestHousekeepingOutlivesAPanic: the log has it with its stack, and an hour later
// everything is tried again.
func TestHousekeepingOutlivesAPanic(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database string) {
		c, err := usersAlone().table().Read(pflag.NewFlagSet("", pflag.ContinueOnError), map[string]string{"DATABASE_URL": database})
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
			s, err := usersAlone().open(c, identity, log)
			if err != nil {
				t.Fatal(err)
			}
			defer s.close()
			var deleted atomic.Int64
			s.db.Observe(func(_ context.Context, e sqldb.Event) {
				if strings.Contains(e.SQL, "DELETE FROM") {
					deleted.Add(1)
				}
			})
			broken.Store(true)
			end := s.keepHouse(t.Context(), framework.New(framework.Config{DB: s.db, Now: now}))
			time.Sleep(time.Minute + time.Second) //nolint:forbidigo // the bubble's clock, which waits for nobody
			broken.Store(false)
			synctest.Wait()
			for of, times := range map[string]int{"sessions and tokens": 3, "idempotency keys": 1} {
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
			// Two kinds of sessions, tokens, logins and keys.
			if n := deleted.Load(); n != 5 {
				t.Errorf("an hour later %d kinds of rows are deleted; want 5", n)
			}
			end()
			if more := said.String()[before:]; more != "" {
				t.Errorf("then it says %s", more)
			}
		})
	})
}
