package resources_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
)

// A Vault is a row behind the guard of /api/admin.
type Vault struct {
	bun.BaseModel `bun:"table:vaults"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type vaultInput struct {
	Name string `json:"name" validate:"required"`
}

type vaultView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// vaults are open to every caller by themselves: only the guard of the prefix protects
// them.
func vaults() framework.Resource {
	return framework.ViewSet[Vault]{
		Name: "vaults", Under: "admin", Verbs: framework.CRUD[vaultInput, vaultView](),
		Scope: framework.Public(), Permission: framework.Anyone(),
	}
}

// secret is the name of a vault; no caller but staff may read it.
const secret = "two bars of gold"

// spellings are ways to write a path below the guarded prefix. $ is what follows
// it, "vaults/" or the path of a row; @ is the same with another slash.
var spellings = map[string][]string{
	"as it is":             {"/api/admin/$", "/api/admin/$?", "/api/admin", "/api/admin/", "/api/admin/nothing/here/"},
	"without a last slash": {"/api/admin/-"},
	"more slashes":         {"//api/admin/$", "/api//admin/$", "/api/admin//$", "///api///admin///$", "/api/admin/$/", "//admin/$", "//api//admin//$"},
	"dots": {
		"/./api/admin/$", "/api/./admin/$", "/api/admin/./$", "/api/admin/../admin/$", "/api/x/../admin/$", "/x/../api/admin/$", "/../api/admin/$",
		"/api/patients/../admin/$", "/api/admin/x/../$", "/api/auth/login/../../admin/$", "/api/.../admin/$", "/api/admin/.$", "/api/admin./$", "/api/../api/admin/$",
	},
	"escaped dots":    {"/api/%2e/admin/$", "/api/x/%2e%2e/admin/$", "/api/x/.%2e/admin/$", "/api/x/%2E%2E/admin/$", "/%2e%2e/api/admin/$", "/api/admin%2e/$"},
	"escaped slashes": {"/api%2fadmin/$", "/api/admin%2f$", "/api/admin/@", "/api%2Fadmin%2F@", "/%2fapi/admin/$", "/api/x/..%2fadmin/$", "/api/x%2f..%2fadmin/$"},
	"backslashes": {
		`/api\admin/$`, `/api/admin\$`, `\api\admin\$`, `/api\x\..\admin/$`, "/api%5cadmin/$", "/api/admin%5c$", "/api/x/..%5cadmin/$", `/api/x/..\admin/$`, "/api%5Cadmin%5C$",
	},
	"path parameters": {
		"/api/admin;a=b/$", "/api;a=b/admin/$", "/api/;/admin/$", "/api/x/..;/admin/$", "/api/x/..;a=b/admin/$", "/api/admin;/$", "/api/admin/;a=b/$", "/api/admin%3b/$",
		"/api/patients/..;/..;/api/admin/$", "/api/.;/admin/$",
	},
	"another case":     {"/api/Admin/$", "/api/ADMIN/$", "/API/admin/$", "/Api/aDmIn/$"},
	"escaped letters":  {"/api/%61dmin/$", "/api/admi%6e/$", "/%61pi/admin/$", "/api/%61%64%6d%69%6e/$", "/api/%41dmin/$", "/api/adm%69n%2f$"},
	"escaped twice":    {"/api/%2561dmin/$", "/api%252fadmin/$", "/api/x/%252e%252e/admin/$", "/api/admin%252f$", "/api%255cadmin/$", "/api/%25%36%31dmin/$", "/api/%252561dmin/$"},
	"an absolute form": {"http://clinic.example/api/admin/$", "http://clinic.example//api/admin/$", "http://staff@clinic.example/api/admin/$", "https://clinic.example/api/%61dmin/$", "HTTP://CLINIC.EXAMPLE/API/ADMIN/$", "//clinic.example/api/admin/$"},
	"a query": {
		"/api/admin/$?a=b", "/api/admin/$?/../../patients/", "/api/admin/%3f/$", "/api/admin/$?_method=GET", "/api/admin/$;?x", "/api/admin/$#", "/api/#/admin/$", "/api/admin/$?%00",
		"/api/admin/$?path=/api/", "/api/admin/$&x=1", "/api/admin/%23$",
	},
	"control characters": {
		"/api/admin\x00/$", "/api/\x00admin/$", "/api/admin%00/$", "/api/%00/admin/$", "/api/admin/$%00", "/api/\tadmin/$", "/api/admin%09/$", "/api/admin\t", "/api/admin%0a/$",
		"/api/admin%0d%0a/$", "/api/%20admin/$", "/api/admin%20/$", "/api/admin\x7f/$", "/api/admin\x0b/$", "/api/admin%ff/$",
	},
	"letters that look alike": {
		"/api/\uff41\uff44\uff4d\uff49\uff4e/$", "/api/%ef%bd%81dmin/$", "/api/\u0430dmin/$", "/api/adm\u0131n/$", "/api/ADM\u0130N/$", "/api\uff0fadmin/$", "/api\u2215admin/$",
		"/api/admin\u200b/$", "/api/ad\u00admin/$",
	},
	"overlong UTF-8": {"/api\xc0\xafadmin/$", "/api%c0%afadmin/$", "/api/x/%c0%ae%c0%ae/admin/$", "/api/%c1%a1dmin/$", "/api/%e0%81%a1dmin/$", "/api%e0%80%afadmin/$"},
	"broken escapes": {"/api/%admin/$", "/api/%u0061dmin/$", "/api/admin%/$", "/api/admin%2/$", "/api/%6/admin/$"},
}

var (
	methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"}
	// overrides are headers by which some servers take a request for another.
	overrides = []string{
		"", "X-HTTP-Method-Override: GET", "X-Original-URL: /api/admin/vaults/", "X-Rewrite-URL: /api/admin/vaults/", "X-Forwarded-Prefix: /api/admin",
	}
)

// targets are all spellings of the list of vaults and of one vault.
func targets(id string) (all []string) {
	for _, some := range spellings {
		for _, spelling := range some {
			for _, below := range []string{"vaults/", "vaults/" + id + "/"} {
				other := strings.ReplaceAll(below, "/", "%2f")
				all = append(all, strings.NewReplacer("$", below, "@", other, "/-", "/"+strings.TrimSuffix(below, "/")).Replace(spelling))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// vaulted is a world with one vault, and how often a statement named its table.
func vaulted(t *testing.T, db *sqldb.DB) (w *world, vault Vault, touched *atomic.Int64) {
	t.Helper()
	w = serve(t, db, 20, vaults()).withPeople()
	w.must(db.Migrate(t.Context(), nil, sqldb.Migrations{Namespace: "test", FS: fstest.MapFS{
		"0001_vaults.tx.up.sql":   {Data: []byte("CREATE TABLE vaults ({{id}}, name {{text}} NOT NULL);")},
		"0001_vaults.tx.down.sql": {Data: []byte("DROP TABLE vaults;")},
	}}))
	vault, touched = Vault{ID: newID(), Name: secret}, new(atomic.Int64)
	w.store(&vault)
	db.Observe(func(_ context.Context, e sqldb.Event) {
		if strings.Contains(e.SQL, "vaults") {
			touched.Add(1)
		}
	})
	return w, vault, touched
}

// TestAdminPrefix: a request of a caller who is not staff never succeeds below the
// guarded prefix, and reads or writes no vault.
func TestAdminPrefix(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		w, vault, touched := vaulted(t, db)
		all := targets(vault.ID.String())
		sent := 0
		for name, caller := range strangers(w) {
			sent += caller.attack(t, w.client.URL(), name, all)
		}
		if n := touched.Load(); n != 0 {
			t.Errorf("%d statements named the table of vaults; want none", n)
		}
		t.Logf("%d requests to %d targets by %d methods, with %d headers in turn; make prove combines all for two callers", sent, len(all), len(methods), len(overrides))
		served := keeper(w).visits(t, w.client.URL(), vault, all)
		t.Logf("staff find the vault at %d of the targets", served)
		if touched.Load() == 0 {
			t.Error("no statement named the table of vaults, even for staff: this test sees nothing")
		}
	})
}

// A visitor sends raw requests with some headers.
type visitor struct {
	headers string
	thrifty bool // one of the headers of overrides with each request, in turn
}

// strangers are the callers that the guard rejects.
func strangers(w *world) map[string]visitor {
	w.t.Helper()
	user, head, former := w.wallet(w.user()), w.wallet(w.user(superuser)), w.wallet(w.user(staff))
	w.must(w.identity.Users.SetActive(w.t.Context(), w.db.Session(), former.user.ID, false))
	return map[string]visitor{
		"nobody":                     {thrifty: !proving.On()},
		"a user by token":            {"Authorization: Token " + user.token + "\r\n", !proving.On()},
		"a user by session":          {"Cookie: sessionid=" + user.cookie + "\r\nX-CSRFToken: " + user.csrf + "\r\n", true},
		"a superuser, no staff":      {"Authorization: Bearer " + head.jwt.Access.Reveal() + "\r\n", true},
		"staff who were deactivated": {"Authorization: Bearer " + former.token + "\r\n", true},
	}
}

// keeper is staff.
func keeper(w *world) visitor {
	w.t.Helper()
	return visitor{headers: "Authorization: Token " + w.wallet(w.user(staff)).token + "\r\n"}
}

// attack sends every method to every target, and returns how many requests that
// were.
func (v visitor) attack(t *testing.T, url, name string, all []string) int {
	t.Helper()
	var wg sync.WaitGroup
	var sent atomic.Int64
	const at = 4 // connections
	for i := range at {
		wg.Go(func() {
			c := &wire{url: url}
			defer c.close()
			for n := i; n < len(all)*len(methods); n += at {
				method, target := methods[n%len(methods)], all[n/len(methods)]
				for j, override := range overrides {
					if v.thrifty && n%len(overrides) != j {
						continue
					}
					sent.Add(1)
					status, body, err := c.send(method, target, v.headers+override)
					if err != nil || status < 300 || strings.Contains(body, secret) {
						t.Errorf("%s: %s %q with %q is answered with %d, error %v\n%s", name, method, target, override, status, err, body)
					}
				}
			}
		})
	}
	wg.Wait()
	return int(sent.Load())
}

// visits checks that staff may do everything, with the same means, and returns
// at how many of the targets they find a vault.
func (v visitor) visits(t *testing.T, url string, vault Vault, all []string) (served int) {
	t.Helper()
	c := &wire{url: url}
	defer c.close()
	item := "/api/admin/vaults/" + vault.ID.String() + "/"
	for _, r := range []struct {
		method, target string
		want           int
	}{
		{"GET", "/api/admin/vaults/", 200}, {"HEAD", item, 200}, {"GET", item, 200}, {"POST", "/api/admin/vaults/", 201}, {"OPTIONS", item, 200},
		{"TRACE", item, 405}, {"BREW", item, 405}, {"OPTIONS", "/api/admin/nothing/", 404}, {"TRACE", "/api/admin/nothing/", 404},
	} {
		status, body, err := c.send(r.method, r.target, v.headers)
		if err != nil || status != r.want || r.method == "GET" && !strings.Contains(body, secret) {
			t.Errorf("staff: %s %s is answered with %d, error %v; want %d\n%s", r.method, r.target, status, err, r.want, body)
		}
	}
	for _, target := range all {
		if status, body, _ := c.send("GET", target, v.headers); status == 200 && strings.Contains(body, secret) {
			served++
		}
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE"} {
		if status, body, err := c.send(method, item, v.headers); err != nil || status >= 300 {
			t.Errorf("staff: %s %s is answered with %d, error %v\n%s", method, item, status, err, body)
		}
	}
	return served
}

// TestOverridesAreNotHeard: a header that names another method or path than the
// request line changes nothing, for staff either.
func TestOverridesAreNotHeard(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		w, vault, touched := vaulted(t, db)
		user := w.wallet(w.user())
		for _, r := range []struct{ method, path string }{{"GET", "/api/"}, {"GET", "/api/doctors/"}, {"GET", "/api/patients/"}, {"OPTIONS", "/api/doctors/"}, {"GET", "/nowhere"}} {
			client := user.show(w.client, byToken)
			answer := client.Do(r.method, r.path, nil)
			for _, override := range append(slices.Clone(overrides[1:]), "X-HTTP-Method-Override: DELETE", "X-Forwarded-Uri: /api/admin/vaults/", "X-Original-Method: POST") {
				name, value, _ := strings.Cut(override, ": ")
				alike(t, answer, client.With(name, value).Do(r.method, r.path, nil).Lacks(secret))
			}
		}
		if n := touched.Load(); n != 0 {
			t.Errorf("%d statements named the table of vaults; want none", n)
		}
		item, head := "/api/admin/vaults/"+vault.ID.String()+"/", w.wallet(w.user(staff))
		for _, name := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
			client := head.show(w.client, byToken)
			client.With(name, "DELETE").Get(item + "?_method=DELETE").Expect(200).Contains(secret)
			client.With(name, "GET").Post(item, fields{"name": "taken", "_method": "DELETE"}).Expect(405)
		}
		head.show(w.client, byToken).Get(item).Expect(200).Contains(secret)
	})
}

// A wire sends requests as they are written, which no client library would do,
// one after the other on one connection as long as the server keeps it.
type wire struct {
	url  string
	conn net.Conn
	in   *bufio.Reader
}

func (c *wire) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

// send sends one request. If the connection was used before and is closed by now,
// the request is sent on another.
func (c *wire) send(method, target, headers string) (status int, body string, err error) {
	used := c.conn != nil
	status, body, err = c.exchange(method, request(method, target, headers))
	if err != nil {
		c.close()
		if used {
			return c.send(method, target, headers)
		}
	}
	return status, body, err
}

// request writes what is sent. Methods that take a body have one that is right.
func request(method, target, headers string) []byte {
	const vault = `{"name":"taken"}`
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: clinic.example\r\n%s", method, target, headers)
	if headers != "" && !strings.HasSuffix(headers, "\r\n") {
		b.WriteString("\r\n")
	}
	if slices.Contains([]string{"POST", "PUT", "PATCH"}, method) {
		fmt.Fprintf(&b, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(vault), vault)
		return b.Bytes()
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

func (c *wire) exchange(method string, raw []byte) (status int, body string, err error) {
	if c.conn == nil {
		if c.conn, err = net.Dial("tcp", strings.TrimPrefix(c.url, "http://")); err != nil {
			c.conn = nil
			return 0, "", err
		}
		c.in = bufio.NewReader(c.conn)
	}
	if _, err := c.conn.Write(raw); err != nil {
		return 0, "", err
	}
	answer, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if answer.Close {
		c.close()
	}
	return answer.StatusCode, string(read), err
}
