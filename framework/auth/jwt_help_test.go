package auth

import (
	"crypto"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// testKeys is a ring with the three algorithms, made once because RSA is slow.
var testKeys = sync.OnceValues(func() (text string, err error) {
	var lines []string
	for _, k := range [][2]string{{"ed", EdDSA}, {"hs", HS256}, {"rs", RS256}} {
		secret, err := GenerateKey(k[0], k[1])
		if err != nil {
			return "", err
		}
		lines = append(lines, secret.Reveal())
	}
	return strings.Join(lines, "\n"), nil
})

// keyRing returns the ring with the key of a kid first.
func keyRing(t *testing.T, first string) *Keys {
	t.Helper()
	text, err := testKeys()
	must(t, err)
	keys, err := ParseKeys(text)
	must(t, err)
	for i, key := range keys.ring {
		if key.id == first {
			keys.ring[0], keys.ring[i] = keys.ring[i], keys.ring[0]
		}
	}
	return keys
}

// private returns a key of the ring: bytes, an ed25519.PrivateKey or an *rsa.PrivateKey.
func private(t *testing.T, kid string) any {
	t.Helper()
	text, err := testKeys()
	must(t, err)
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, ":")
		if parts[0] != kid {
			continue
		}
		plain, err := base64.RawURLEncoding.DecodeString(parts[2])
		must(t, err)
		if parts[1] == HS256 {
			return plain
		}
		key, err := x509.ParsePKCS8PrivateKey(plain)
		must(t, err)
		return key
	}
	t.Fatalf("there is no key %s", kid)
	return nil
}

// public returns the public part of a key.
func public(t *testing.T, kid string) any {
	t.Helper()
	return private(t, kid).(interface{ Public() crypto.PublicKey }).Public()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// jwtWorld is a database that can be closed and opened again, with tokens.
type jwtWorld struct {
	*world

	url string
	jwt *JWT
}

// jwtOnBoth runs a test on SQLite and on PostgreSQL.
func jwtOnBoth(t *testing.T, test func(*jwtWorld)) {
	t.Helper()
	for name, url := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return "sqlite://" + filepath.Join(t.TempDir(), "auth.db") },
		"postgresql": func(t *testing.T) string { return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			w := &jwtWorld{world: newWorld(t, at), url: at}
			w.serve("ed")
			test(w)
		})
	}
}

// serve starts the service; the key of a kid signs.
func (w *jwtWorld) serve(first string) {
	w.Helper()
	var err error
	w.jwt, err = NewJWT(JWTOptions{Keys: keyRing(w.T, first), Issuer: "clinic", Now: func() time.Time { return w.now }})
	w.must(err)
}

// restart closes the database and opens it again with a new service.
func (w *jwtWorld) restart() {
	w.Helper()
	w.must(w.db.Close())
	db, err := sqldb.Open(w.url, sqldb.Options{})
	w.must(err)
	w.Cleanup(func() { _ = db.Close() })
	w.db, w.s = db, db.Session()
	w.serve("ed")
}

func (w *jwtWorld) login(user User) Pair {
	w.Helper()
	pair, err := w.jwt.Issue(w.ctx, w.s, user)
	w.must(err)
	return pair
}

func (w *jwtWorld) refresh(old Pair) Pair {
	w.Helper()
	pair, err := w.jwt.Refresh(w.ctx, w.s, old.Refresh.Reveal())
	w.must(err)
	return pair
}

// rejects checks that a refresh token gets no pair, and the reason.
func (w *jwtWorld) rejects(old Pair, code string, reused bool) {
	w.Helper()
	pair, err := w.jwt.Refresh(w.ctx, w.s, old.Refresh.Reveal())
	wantRefusal(w.T, err, code)
	if errors.Is(err, ErrRefreshReused) != reused {
		w.Errorf("the error is %v; want ErrRefreshReused: %v", err, reused)
	}
	if pair != (Pair{}) {
		w.Errorf("the error comes with %+v", pair)
	}
}

// open checks whether an access token is accepted.
func (w *jwtWorld) open(pair Pair, want bool) {
	w.Helper()
	caller, err := w.bearer(pair.Access.Reveal())
	if want && (err != nil || caller == nil || caller.ID != pair.UserID) || !want && !isRefused(err) {
		w.Errorf("the access token finds %+v, %v; want it accepted: %v", caller, err, want)
	}
}

func (w *jwtWorld) bearer(token string) (*framework.Caller, error) {
	return w.jwt.identify(w.ctx, w.s, w.now, http.Header{"Authorization": {"Bearer " + token}})
}

func (w *jwtWorld) pass(d time.Duration) { w.now = w.now.Add(d) }

func wantRefusal(t *testing.T, err error, code string) {
	t.Helper()
	var refusal *framework.Error
	if !errors.As(err, &refusal) || refusal.Status != http.StatusUnauthorized || refusal.Code != code {
		t.Errorf("error is %v; want 401 %s", err, code)
	}
}
