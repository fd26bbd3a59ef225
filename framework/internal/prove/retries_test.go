package prove_test

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A kiosk takes all people for one caller.
type kiosk struct{}

// Authenticate implements [framework.Authenticator].
func (kiosk) Authenticate(*framework.Call, *http.Request) (*framework.Caller, error) {
	return &framework.Caller{ID: uuid.NameSpaceOID}, nil
}

// Challenge implements [framework.Authenticator].
func (kiosk) Challenge() string { return "Kiosk" }

// A staffCard identifies the staff alone.
type staffCard struct{ *guests }

// Authenticate implements [framework.Authenticator].
func (s staffCard) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	caller, err := s.guests.Authenticate(c, r)
	if caller == nil || !caller.Staff {
		return nil, err
	}
	return caller, nil
}

// A signature identifies guests by requests that have a path, an address and a body, as one that compares a signature does. It
// removes the header that it has read.
type signature struct{ *guests }

// Authenticate implements [framework.Authenticator].
func (s signature) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil || r.RemoteAddr == "" || !strings.HasPrefix(r.URL.Path, "/api/shelves/") {
		return nil, err
	}
	defer r.Header.Del("Authorization")
	return s.guests.Authenticate(c, r)
}

// clerks permits the staff, superusers aside: one kind of caller.
type clerks struct{}

// Permit implements [framework.Permission].
func (clerks) Permit(c *framework.Call) bool { return c.Caller.Staff && !c.Caller.Superuser }

// String names the permission.
func (clerks) String() string { return "clerks" }

// A retry is a request to a server that keeps the answers of keys. known is nil for a key that is new.
type retry struct {
	w      http.ResponseWriter
	r      *http.Request
	next   http.Handler
	known  *httptest.ResponseRecorder
	caller string // who used the key first
}

// keeping is a server that keeps the answers of all keys, and answers each by a function.
func keeping(answer func(retry)) func(*guests, http.Handler) http.Handler {
	return func(_ *guests, next http.Handler) http.Handler {
		var lock sync.Mutex
		known, callers := map[string]*httptest.ResponseRecorder{}, map[string]string{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			key := r.Header.Get("Idempotency-Key")
			if key == "" {
				next.ServeHTTP(w, r)
				return
			}
			lock.Lock()
			defer lock.Unlock()
			if known[key] != nil {
				answer(retry{w, r, next, known[key], callers[key]})
				return
			}
			known[key], callers[key] = httptest.NewRecorder(), r.Header.Get("Authorization")
			next.ServeHTTP(known[key], r)
			copyAnswer(w, known[key])
		})
	}
}

func copyAnswer(w http.ResponseWriter, from *httptest.ResponseRecorder) {
	maps.Copy(w.Header(), from.Header())
	w.WriteHeader(from.Code)
	_, _ = w.Write(from.Body.Bytes())
}

// repeats is a server that repeats the answer of another caller, with the header that says so or without it.
func repeats(header bool) func(*guests, http.Handler) http.Handler {
	return keeping(func(r retry) {
		if header {
			r.w.Header().Set("Idempotent-Replayed", "true")
		}
		copyAnswer(r.w, r.known)
	})
}

// waits is a server that answers the used key of another caller as if the first request had not ended.
func waits() func(*guests, http.Handler) http.Handler {
	return keeping(func(r retry) {
		if r.caller == r.r.Header.Get("Authorization") {
			copyAnswer(r.w, r.known)
			return
		}
		r.w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(r.w, `{"code":"idempotency_in_progress"}`)
	})
}

// denies is a server that says that no answer is a repetition, and that counts the seconds until a request succeeds.
func denies(_ *guests, next http.Handler) http.Handler {
	seconds := 1000
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := httptest.NewRecorder()
		next.ServeHTTP(to, r)
		to.Header().Set("Idempotent-Replayed", "false")
		if to.Code == http.StatusConflict {
			seconds--
			to.Header().Set("Retry-After", strconv.Itoa(seconds))
		}
		copyAnswer(w, to)
	})
}

// A shelfText is what callers write of a shelf.
type shelfText struct {
	Text string `json:"text" validate:"required,max=100"`
}

// A shelfBefore names the newest shelf before a new one.
type shelfBefore struct {
	Before uuid.UUID `json:"before"`
}

