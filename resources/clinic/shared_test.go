package clinic_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
)

// TestReadsAtOnceKeepScopes: what many ask at the same time may be one
// statement for all, but never for two owners.
func TestReadsAtOnceKeepScopes(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		mine := map[string]string{}
		for _, owner := range []string{"ada", "bob"} {
			mine[owner] = s.patient(owner, "Patient of "+owner)
		}
		var all sync.WaitGroup
		for i := range 24 {
			owner, other := "ada", "bob"
			if i%2 == 1 {
				owner, other = other, owner
			}
			client := s.as(owner)
			all.Go(func() {
				for range 20 {
					if names := page(client.Get("/api/patients/")).values("name"); len(names) != 1 || names[0] != "Patient of "+owner {
						t.Errorf("%s has %q", owner, names)
					}
					client.Get("/api/patients/" + mine[owner] + "/").Expect(200)
					client.Get("/api/patients/" + mine[other] + "/").Expect(404)
				}
			})
		}
		all.Wait()
	})
}

// TestNoAnswerMissesACommit: a connection of the program writes, and
// 32 clients send reads that share executions. Each answer to a request that began
// after a commit includes it, and no client gets the rows of another owner.
func TestNoAnswerMissesACommit(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		const each, commits = 4, 120
		owners, doctor := []string{"ada", "bob"}, uuid.MustParse(s.doctor("Dr Sen"))
		var patients []string
		for i := range len(owners) * each {
			patients = append(patients, s.patient(owners[i%len(owners)], "Patient 0"))
		}
		var all atomic.Int64 // appointments that are committed
		written := make([]atomic.Int64, len(patients))
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		var readers sync.WaitGroup
		for reader := range 32 {
			who := append(owners, "viewer")[reader%3]
			client := s.as(who)
			readers.Go(func() {
				for i := reader; ctx.Err() == nil && !t.Failed(); i++ {
					at := i % len(patients)
					path := "/api/patients/" + patients[at] + "/"
					if who != "viewer" && who != owners[at%len(owners)] {
						client.Get(path).Expect(404)
						client.Get(path + "appointments/").Expect(404)
						continue
					}
					before := written[at].Load()
					name, _ := object(client.Get(path).Expect(200))["name"].(string)
					if n, err := strconv.ParseInt(strings.TrimPrefix(name, "Patient "), 10, 64); err != nil || n < before {
						t.Errorf("%s is shown %q after commit %d", who, name, before)
					}
					before = written[at].Load()
					var appointments []fields
					if client.Get(path + "appointments/").Expect(200).JSON(&appointments); int64(len(appointments)) < before {
						t.Errorf("%s is shown %d appointments after commit %d", who, len(appointments), before)
					}
					if before = all.Load(); who == "viewer" {
						if l := page(client.Get("/api/appointments/")); int64(*l.Count) < before {
							t.Errorf("%d are counted after commit %d", *l.Count, before)
						}
					}
				}
			})
		}
		for n := range commits {
			at := n % len(patients)
			row := appointmentRow(uuid.MustParse(patients[at]), doctor)
			s.must(s.db.InTx(ctx, func(ctx context.Context, session *sqldb.Session) error {
				if _, err := session.IDB().NewInsert().Model(&row).Exec(ctx); err != nil {
					return err
				}
				_, err := session.Exec(ctx, s.db.NewRaw("UPDATE patients SET name = ? WHERE id = ?", fmt.Sprintf("Patient %d", n/len(patients)+1), patients[at]))
				return err
			}))
			written[at].Add(1)
			all.Add(1)
		}
		stop()
		readers.Wait()
	})
}
