package resources_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// A flight sends the canary through every interface of a server that works.
type flight struct {
	*canary
	*courier

	db       *sqldb.DB
	password string // of asha@example.org
	common   string // a password that the policy rejects
}

// fly plants secrets wherever credentials go, and some where they do not.
func (f *flight) fly() {
	f.registers()
	f.signsIn()
	f.browses()
	f.refreshes()
	f.sendsHeaders()
	f.sendsBodies()
	f.works()
	f.runsIntoTrouble()
	f.speaksNoHTTP()
}

// accountOf is the body of a registration or of a sign-in.
func accountOf(email, password string) map[string]any {
	return map[string]any{"email": email, "password": password}
}

const canaryRegister, canaryLogin, canarySession, canaryMe = "/api/auth/register", "/api/auth/login", "/api/auth/session", "/api/auth/me"

func (f *flight) registers() {
	const usual = "four unrelated words walk"
	f.password = f.plant("password")
	f.send("POST", canaryRegister, accountOf("asha@example.org", f.password)).wants(201)
	f.send("POST", canaryRegister, accountOf("asha@example.org", f.plant("password for an e-mail that is taken"))).wants(409)
	f.send("POST", canaryRegister, accountOf("b@example.org", f.plant("long password")+strings.Repeat("x", 128))).wants(400)
	f.send("POST", canaryRegister, accountOf(f.plant("password in the e-mail field"), usual)).wants(400)
	f.send("POST", canaryRegister, accountOf("b@example.org", f.common)).wants(400)
	f.send("POST", canaryRegister, accountOf("b@example.org", f.knows("short password", rand.Text()[:leastSecret]))).wants(400)
	f.send("POST", canaryRegister, accountOf(f.word("word in the e-mail field"), usual)).wants(400)
	f.send("POST", canaryRegister, accountOf(f.word("half an e-mail")+"@", usual)).wants(400)
	f.send("POST", canaryRegister, accountOf(f.word("long e-mail")+strings.Repeat("x", 300)+"@example.org", usual)).wants(400)
	address := f.word("e-mail as password") + "@example.org"
	f.send("POST", canaryRegister, accountOf(address, address)).wants(400)
	f.send("POST", canaryRegister, map[string]any{"email": "b@example.org", "passwort": f.plant("password in an unknown field")}).wants(400)
	f.send("POST", canaryRegister, map[string]any{"email": []string{f.plant("password in a list")}, "password": map[string]any{"is": f.plant("password in an object")}}).wants(400)
	f.send("POST", canaryRegister, map[string]any{"email": "b@example.org", "password": usual, "name": f.plant("password in a bad name") + "\nx"}).wants(400)
	f.send("POST", canaryRegister, map[string]any{"email": "bela@example.org", "password": usual, "pin": f.plant("password in one more field")}).wants(201)
	f.send("POST", canaryRegister+"?password="+f.word("password in the query of a registration"), accountOf("cy@example.org", usual)).wants(201)
}

// signsIn by each of the ways that need no browser.
func (f *flight) signsIn() {
	gone := f.plant("password of an inactive user")
	user, err := f.identity.Users.CreateUser(f.tb.Context(), f.db.Session(), auth.NewUser{Email: "gone@example.org", Password: gone})
	f.must(err)
	f.must(f.identity.Users.SetActive(f.tb.Context(), f.db.Session(), user.ID, false))
	for _, path := range []string{canaryLogin, "/api/auth/token", "/api/auth/jwt"} {
		f.send("POST", path, accountOf("asha@example.org", f.password)).wants(200)
		f.send("POST", path, map[string]any{"username": "Asha@example.org", "password": f.password}).wants(200)
		f.send("POST", path, accountOf("asha@example.org", f.plant("wrong password at "+path))).wants(401)
		f.send("POST", path, accountOf("nobody@example.org", f.plant("password of nobody at "+path))).wants(401)
		f.send("POST", path, accountOf("gone@example.org", gone)).wants(401)
		f.send("POST", path, accountOf(f.plant("password as e-mail at "+path), "x")).wants(401)
		f.send("POST", path, map[string]any{"username": f.plant("password as user name at " + path), "password": f.plant("password of no user name at " + path)}).wants(401)
		f.send("POST", path, map[string]any{"email": "asha@example.org", "username": f.plant("password as second name at " + path), "password": f.password}).wants(400)
		f.send("POST", path, accountOf("asha@example.org", f.plant("endless password at "+path)+strings.Repeat("x", 5000))).wants(401)
		f.send("POST", path+"?password="+f.word("password in the query at "+path), accountOf("asha@example.org", f.password)).wants(200)
	}
}