// addShelf adds a shelf, and shows the newest one before it. It rejects most texts, each time with another sentence.
func addShelf(c *framework.Call, in shelfText) (shown shelfBefore, err error) {
	if in.Text < "t" {
		return shown, framework.Conflict(framework.CodeConflict, "Complain with the number "+uuid.NewString()+".")
	}
	var last shelf
	_ = c.DB.NewSelect().Model(&last).OrderExpr("id DESC").Limit(1).Scan(c)
	shown.Before = last.ID
	_, err = c.DB.NewInsert().Model(&shelf{ID: uuid.Must(uuid.NewV7()), OwnerID: framework.IDOf[uuid.UUID](c), Text: in.Text}).Exec(c)
	return shown, err
}

// A visit is the oldest shelf, and whether the caller visits it for the first time.
type visit struct {
	Shelf uuid.UUID `json:"shelf"`
	First bool      `json:"first"`
}

// visiting shows the oldest shelf to callers.
func visiting() func(*framework.Call, framework.None) (visit, error) {
	var known sync.Map
	return func(c *framework.Call, _ framework.None) (visit, error) {
		var s shelf
		if c.DB.NewSelect().Model(&s).OrderExpr("id").Limit(1).Scan(c) != nil {
			return visit{}, framework.Conflict(framework.CodeConflict, "There is no shelf.")
		}
		_, before := known.LoadOrStore(c.Caller.ID, true)
		return visit{s.ID, !before}, nil
	}
}

// confirming rejects the first request of each caller.
func confirming() func(*framework.Call, framework.None) (framework.None, error) {
	var known sync.Map
	return func(c *framework.Call, _ framework.None) (none framework.None, err error) {
		if _, before := known.LoadOrStore(c.Caller.ID, true); !before {
			err = framework.Conflict(framework.CodeConflict, "Send the request again.")
		}
		return none, err
	}
}

// addBare adds a shelf, and shows its text alone.
func addBare(c *framework.Call, in shelfText) (shelfText, error) {
	_, err := c.DB.NewInsert().Model(&shelf{ID: uuid.Must(uuid.NewV7()), OwnerID: framework.IDOf[uuid.UUID](c), Text: in.Text}).Exec(c)
	return in, err
}

// leaveShelf adds a shelf, without an owner if the caller is a visitor.
func leaveShelf(c *framework.Call, in shelfText) (shown shelfKey, err error) {
	s := &shelf{ID: uuid.Must(uuid.NewV7()), Text: in.Text}
	if c.Caller != nil && c.Caller.ID != nil {
		s.OwnerID = framework.IDOf[uuid.UUID](c)
	}
	_, err = c.DB.NewInsert().Model(s).Exec(c)
	return shelfKey{s.ID}, err
}

// A shelfKey names a shelf.
type shelfKey struct {
	ID uuid.UUID `json:"id"`
}

// sharesKeys is a server that keeps the answers of all callers under the key and the body, at "desk" those of the staff under the key,
// and at "open" those that only visitors get again.
func sharesKeys(g *guests, next http.Handler) http.Handler {
	var lock sync.Mutex
	known := map[string]*httptest.ResponseRecorder{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		key, caller := r.Header.Get("Idempotency-Key"), r.Header.Get("Authorization")
		g.mu.Lock()
		staff := g.known[caller] != nil && g.known[caller].Staff
		g.mu.Unlock()
		if key == "" {
			next.ServeHTTP(w, r)
			return
		}
		r.Header.Del("Idempotency-Key")
		at, repeats := r.URL.Path+key, true
		switch {
		case strings.HasSuffix(r.URL.Path, "/desk/") && !staff:
			at += caller
		case strings.HasSuffix(r.URL.Path, "/open/"):
			repeats = caller == ""
		case !strings.HasSuffix(r.URL.Path, "/desk/"):
			at += string(body)
		}
		lock.Lock()
		defer lock.Unlock()
		to := known[at]
		if to == nil || !repeats {
			to = httptest.NewRecorder()
			if next.ServeHTTP(to, r); known[at] == nil {
				known[at] = to
			}
		}
		copyAnswer(w, to)
	})
}

