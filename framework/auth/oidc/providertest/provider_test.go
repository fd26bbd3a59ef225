// Package providertest tests the sign-in by identity providers against a real provider, which
// runs in the process of the test. It is a module of its own, so that the packages of the
// provider are no dependency of Trestle.
package providertest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const (
	clientID     = "clinic"
	clientSecret = "the secret of the clinic"
	publicURL    = "https://clinic.example"
	callback     = publicURL + "/api/auth/oidc/company/callback"
	otherClient  = "store"
	otherReturn  = "https://store.example/callback"
	password     = "correct horse"
)

// A provider is a real identity provider. A test changes its people, its keys and its tokens.
type provider struct {
	*testing.T
	*storage.Storage

	server *httptest.Server
	agent  *http.Client // of the person's browser; it follows no redirect

	mu      sync.Mutex
	away    bool // the provider answers 503
	people  map[string]*storage.User
	groups  map[string][]string // by the id of a person
	keys    []key               // the first signs
	forge   func(claims map[string]any) (token string)
	profile func(claims map[string]any)
}

// startProvider starts a provider with one person, Ada.
func startProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{
		T: t, server: httptest.NewUnstartedServer(nil), people: map[string]*storage.User{}, groups: map[string][]string{},
		agent: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	p.rotate()
	p.add("ada", "ada@example.com")
	p.Storage = storage.NewStorageWithClients(p, map[string]*storage.Client{
		clientID:    storage.WebClient(clientID, clientSecret, callback),
		otherClient: storage.WebClient(otherClient, "another secret", otherReturn),
	})
	real := exampleop.SetupServer(p.issuer(), p, slog.New(slog.DiscardHandler), false)
	p.server.Config.Handler = p.interfere(real)
	p.server.Start()
	t.Cleanup(p.server.Close)
	return p
}

func (p *provider) issuer() string { return "http://" + p.server.Listener.Addr().String() }

// add makes a person with a verified address.
func (p *provider) add(id, email string) {
	p.change(func() {
		p.people[id] = &storage.User{
			ID: id, Username: id, Password: password, FirstName: "Ada", LastName: "Rao", Email: email, EmailVerified: true,
		}
	})
}

func (p *provider) change(fn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fn()
}

// GetUserByID, GetUserByUsername and ExampleClientID implement storage.UserStore.
func (p *provider) GetUserByID(id string) *storage.User {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.people[id]
}

func (p *provider) GetUserByUsername(name string) *storage.User { return p.GetUserByID(name) }
func (p *provider) ExampleClientID() string                     { return "service" }

// A key signs tokens.
type key struct {
	id      string
	private *rsa.PrivateKey
}

func (k key) ID() string                                  { return k.id }
func (k key) Key() any                                    { return k.private }
func (k key) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }

// A publicKey is the half of a key that everyone may read.
type publicKey struct{ key }

func (k publicKey) Key() any                           { return &k.private.PublicKey }
func (k publicKey) Algorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k publicKey) Use() string                        { return "sig" }

// rotate makes a new key and removes those before it.
func (p *provider) rotate() {
	p.Helper()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	must(p.T, err)
	p.change(func() { p.keys = []key{{"key-" + strconv.Itoa(private.E) + private.N.Text(36)[:8], private}} })
}

func (p *provider) key() key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.keys[0]
}

// SigningKey and KeySet implement op.Storage.
func (p *provider) SigningKey(context.Context) (op.SigningKey, error) { return p.key(), nil }
func (p *provider) KeySet(context.Context) ([]op.Key, error) {
	return []op.Key{publicKey{p.key()}}, nil
}

// SetUserinfoFromToken adds the groups of a person to the answer of the UserInfo endpoint.
func (p *provider) SetUserinfoFromToken(ctx context.Context, info *oidc.UserInfo, tokenID, subject, origin string) error {
	err := p.Storage.SetUserinfoFromToken(ctx, info, tokenID, subject, origin)
	p.change(func() {
		if groups, ok := p.groups[subject]; ok {
			info.AppendClaims("groups", groups)
		}
	})
	return err
}

// interfere changes the answers of the provider as the test wants.
func (p *provider) interfere(real http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		away, forge, profile := p.away, p.forge, p.profile
		p.mu.Unlock()
		switch {
		case away:
			http.Error(w, "closed", http.StatusServiceUnavailable)
		case forge != nil && r.URL.Path == "/oauth/token":
			p.replace(w, r, real, func(answer map[string]any) {
				old, _ := answer["id_token"].(string)
				answer["id_token"] = forge(claimsOf(p.T, old))
			})
		case profile != nil && r.URL.Path == "/userinfo":
			p.replace(w, r, real, profile)
		default:
			real.ServeHTTP(w, r)
		}
	})
}

// replace changes a JSON answer of the provider.
func (p *provider) replace(w http.ResponseWriter, r *http.Request, real http.Handler, change func(map[string]any)) {
	said, answer := httptest.NewRecorder(), map[string]any{}
	real.ServeHTTP(said, r)
	if said.Code != http.StatusOK || json.Unmarshal(said.Body.Bytes(), &answer) != nil {
		p.Errorf("the provider answered %d %s", said.Code, said.Body)
	}
	change(answer)
	maps.Copy(w.Header(), said.Header())
	w.Header().Del("Content-Length")
	body, err := json.Marshal(answer)
	if err != nil {
		p.Error(err)
	}
	_, _ = w.Write(body)
}

func claimsOf(t *testing.T, token string) map[string]any {
	t.Helper()
	parsed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.RS256})
	must(t, err)
	claims := map[string]any{}
	must(t, json.Unmarshal(parsed.UnsafePayloadWithoutVerification(), &claims))
	return claims
}

// sign makes a token that is signed as those of the provider.
func (p *provider) sign(claims map[string]any) string {
	k := p.key()
	return p.signAs(claims, jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: k.private, KeyID: k.id}})
}

func (p *provider) signAs(claims map[string]any, k jose.SigningKey) string {
	signer, err := jose.NewSigner(k, (&jose.SignerOptions{}).WithType("JWT"))
	if err != nil {
		p.Error(err)
		return ""
	}
	body, _ := json.Marshal(claims)
	signed, err := signer.Sign(body)
	if err != nil {
		p.Error(err)
		return ""
	}
	token, _ := signed.CompactSerialize()
	return token
}

// signIn is what a person does at the provider: they open the address to which a client sent them,
// and enter their name and password. It returns the address to which the provider sends them back.
func (p *provider) signIn(address, person string) *url.URL {
	p.Helper()
	login := p.visit(address, nil)
	id := login.Query().Get("authRequestID")
	back := p.visit(p.issuer()+"/login/username", url.Values{"username": {person}, "password": {password}, "id": {id}})
	return p.visit(back.String(), nil)
}

// visit sends one request and returns where its answer leads.
func (p *provider) visit(address string, form url.Values) *url.URL {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodGet, address, nil)
	if form != nil {
		request, err = http.NewRequestWithContext(p.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	must(p.T, err)
	answer, err := p.agent.Do(request)
	must(p.T, err)
	defer func() { _ = answer.Body.Close() }()
	body, _ := io.ReadAll(answer.Body)
	to, err := answer.Location()
	if err != nil {
		p.Fatalf("%s answers %s without a redirect: %s", withoutQuery.ReplaceAllString(address, ""), answer.Status, bytes.TrimSpace(body))
	}
	return to
}

var withoutQuery = regexp.MustCompile(`\?.*`)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