// browses signs a browser in, and tries what only looks like one's cookies.
func (f *flight) browses() {
	knock := f.send("GET", canarySession, nil).wants(200)
	csrf := "X-CSRFToken: " + knock.text("csrfToken")
	f.send("POST", canarySession, accountOf("asha@example.org", f.plant("wrong password of a browser")), knock.cookies(), csrf).wants(401)
	f.send("POST", canarySession, accountOf("asha@example.org", f.plant("password of a forged sign-in")), knock.cookies(), "X-CSRFToken: "+f.word("malformed CSRF token")).wants(403)
	f.send("POST", canarySession, accountOf("asha@example.org", f.password), knock.cookies(), "X-CSRFToken: "+f.knows("another's CSRF token", f.bytes(64))).wants(403)
	signedIn := f.send("POST", canarySession, accountOf("asha@example.org", f.password), knock.cookies(), csrf).wants(200)
	cookies, csrf := signedIn.cookies(), "X-CSRFToken: "+signedIn.text("csrfToken")
	f.send("GET", canaryMe, nil, cookies).wants(200)
	f.send("GET", canarySession, nil, cookies).wants(200)
	f.send("POST", "/api/patients/", map[string]any{"name": "Meera", "phone": "+91 50000 00000"}, cookies, csrf).wants(201)
	f.send("POST", "/api/patients/", map[string]any{"name": "Meera", "phone": "1"}, cookies, csrf).wants(400)
	f.send("POST", "/api/patients/", map[string]any{"name": "Meera", "phone": "+91 50000 00000"}, cookies).wants(403)
	f.send("DELETE", canarySession, nil, cookies, csrf).wants(204)
	f.send("GET", canaryMe, nil, cookies).wants(401)

	f.send("GET", canaryMe, nil, "Cookie: sessionid="+f.key("unknown session")).wants(401)
	f.send("GET", canaryMe, nil, "Cookie: sessionid="+f.word("malformed session")).wants(401)
	f.send("GET", canaryMe, nil, "Cookie: sessionid="+f.key("one of two sessions")+"; sessionid="+f.key("the other of two sessions")).wants(401)
	f.send("GET", canarySession, nil, "Cookie: presession="+f.key("presession")+"; csrftoken="+f.word("CSRF cookie")).wants(200)
	f.send("GET", canarySession, nil, "Cookie: presession="+f.word("malformed presession")).wants(200)
	f.send("DELETE", canarySession, nil, "Cookie: sessionid="+f.key("session to end")).wants(204)
}

