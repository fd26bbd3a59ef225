package resources_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
)

// nests is how a path may be built: at most one resource below another, one row,
// and one step to be taken with it. Staff's paths begin with admin. A step of an account may have
// a second one that confirms it. Requests for several rows are at bulk, and at bulk/each with a result for each.
var nests = regexp.MustCompile(`^/api/(admin/)?([a-z]+(/[a-z]+|/bulk/each)?(/\{(id|slug)\})?|[a-z]+/\{(id|slug)\}/[a-z]+|auth/[a-z]+/[a-z]+(/confirm)?)/?$`)

// TestPathsNestOneLevel: a path names one row at most, and never whose it is.
func TestPathsNestOneLevel(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for _, r := range serve(t, db, 20).api.Routes() {
			if r.Name != "root" && !nests.MatchString(r.Path) {
				t.Errorf("%s %s nests deeper than /cart/items/{id} and /orders/{id}/cancel", r.Method, r.Path)
			}
			clinic := slices.Contains([]string{"patients", "appointments", "doctors", "manage/doctors"}, r.ViewSet)
			if slash := strings.HasSuffix(r.Path, "/"); r.Name != "root" && slash != clinic {
				t.Errorf("%s %s ends with a slash: %v; paths of the clinic do, others do not", r.Method, r.Path, slash)
			}
		}
	})
}

// TestPathsThatNestTooDeep are distinguished from those that do not.
func TestPathsThatNestTooDeep(t *testing.T) {
	for path, fine := range map[string]bool{
		"/api/cart/items/{id}": true, "/api/patients/bulk/each/": true, "/api/cart/items/each": false, "/api/orders/{id}/cancel": true, "/api/admin/orders/{id}/pack": true, "/api/auth/jwt/refresh": true, "/api/auth/password/reset/confirm": true, "/api/patients/{id}/appointments/": true,
		"/api/orders/{id}/items/{id}": false, "/api/orders/{id}/items/cancel": false, "/api/users/{user}/cart": false, "/api/cart/items/{id}/notes": false,
		"/api/v1/orders/{id}/cancel": false, "/api/auth/password/reset/other": false, "/api/orders/password/reset/confirm": false, "/api/v1/orders": false, "/api/store/cart/items": false, "/api/Orders": false,
	} {
		if nests.MatchString(path) != fine {
			t.Errorf("%s is fine: %v", path, !fine)
		}
	}
}
