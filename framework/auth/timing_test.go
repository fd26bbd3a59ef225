package auth_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/internal/proving"
)

const (
	proofSamples = 1000
	proofBound   = 0.05 // between any two medians
)

// TestFailedLoginsTakeTheSameTime: failed logins take the same time for every reason.
// With TRESTLE_PROVE=1 it measures a thousand logins of each kind in turn, which takes
// minutes on an idle machine. Otherwise it runs 3 and ignores the times.
func TestFailedLoginsTakeTheSameTime(t *testing.T) {
	if testing.Short() {
		t.Skip("the race run; these are single requests and run in make test")
	}
	prove, samples := proving.On(), 3
	if prove {
		samples = proofSamples
	} else {
		t.Logf("%d samples of each kind, which prove nothing; %s=1 takes %d and compares their medians", samples, proving.Variable, proofSamples)
	}
	usual := func(own *auth.Config, common *framework.Config) {
		unlimited(own, common)
		own.Hashes = auth.HashOptions{} // their work is what takes the time
	}
	onDesk(t, usual, func(d *desk) {
		d.user("asha@example.com")
		d.inactive()
		took := make([][]time.Duration, len(failures))
		for round := range samples {
			for n := range failures {
				i := (n + round) % len(failures) // garbage is collected after every second hash, which must not be one kind's
				f := failures[i]
				began := time.Now()
				r := d.Post(login, credentialsOf(f.email, f.password))
				took[i] = append(took[i], time.Since(began))
				r.Expect(http.StatusUnauthorized)
			}
		}
		medians := make([]time.Duration, len(failures))
		for i, f := range failures {
			slices.Sort(took[i])
			medians[i] = took[i][samples/2]
			d.Logf("%s: median %s", f.name, medians[i])
		}
		if apart := float64(slices.Max(medians))/float64(slices.Min(medians)) - 1; prove && apart > proofBound {
			d.Errorf("the medians are %.1f %% apart; want at most %.0f %%", 100*apart, 100*proofBound)
		}
	})
}