// TestKeysOfRetries checks that a server must not repeat an answer for the key of another caller, with or without the header
// that says so, and must not show that the key is used.
func TestKeysOfRetries(t *testing.T) {
	t.Parallel()
	type view struct {
		ID   uuid.UUID `json:"id"`
		Text string    `json:"text"`
	}
	type number struct {
		Code   string `json:"code" validate:"required,line,max=20"`
		Number int64  `json:"number" validate:"required"`
		Open   bool   `json:"open"`
	}
	shelves := func() framework.ViewSet[shelf] {
		return framework.ViewSet[shelf]{
			Name: "shelves", Verbs: framework.Verbs{Create: framework.Accepts[shelfText, view](), List: framework.Shows[view]()},
			Scope: framework.Own((*shelf).owner), Permission: framework.Authenticated(),
		}
	}
	const repeated, used = "the answer of another caller is repeated", "the answer shows that another caller has used the Idempotency-Key"
	for _, c := range []struct {
		name     string
		schema   sqldb.Migrations
		change   func(*guests, http.Handler) http.Handler
		resource func(*guests) framework.Resource
		where    string // endpoints, separated by commas
		want     string // no finding about keys if it is empty
	}{
		{"a correct server that shows rows of others, and rejects some requests", shelfSchema, denies, func(*guests) framework.Resource {
			v := shelves()
			v.Scope, v.Writers = framework.Public(), framework.Own((*shelf).owner)
			v.Collection = []framework.CollectionAction{
				framework.OnCollection(http.MethodPost, "add", addShelf).Refuses(framework.CodeConflict),
				framework.OnCollection(http.MethodPost, "visit", visiting()).Refuses(framework.CodeConflict),
				framework.OnCollection(http.MethodPost, "confirm", confirming()).Refuses(framework.CodeConflict),
			}
			return v
		}, "", ""},
		{"people who are one caller", shelfSchema, nil, func(*guests) framework.Resource {
			v := shelves()
			v.Scope, v.Writers = framework.Public(), framework.Own((*shelf).owner)
			v.Verbs.Create = v.Verbs.Create.Authenticate(kiosk{})
			return v
		}, "", ""},
		{"with the header, where only the staff are identified", shelfSchema, repeats(true), func(g *guests) framework.Resource {
			v := shelves()
			v.Verbs.Create = v.Verbs.Create.Authenticate(staffCard{g}).Permit(framework.Anyone())
			return v
		}, "POST /api/shelves/", repeated},
		{"without the header and without a key in the answer", shelfSchema, repeats(false), func(*guests) framework.Resource {
			v := shelves()
			v.Verbs = framework.Verbs{Create: framework.Accepts[shelfText, shelfText](), List: framework.Shows[shelfText]()}
			return v
		}, "POST /api/shelves/", repeated},
		{"without the header, for public rows of the staff", shelfSchema, repeats(false), func(*guests) framework.Resource {
			v := shelves()
			v.Scope, v.Writers, v.Permission = framework.Public(), framework.Own((*shelf).owner), framework.Staff()
			v.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "bare", addBare)}
			return v
		}, "POST /api/shelves/, POST /api/shelves/bare/", repeated},
		{"without the header, for rows with a text as key and a number that must be unique", ticketSchema, repeats(false), func(*guests) framework.Resource {
			return framework.ViewSet[ticket]{
				Name: "tickets", Verbs: framework.CRUD[number, number](), Scope: framework.Own((*ticket).owner), Permission: framework.Authenticated(),
				Uniques: []framework.Unique{{Fields: []string{"number"}, Code: "number_taken", Detail: "Another ticket has this number."}},
			}
		}, "POST /api/tickets/", repeated},
		{"for the staff by the key, for visitors by the keys of all, and for all by the body", shelfSchema, sharesKeys, func(*guests) framework.Resource {
			v := shelves()
			v.Scope, v.Writers = framework.Public(), framework.Own((*shelf).owner)
			v.Collection = []framework.CollectionAction{
				framework.OnCollection(http.MethodPost, "desk", leaveShelf), framework.OnCollection(http.MethodPost, "open", leaveShelf).Permit(framework.Anyone()),
			}
			return v
		}, "POST /api/shelves/, POST /api/shelves/desk/, POST /api/shelves/open/", repeated},
		{"by an error, for one kind of caller whose requests are signed", shelfSchema, waits(), func(g *guests) framework.Resource {
			v := shelves()
			v.Permission = clerks{}
			v.Verbs.Create = v.Verbs.Create.Authenticate(signature{g})
			return v
		}, "POST /api/shelves/", used},
	} {
		t.Run(c.name, func(t *testing.T) {
			onDatabases(t, c.schema, func(t *testing.T, db *sqldb.DB) {
				g := &guests{}
				report := proveWith(t, db, g, g.signIn, c.change, c.resource(g))
				for where := range strings.SplitSeq(c.where, ", ") {
					if c.want != "" {
						finds(t, report, where, c.want)
					}
				}
				for _, f := range report.Findings {
					if c.want == "" && strings.Contains(f.What, "Idempotency-Key") {
						t.Errorf("the finding is %v; want none", f)
					}
				}
			})
		})
	}
}
