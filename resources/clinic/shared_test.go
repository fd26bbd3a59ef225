package clinic_test

import (
	"sync"
	"testing"
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