// refreshes JWTs until a login has been stolen and ended.
func (f *flight) refreshes() {
	const refresh, revoke = "/api/auth/jwt/refresh", "/api/auth/jwt/revoke"
	with := func(token string) map[string]any { return map[string]any{"refresh": token} }
	first := f.send("POST", "/api/auth/jwt", accountOf("asha@example.org", f.password)).wants(200)
	f.send("GET", canaryMe, nil, "Authorization: Bearer "+first.text("access")).wants(200)
	second := f.send("POST", refresh, with(first.text("refresh"))).wants(200)
	f.send("POST", refresh, with(first.text("refresh"))).wants(401)
	third := f.send("POST", refresh, with(second.text("refresh"))).wants(200)
	f.send("POST", refresh, with(third.text("access"))).wants(401)
	f.send("GET", canaryMe, nil, "Authorization: Bearer "+third.text("refresh")).wants(401)
	f.send("GET", canaryMe, nil, "Authorization: Token "+third.text("access")).wants(401)
	signature := third.text("access")[:strings.LastIndex(third.text("access"), ".")+1]
	f.send("GET", canaryMe, nil, "Authorization: Bearer "+signature+f.knows("forged signature", f.bytes(64))).wants(401)
	f.send("POST", refresh, with(signature+f.knows("forged signature to refresh", f.bytes(64)))).wants(401)
	for _, path := range []string{refresh, revoke} {
		f.send("POST", path, with(f.word("no JWT at "+path))).wants(401)
		f.send("POST", path, map[string]any{"refresh": []string{f.word("JWT in a list at " + path)}}).wants(400)
		f.send("POST", path, map[string]any{"token": f.word("JWT in an unknown field at " + path)}).wants(400)
		f.send("POST", path+"?refresh="+f.word("JWT in the query of "+path), nil).wants(400)
	}
	f.send("POST", revoke, with(third.text("refresh"))).wants(204)
	f.send("POST", refresh, with(third.text("refresh"))).wants(401)
	last := f.send("POST", "/api/auth/jwt", accountOf("asha@example.org", f.password)).wants(200)
	f.send("POST", "/api/auth/logout", nil, "Authorization: Bearer "+last.text("access")).wants(204)
}

// sendsHeaders sends values that may be read as an Authorization header, to
// paths that read it and to paths that do not.
func (f *flight) sendsHeaders() {
	basic := func(password string) string { return base64.StdEncoding.EncodeToString([]byte("asha:" + password)) }
	headers := []string{
		"Token " + f.knows("unknown token", "trs_"+f.bytes(32)), "Bearer " + f.knows("unknown bearer", "trs_"+f.bytes(32)),
		"Token " + f.word("token without its prefix"), "Token trs_" + f.word("short token"), "Token trs_" + f.word("long token") + strings.Repeat("x", 600),
		"Token x " + f.word("second of two tokens"), f.word("token for a keyword"), "Bearer " + f.word("no JWT"), "Bearer x." + f.word("part of a JWT") + ".x",
		"Basic " + basic(f.plant("Basic password")), "Basic " + f.word("Basic, not encoded"), "Digest username=\"asha\", response=\"" + f.word("Digest response") + "\"",
		"token\t" + f.word("token behind a tab"), "Token " + f.word("token, and one more") + ", Bearer x", "Token é" + f.word("token that is not ASCII"),
	}
	for _, header := range headers {
		f.send("GET", canaryMe, nil, "Authorization: "+header).wants(401)
		f.send("GET", "/api/patients/", nil, "Authorization: "+header).wants(401)
		f.send("GET", canarySession, nil, "Authorization: "+header).wants(401)
		f.send("DELETE", "/api/auth/token", nil, "Authorization: "+header).wants(401)
		f.send("GET", "/api/", nil, "Authorization: "+header).wants(200)
		f.send("GET", "/api/nothing", nil, "Authorization: "+header).wants(404)
		f.send("GET", "/api/admin/x", nil, "Authorization: "+header).wants(401)
	}
	f.send("GET", canaryMe, nil, "Authorization: Token "+f.word("first header of two"), "Authorization: Token "+f.word("second header of two")).wants(401)
	f.send("GET", canaryMe, nil, "Proxy-Authorization: Basic "+basic(f.plant("password for a proxy"))).wants(401)
	f.send("GET", canaryMe+"?token="+f.word("token in the query")+"&access_token="+f.word("access token in the query"), nil).wants(401)
}

