package resources_test

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/internal/proving"
)

// attackSeed is the environment variable of the seed of a run that is to be repeated.
const attackSeed = "TRESTLE_SEED"

// TestTheServicesKeepTheirContract sends each service requests generated from its own
// document, valid and invalid ones, by all kinds of callers. No answer may be a 5xx
// or missing in the document. The service must accept a request exactly if the document
// allows it. With TRESTLE_PROVE=1 it sends 10,000 or more to a service, and checks that each
// operation succeeded at least once; with fewer, that many of them did.
//
// It prints its seed; TRESTLE_SEED repeats a run, but for ids and times.
func TestTheServicesKeepTheirContract(t *testing.T) {
	seed := seedOf(t)
	for _, service := range []struct {
		name          string
		usual, proof  int
		fewest        int // operations that succeed in the usual run: far fewer than do
		under         []string
		callersChange bool // a request may end the credentials that it is sent with
	}{
		{"clinic", 1000, 40_000, 12, []string{"/api/patients", "/api/appointments", "/api/doctors", "/api/manage"}, false},
		{"store", 1000, 40_000, 9, []string{"/api/categories", "/api/products", "/api/cart", "/api/orders", "/api/admin"}, false},
		{"identity", 300, 10_000, 7, []string{"/api/auth"}, true},
	} {
		t.Run(service.name, func(t *testing.T) {
			peopled(t, func(w *world) {
				requests, fewest := service.usual, service.fewest
				if proving.On() {
					requests = service.proof
				}
				if testing.Short() {
					requests, fewest = requests/4, fewest/2
				}
				tally := contract.Attack{
					Contract: promised(w.t, w.api, 0), URL: w.client.URL(), Seed: seed, Requests: requests,
					Only: func(method, path string) bool {
						return isUnder(path, service.under) && method+" "+path != "DELETE /api/auth/me" // the callers are needed
					},
					Callers: w.attackers(service.callersChange), Known: w.known(), Unsaid: unsaid(),
				}.Run(w.t)
				w.t.Logf("FIGURE %s: %d requests, seed %d", w.t.Name(), requests, seed)
				w.t.Logf("%s", tally)
				w.succeeded(tally, fewest)
			})
		})
	}
}

func seedOf(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if given := os.Getenv(attackSeed); given != "" {
		var err error
		if seed, err = strconv.ParseUint(given, 10, 64); err != nil {
			t.Fatalf("%s is %q: it must be a whole number", attackSeed, given)
		}
	}
	t.Logf("seed %d", seed)
	return seed
}

func isUnder(path string, roots []string) bool {
	for _, root := range roots {
		if strings.HasPrefix(path, root) {
			return true
		}
	}
	return false
}

// attackers are the callers of an attack. Where requests may end the credentials
// that they are sent with, each has its own.
func (w *world) attackers(fresh bool) map[string]func(method, path string) http.Header {
	w.t.Helper()
	s := w.stage(w.user())
	all := map[string]func(string, string) http.Header{"anonymous": func(string, string) http.Header { return http.Header{} }}
	for name, user := range map[string]auth.User{"owner": s.owner, "user": w.user(), "staff": w.user(staff), "superuser": w.user(superuser)} {
		kept := w.wallet(user)
		all[name] = func(string, string) http.Header {
			k := kept
			if fresh {
				k = w.wallet(user)
			}
			return k.header(map[string]string{"owner": byBearer, "user": bySession, "staff": byToken, "superuser": byJWT}[name])
		}
	}
	return all
}

// header are the credentials of a scheme.
func (k wallet) header(scheme string) http.Header {
	switch scheme {
	case bySession:
		return http.Header{"Cookie": {"sessionid=" + k.cookie}, "X-Csrftoken": {k.csrf}}
	case byJWT:
		return http.Header{"Authorization": {"Bearer " + k.jwt.Access.Reveal()}}
	}
	return http.Header{"Authorization": {scheme + " " + k.token}}
}

// known are valid values that cannot be generated.
func (w *world) known() map[string][]string {
	w.t.Helper()
	user := w.user()
	known := map[string][]string{"username": {w.inJSON(user.Email)}, "password": {w.inJSON(password)}, "currentPassword": {w.inJSON(password)}}
	for range 40 {
		pair, err := w.identity.JWT.Issue(w.t.Context(), w.db.Session(), user)
		w.must(err)
		known["refresh"] = append(known["refresh"], w.inJSON(pair.Refresh.Reveal()))
		known["email"] = append(known["email"], w.inJSON(user.Email), w.inJSON(newID().String()+"@new.example"))
	}
	return known
}

func (w *world) inJSON(text string) string {
	w.t.Helper()
	encoded, err := json.Marshal(text)
	w.must(err)
	return string(encoded)
}

// unsaid are what requests may be rejected for that are as the document has them: rules
// about several members, or about what is stored.
func unsaid() map[string][]string {
	all := map[string][]string{
		"createAdminProduct": {"/variants/*/mrpPaise: min"},
		"updateAdminProduct": {"/variants/*/mrpPaise: min", "/variants/*/pricePaise: max"},
		"createOrder":        {"/deliveryAddress: required"},                          // where there is no earlier one
		"listAdminOrders":    {"limit: invalid_parameter", "page: invalid_parameter"}, // of an export, which has no pages
		"listProducts":       {"minPaise: invalid_parameter", "maxPaise: invalid_parameter", "q: invalid_parameter"},
	}
	for _, list := range []string{"listPatients", "listDoctors"} {
		all[list] = append(all[list], "search: invalid_parameter") // how many words, and how long each
	}
	for _, history := range []string{"getPatientHistory", "getAppointmentHistory"} {
		all[history] = append(all[history], "before: invalid_parameter") // an entry of another row
	}
	for _, member := range []string{"sku", "label", "unit", "pricePaise", "mrpPaise", "stock"} {
		all["updateAdminProduct"] = append(all["updateAdminProduct"], "/variants/*/"+member+": required") // of a new one
	}
	return all
}

// mailed are the operations that need the token of a mail, which no caller here has.
var mailed = []string{"confirmPasswordReset", "verifyEmail"}

// succeeded checks that enough operations succeeded at least once: in a
// proof, which tries them often enough, each of them but those that are mailed.
func (w *world) succeeded(tally contract.Tally, fewest int) {
	w.t.Helper()
	n := 0
	for id, statuses := range tally.Statuses {
		some := false
		for status := range statuses {
			some = some || status < http.StatusMultipleChoices
		}
		if some {
			n++
		} else if proving.On() && !slices.Contains(mailed, id) {
			w.t.Errorf("%s never succeeded: %v", id, statuses)
		}
	}
	if n < fewest {
		w.t.Errorf("%d operations succeeded; want %d at least", n, fewest)
	}
}
