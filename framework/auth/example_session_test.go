package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strconv"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// browserLogin has the endpoints to sign in and out by browser.
type browserLogin struct {
	users    *auth.Users
	sessions *auth.Sessions
}

type credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

type session struct {
	Email     string `json:"email"`
	CSRFToken string `json:"csrfToken"`
}

func (d browserLogin) show(c *framework.Call, _ framework.None) (session, error) {
	token, err := d.sessions.CSRFToken(c)
	return session{c.Caller.Email, token}, err
}

func (d browserLogin) enter(c *framework.Call, in credentials) (session, error) {
	if err := d.sessions.CheckCSRF(c); err != nil { // before the costly hash
		return session{}, err
	}
	user, err := d.users.CheckPassword(c, c.Session(), in.Email, in.Password)
	if err != nil {
		return session{}, wrongCredentials(err)
	}
	token, err := d.sessions.Begin(c, user)
	return session{user.Email, token}, wrongCredentials(err)
}

func (d browserLogin) leave(c *framework.Call, _ framework.None) (framework.None, error) {
	return framework.None{}, d.sessions.End(c)
}

func wrongCredentials(err error) error {
	if errors.Is(err, auth.ErrWrongCredentials) {
		return framework.Refuse(http.StatusUnauthorized, "invalid_credentials", "The e-mail or the password is wrong.")
	}
	return err
}

// A browser gets a token, signs in with it, writes, and signs out.
func ExampleSessions() {
	ctx := context.Background()
	db, done := openExample(ctx)
	defer done()
	users, err := auth.NewUsers(auth.Options{})
	check(err)
	_, err = users.CreateUser(ctx, db.Session(), auth.NewUser{Email: "asha@example.com", Password: "four unrelated words walk"})
	check(err)

	sessions, err := auth.NewSessions(auth.SessionOptions{Secure: true})
	check(err)
	d := browserLogin{users, sessions}
	api := framework.New(framework.Config{
		DB:             db,
		Authentication: []framework.Authenticator{sessions, auth.Token{}},
		Codes:          auth.SessionCodes(),
	})
	api.Register(framework.ViewSet[auth.Group]{
		Name: "auth", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "session", d.show).Permit(framework.Anyone()),
			framework.OnCollection(http.MethodPost, "session", d.enter).Permit(framework.Anyone()).Authenticate(),
			framework.OnCollection(http.MethodDelete, "session", d.leave).Permit(framework.Anyone()),
		},
	})
	handler, err := api.Handler()
	check(err)
	// A server also runs: go sessions.Run(ctx, db, report)

	b := openBrowser(handler)
	defer b.Close()
	fmt.Println("before:", b.do("GET", nil))
	fmt.Println("forged:", b.as("https://evil.test").do("POST", credentials{"asha@example.com", "four unrelated words walk"}))
	fmt.Println("sign in:", b.do("POST", credentials{"asha@example.com", "four unrelated words walk"}))
	fmt.Println("after:", b.do("GET", nil))
	fmt.Println("sign out:", b.do("DELETE", nil))
	fmt.Println("after:", b.do("GET", nil))

	// Output:
	// before: 200 signed in as ""
	// forged: 403 csrf_failed
	// sign in: 200 signed in as "asha@example.com"
	// after: 200 signed in as "asha@example.com"
	// sign out: 204
	// after: 200 signed in as ""
}

// browser stores cookies, and sends the token as the script of the page would.
type browser struct {
	*httptest.Server

	client *http.Client
	origin string
	token  *string
}

func openBrowser(h http.Handler) browser {
	server := httptest.NewTLSServer(h)
	jar, err := cookiejar.New(nil)
	check(err)
	client := server.Client()
	client.Jar = jar
	return browser{server, client, server.URL, new(string)}
}

// as is the browser on a page of another origin.
func (b browser) as(origin string) browser { b.origin = origin; return b }

func (b browser) do(method string, body any) string {
	content, err := json.Marshal(body)
	check(err)
	if body == nil {
		content = nil
	}
	r, err := http.NewRequestWithContext(context.Background(), method, b.URL+"/api/auth/session", bytes.NewReader(content))
	check(err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", b.origin)
	r.Header.Set("X-CSRFToken", *b.token)
	response, err := b.client.Do(r)
	check(err)
	defer func() { _ = response.Body.Close() }()
	return b.read(response)
}

func (b browser) read(response *http.Response) string {
	content, err := io.ReadAll(response.Body)
	check(err)
	if len(content) == 0 {
		return strconv.Itoa(response.StatusCode)
	}
	var told struct {
		session
		Code string `json:"code"`
	}
	check(json.Unmarshal(content, &told))
	if told.Code != "" {
		return fmt.Sprint(response.StatusCode, " ", told.Code)
	}
	*b.token = told.CSRFToken
	return fmt.Sprintf("%d signed in as %q", response.StatusCode, told.Email)
}