// sendsBodies sends passwords in what is no body of a sign-in.
func (f *flight) sendsBodies() {
	quoted := func(name string) string {
		text, _ := json.Marshal(f.plant(name)) // text can always be written
		return string(text)
	}
	for _, path := range []string{canaryRegister, canaryLogin, "/api/auth/jwt"} {
		for name, body := range map[string]string{
			"half a body":     `{"email":"asha@example.org","password":` + quoted("password in half a body at "+path),
			"an array":        `[{"password":` + quoted("password in an array at "+path) + `}]`,
			"text":            quoted("password for a body at " + path),
			"a name twice":    `{"password":` + quoted("first of two passwords at "+path) + `,"password":` + quoted("second of two passwords at "+path) + `}`,
			"two bodies":      `{}` + quoted("password behind a body at "+path),
			"a NUL":           `{"password":"\u0000` + f.word("password with a NUL at "+path) + `"}`,
			"invalid UTF-8":   "{\"password\":\"\xff" + f.word("password with invalid UTF-8 at "+path) + "\"}",
			"no quotes":       `{"password":` + f.word("password without quotes at "+path) + `}`,
			"single quotes":   `{'password':'` + f.word("password in single quotes at "+path) + `'}`,
			"lone surrogates": `{"password":"\ud800` + f.word("password with half a character at "+path) + `"}`,
		} {
			if a := f.send("POST", path, body); a.status != 400 {
				f.tb.Errorf("%s at %s: status %d", name, path, a.status)
			}
		}
		f.send("POST", path, "email=a&password="+f.word("password in a form at "+path), "Content-Type: application/x-www-form-urlencoded").wants(415)
		f.send("POST", path, zipped(`{"password":`+quoted("zipped password at "+path)+`}`), "Content-Encoding: gzip").wants(400)
		f.send("POST", path, zipped(`{"password":`+quoted("password in a long body at "+path)+`,"x":"`+strings.Repeat("x", 1<<20)+`"}`), "Content-Encoding: gzip").wants(413)
		f.send("POST", path, f.word("password that is said to be zipped at "+path), "Content-Encoding: gzip").wants(400)
		f.send("PUT", path, accountOf("asha@example.org", f.plant("password of a wrong method at "+path))).wants(405)
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // a buffer takes everything
	_ = w.Close()
	return b.String()
}

// works with an opaque token until it is given up.
func (f *flight) works() {
	token := "Authorization: Token " + f.send("POST", canaryLogin, accountOf("asha@example.org", f.password)).wants(200).text("token")
	f.send("GET", canaryMe, nil, token).wants(200)
	for i := range 5 {
		f.send("POST", "/api/patients/", map[string]any{"name": fmt.Sprint("Patient ", i), "phone": "123"}, token).wants(201)
	}
	f.send("GET", "/api/patients/?page=2", nil, token).wants(200)
	f.send("GET", "/api/patients/?search=Patient&ordering=-name", nil, token).wants(200)
	// The links of a list keep what the client itself wrote into the query.
	const asked = "token in the query of a list"
	f.allows("answer to GET /api/patients/", asked)
	f.send("GET", "/api/patients/?token="+f.word(asked), nil, token).wants(200)
	f.send("OPTIONS", "/api/patients/", nil, token).wants(200)
	f.send("POST", "/api/patients/", map[string]any{"name": ""}, token).wants(400)
	f.send("POST", "/api/doctors/", map[string]any{}, token).wants(405)
	f.send("POST", "/api/manage/doctors/", map[string]any{"name": "x"}, token).wants(403)
	f.send("GET", "/api/patients/"+strings.Repeat("0", 8)+"-0000-7000-8000-000000000000/", nil, token).wants(404)
	f.send("GET", "/api/admin/x", nil, token).wants(403)
	f.send("GET", "/api/patients/?page=0", nil, token).wants(404)
	f.send("POST", "/api/auth/logout", nil, token).wants(204)
	f.send("GET", canaryMe, nil, token).wants(401)
	given := "Authorization: Bearer " + f.send("POST", "/api/auth/token", accountOf("asha@example.org", f.password)).wants(200).text("token")
	f.send("DELETE", "/api/auth/token", nil, given).wants(204)
	kept := f.send("POST", canaryLogin, accountOf("asha@example.org", f.password)).wants(200).text("token")
	f.expects(f.identity.Users.SetPassword(f.tb.Context(), f.db.Session(), f.asha().ID, f.plant("long new password")+strings.Repeat("x", 128)))
	f.password = f.plant("new password")
	f.must(f.identity.Users.SetPassword(f.tb.Context(), f.db.Session(), f.asha().ID, f.password))
	f.send("GET", canaryMe, nil, "Authorization: Token "+kept).wants(401)
	f.send("POST", canaryLogin, accountOf("asha@example.org", f.password)).wants(200)
}

// troubles is what goes wrong in a program: an action that panics, one that
// fails, and one that is too late.
func troubles() framework.Resource {
	action := func(name string, fail func(*framework.Call) error) framework.CollectionAction {
		return framework.OnCollection("POST", name, func(c *framework.Call, in credentialsInput) (framework.None, error) {
			return framework.None{}, fail(c)
		}).Permit(framework.Anyone())
	}
	return framework.ViewSet[auth.Group]{
		Name: "troubles", Scope: framework.Public(),
		Collection: []framework.CollectionAction{
			action("panics", func(*framework.Call) error { panic("the handler panics") }),
			action("panics-on-nil", func(*framework.Call) error { var none *framework.Error; return errors.New(none.Code) }),
			action("fails", func(*framework.Call) error { return errors.New("the handler fails") }),
			action("asks-wrongly", func(c *framework.Call) error {
				_, err := c.DB.NewRaw("SELECT nothing FROM nowhere").Exec(c)
				return err
			}),
		},
	}
}

// credentialsInput is a body with a password.
type credentialsInput struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (f *flight) runsIntoTrouble() {
	token := "Authorization: Token " + f.send("POST", canaryLogin, accountOf("asha@example.org", f.password)).wants(200).text("token")
	for _, name := range []string{"panics", "panics-on-nil", "fails", "asks-wrongly"} {
		path := "/api/troubles/" + name + "?token=" + f.word("token in the query of what "+name)
		f.send("POST", path, accountOf("asha@example.org", f.plant("password sent to what "+name)), token, "Cookie: sessionid="+f.key("session sent to what "+name)).wants(500)
	}
}

// speaksNoHTTP sends what the HTTP server itself rejects.
func (f *flight) speaksNoHTTP() {
	for name, text := range map[string]string{
		"a header with a NUL":   "GET /api/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Token \x00" + f.word("token with a NUL") + "\r\n\r\n",
		"a header without name": "GET /api/auth/me HTTP/1.1\r\nHost: x\r\n" + f.word("token without a header") + "\r\n\r\n",
		"a method made up":      f.word("token for a method") + "\r\n\r\n",
		"a body cut short":      "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"password\":\"" + f.word("password cut short"),
		"a wrong length":        "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: " + f.word("password for a length") + "\r\n\r\n",
		"two lengths":           "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\nAuthorization: Token " + f.word("token of two lengths") + "\r\n\r\n",
		"a wrong chunk":         "POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + f.word("password for a chunk") + "\r\n",
		"a header of 2 MiB":     "GET /api/auth/me HTTP/1.1\r\nHost: x\r\nAuthorization: Token " + f.word("token of 2 MiB") + strings.Repeat("x", 2<<20) + "\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(f.at, "http://"))
		f.must(err)
		f.must(conn.SetDeadline(time.Now().Add(time.Minute)))
		_, _ = io.WriteString(conn, text) // the server may have hung up already
		tcp, _ := conn.(*net.TCPConn)
		_ = tcp.CloseWrite()
		got, _ := io.ReadAll(conn)
		f.hears("answer to "+name, got)
		_ = conn.Close()
	}
}
