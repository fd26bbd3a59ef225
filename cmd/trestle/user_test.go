package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/program"
)

// horse is a password that may be set.
const horse = "correct horse battery"

func TestUserCreate(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		for _, step := range []struct {
			name, stdin, call, env string
			code                   int
			says                   string
			row                    string // of the list: active, staff, superuser
		}{
			{name: "no password", call: "--email a@example.com", code: exitFailure, says: "set TRESTLE_PASSWORD"},
			{name: "a password that is too short", stdin: "short\n", call: "--email a@example.com", code: exitFailure, says: "at least 8"},
			{name: "no e-mail address", stdin: horse + "\n", call: "--email nobody", code: exitFailure, says: "must have one @"},
			{name: "from standard input", stdin: horse + "\n", call: "--email A@Example.com --name Asha", says: "Created the user a@example.com.", row: `a@example.com +Asha +yes +no +no`},
			{name: "the same e-mail again", stdin: horse + "\n", call: "--email a@example.com", code: exitFailure, says: "a@example.com exists already"},
			{name: "from the variable", call: "--email b@example.com --staff", env: "TRESTLE_PASSWORD=" + horse, says: "Created the user b@example.com.", row: `b@example.com +- +yes +yes +no`},
			{name: "a superuser who is not staff", stdin: horse + "\n", call: "--email c@example.com --superuser", says: "Created the superuser c@example.com.", row: `c@example.com +- +yes +no +yes`},
		} {
			got := r.with(step.stdin, "user create --log-level debug "+step.call, step.env)
			if got.code != step.code || !strings.Contains(got.stderr, step.says) {
				t.Fatalf("%s: exit code %d, standard error %q; want %d, %q", step.name, got.code, got.stderr, step.code, step.says)
			}
			list := r.ok("user list")
			if strings.Contains(got.stdout+got.stderr+list, "horse") || strings.Contains(list, "argon2") {
				t.Errorf("%s: it shows the password: %q %q", step.name, got.stderr, list)
			}
			if step.row == "" {
				if got.stdout != "" {
					t.Errorf("%s: standard output %q; want none", step.name, got.stdout)
				}
				continue
			}
			row := `(?m)^` + regexp.QuoteMeta(strings.TrimSpace(got.stdout)) + ` +` + step.row + ` +\d{4}-\d\d-\d\d \d\d:\d\dZ$`
			if !regexp.MustCompile(`^[0-9a-f-]{36}\n$`).MatchString(got.stdout) || !regexp.MustCompile(row).MatchString(list) {
				t.Errorf("%s: printed %q; the list is %q, want a row like %s", step.name, got.stdout, list, row)
			}
		}
	})
}

func TestUserList(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.run("user list").is(t, exitNeedsAction, "trestle migrate up")
		r.ok("migrate up")
		if got := r.ok("user list"); strings.Join(strings.Fields(got), " ") != "ID EMAIL NAME ACTIVE STAFF SUPERUSER CREATED" {
			t.Errorf("without users the list is %q; want its heading", got)
		}
		want := []string{"EMAIL"}
		for _, name := range []string{"zoe", "asha", "mira", "bela", "yan"} {
			want = append(want, name+"@example.com")
			r.with(horse+"\n", "user create --email "+name+"@example.com").is(t, exitOK)
		}
		if got := emails(r.ok("user list")); got != strings.Join(want, " ") {
			t.Errorf("the list is of %s; want %v, the newest last", got, want)
		}
	})
}

// emails are the second column of a table.
func emails(table string) string {
	var column []string
	for line := range strings.Lines(table) {
		column = append(column, strings.Fields(line)[1])
	}
	return strings.Join(column, " ")
}

// TestWhatCommandsChange holds from the next request to a server on.
func TestWhatCommandsChange(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.inhabited()
		r.with(horse+"\n", "user create --email b@example.com").is(t, exitOK)
		first, other := r.token("a@example.com"), r.token("b@example.com")
		r.ok("group create managers doctors.add")
		api := r.serve(t)
		const reading, adding = "GET /api/doctors/", "POST /api/manage/doctors/" // without a body adding is 400
		for _, step := range []struct {
			call          string
			stdin         string
			read, add     int // how a's token fares
			says          string
			anothersToken int // how b's fares, adding
		}{
			{"user list", "", 200, 403, "", 403},
			{"user grant --email a@example.com doctors.add", "", 200, 400, "a@example.com holds doctors.add.", 403},
			{"user revoke --email a@example.com doctors.add doctors.view", "", 200, 403, "a@example.com no longer holds doctors.add.", 403},
			{"group join managers --email a@example.com", "", 200, 400, `a@example.com is a member of the group "managers".`, 403},
			{"user revoke --email a@example.com doctors.add", "", 200, 400, "a@example.com still holds doctors.add, through a group", 403},
			{"group revoke managers doctors.add", "", 200, 403, `The group "managers" no longer holds doctors.add.`, 403},
			{"group grant managers doctors.add", "", 200, 400, `The group "managers" holds doctors.add.`, 403},
			{"group leave managers --email a@example.com", "", 200, 403, `a@example.com is no member of the group "managers".`, 403},
			{"user disable --email A@example.com", "", 401, 401, "a@example.com cannot use the API from the next request on.", 403},
			{"user disable --email a@example.com", "", 401, 401, "a@example.com cannot use the API from the next request on.", 403},
			{"user enable --email a@example.com", "", 200, 403, "a@example.com may sign in again", 403},
			{"user set-password --email a@example.com", "short\n", 200, 403, "at least 8", 403},
			{"user set-password --email a@example.com", "another " + horse + "\n", 401, 401, "Changed the password of a@example.com; the user's sessions, tokens and JWT logins have ended.", 403},
		} {
			got := r.with(step.stdin, step.call)
			if (got.code != exitOK) != (step.says == "at least 8") || !strings.Contains(got.stderr, step.says) {
				t.Fatalf("%s: exit code %d, %q; want it to say %q", step.call, got.code, got.stderr, step.says)
			}
			if read, add := api.status(t, reading, first), api.status(t, adding, first); read != step.read || add != step.add {
				t.Errorf("after %s: %s is answered with %d, %s with %d; want %d and %d", step.call, reading, read, adding, add, step.read, step.add)
			}
			if add := api.status(t, adding, other); add != step.anothersToken {
				t.Errorf("after %s another's %s is answered with %d", step.call, adding, add)
			}
			if strings.Contains(got.stdout+got.stderr, "horse") {
				t.Errorf("%s shows the password: %q", step.call, got.stderr)
			}
		}
	})
}

// TestRevokingWhatIsNotHeld changes nothing and says so: the name may be misspelt.
func TestRevokingWhatIsNotHeld(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.inhabited()
		r.ok("user grant --email a@example.com patients.view doctors.add")
		r.ok("group create night patients.view doctors.add")
		const misspelt = "no endpoint of the API requires patients.veiw; did you mean patients.view?"
		for _, step := range []struct {
			call string
			says []string
			not  string
		}{
			{"user revoke --email a@example.com patients.veiw", []string{"a@example.com did not hold patients.veiw; holds doctors.add, patients.view.", misspelt}, "no longer holds"},
			{"user revoke --email a@example.com patients.veiw doctors.add", []string{"a@example.com no longer holds doctors.add.", "a@example.com did not hold patients.veiw; holds patients.view.", misspelt}, "requires doctors.add"},
			{"user revoke --email a@example.com patients.view", []string{"a@example.com no longer holds patients.view."}, "did not hold"},
			{"user revoke --email a@example.com patients.view", []string{"a@example.com did not hold patients.view; holds no permission."}, "no endpoint"},
			{"group revoke night patients.veiw", []string{`The group "night" did not hold patients.veiw; holds doctors.add, patients.view.`, misspelt}, "no longer holds"},
			{"group revoke night patients.veiw doctors.add", []string{`The group "night" no longer holds doctors.add.`, `The group "night" did not hold patients.veiw; holds patients.view.`}, "requires doctors.add"},
			{"group revoke night patients.view", []string{`The group "night" no longer holds patients.view.`}, "did not hold"},
		} {
			got := r.run(step.call)
			got.is(t, exitOK, step.says...)
			if strings.Contains(got.stderr, step.not) {
				t.Errorf("%s says %q; not %q", step.call, got.stderr, step.not)
			}
		}
	})
}

func TestRevokingFromASuperuser(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	r.with(horse+"\n", "createsuperuser --email a@example.com").is(t, exitOK)
	r.run("user revoke --email a@example.com doctors.add").is(t, exitOK, "is a superuser, who holds every permission")
}

// inhabited migrates, and makes a user, a@example.com.
func (r *rig) inhabited() {
	r.t.Helper()
	r.ok("migrate up")
	r.with(horse+"\n", "user create --email a@example.com").is(r.t, exitOK)
}

func (r *rig) token(email string) string {
	r.t.Helper()
	return strings.TrimSpace(r.ok("token create --email " + email))
}

// An address is where a server of the program answers.
type address string

// serve runs the program's server until the test ends.
func (r *rig) serve(t *testing.T) address {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stdout, printed := io.Pipe()
	stderr, ended := newLogged(), make(chan int, 1)
	go func() {
		ended <- program.Run(ctx, trestle(), []string{"serve", "--addr", "127.0.0.1:0"}, r.env, strings.NewReader(""), printed, stderr)
		printed.Close()
	}()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != exitOK {
			t.Errorf("the server ends with %d: %s", code, stderr)
		}
	})
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if at := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(lines.Text()); at != "" {
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			return address(at)
		}
	}
	t.Fatalf("it does not serve: %s", stderr)
	return ""
}

// status is how a request such as "GET /api/" with a token is answered.
func (at address) status(t *testing.T, request, token string) int {
	t.Helper()
	method, path, _ := strings.Cut(request, " ")
	sent, err := http.NewRequestWithContext(t.Context(), method, string(at)+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	sent.Header.Set("Content-Type", "application/json")
	sent.Header.Set("Authorization", "Token "+token)
	answer, err := new(http.Client).Do(sent)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// TestAudit: every change leaves one line, which names ids and no secret, and
// what changes nothing leaves none.
func TestAudit(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.env = append(r.env, "TRESTLE_LOG=json", "TRESTLE_PASSWORD="+horse)
		r.ok("migrate up")
		admin := strings.TrimSpace(r.ok("createsuperuser --email admin@example.com"))
		token := strings.Fields(r.afterToken("admin@example.com"))[0]
		for _, step := range []struct {
			call string
			want string // the attributes, but for the ids that were just made
		}{
			{"createsuperuser --email root@example.com", "event=user_created user=* by=command line staff=true superuser=true"},
			{"user create --email a@example.com --staff", "event=user_created user=* by=command line staff=true superuser=false"},
			{"user disable --email admin@example.com", "event=user_disabled user=" + admin + " by=command line"},
			{"user enable --email admin@example.com", "event=user_enabled user=" + admin + " by=command line"},
			{"user grant --email admin@example.com a.view b.add", "event=permission_granted user=" + admin + " by=command line permissions=[a.view b.add]"},
			{"user revoke --email admin@example.com a.view", "event=permission_revoked user=" + admin + " by=command line permissions=[a.view]"},
			{"user revoke --email admin@example.com a.view b.add", "event=permission_revoked user=" + admin + " by=command line permissions=[b.add]"},
			{"group create night a.view", "event=group_created group=* by=command line permissions=[a.view]"},
			{"group grant night b.add", "event=permission_granted group=* by=command line permissions=[b.add]"},
			{"group revoke night b.add c.add", "event=permission_revoked group=* by=command line permissions=[b.add]"},
			{"group join night --email admin@example.com", "event=group_joined user=" + admin + " by=command line group=*"},
			{"group leave night --email admin@example.com", "event=group_left user=" + admin + " by=command line group=*"},
			{"token create --email admin@example.com", "event=token_issued user=" + admin + " by=command line token=*"},
			{"token revoke --email admin@example.com " + token, "event=token_revoked user=" + admin + " by=command line token=" + token},
			{"token revoke --email admin@example.com --all", "event=token_revoked user=" + admin + " by=command line token=all"},
			{"user set-password --email admin@example.com", "event=password_changed user=" + admin + " by=command line"},

			{"user list", ""}, {"group list", ""}, {"token list --email admin@example.com", ""},
			{"permissions", ""}, {"jwt keygen", ""},
			{"user create --email a@example.com", ""}, {"user disable --email nobody@example.com", ""},
			{"group create night", ""}, {"group join nigth --email admin@example.com", ""},
			{"token revoke --email admin@example.com " + token, ""},
			{"user revoke --email admin@example.com a.view", ""}, {"group revoke night b.add", ""},
		} {
			got := r.run(step.call)
			line := auditOf(t, got.stderr)
			if pattern := strings.ReplaceAll(regexp.QuoteMeta(step.want), `\*`, `[0-9a-f-]{36}`); !regexp.MustCompile(`^` + pattern + `$`).MatchString(line) {
				t.Errorf("%s leaves %q; want %q\n%s", step.call, line, step.want, got.stderr)
			}
			if strings.ContainsAny(line, "@") || strings.Contains(line, "trs_") || strings.Contains(got.stdout+got.stderr, "horse") {
				t.Errorf("%s leaves a secret or an e-mail: %s", step.call, got.stderr)
			}
		}
	})
}

// afterToken makes a token and is the last line of the list of the user's.
func (r *rig) afterToken(email string) string {
	r.token(email)
	lines := strings.Split(strings.TrimSpace(r.ok("token list --email "+email)), "\n")
	return lines[len(lines)-1]
}

// auditOf is the one line of the audit among the JSON lines of a log, "" for
// none, with its attributes in the order in which they stand.
func auditOf(t *testing.T, stderr string) string {
	t.Helper()
	var audits []string
	for text := range strings.Lines(stderr) {
		var line map[string]any
		if json.Unmarshal([]byte(text), &line) != nil || line["msg"] != "audit" {
			continue
		}
		if line["level"] != "INFO" {
			t.Errorf("the line's level is %v", line["level"])
		}
		var attributes []string
		for _, name := range []string{"event", "user", "by", "group", "permissions", "staff", "superuser", "token"} {
			if value, ok := line[name]; ok {
				attributes = append(attributes, fmt.Sprint(name, "=", value))
			}
		}
		if line["user"] == nil { // then the group stands in its place
			attributes[1], attributes[2] = attributes[2], attributes[1]
		}
		if len(line) != len(attributes)+3 {
			t.Errorf("the line has other attributes: %s", text)
		}
		audits = append(audits, strings.Join(attributes, " "))
	}
	if len(audits) > 1 {
		t.Errorf("%d lines of the audit; want one: %s", len(audits), stderr)
	}
	return strings.Join(audits, "\n")
}

func TestUsersWhoAreNotThere(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.ok("group create night")
		for _, call := range []string{
			"user disable", "user enable", "user set-password", "user grant a.view", "user revoke a.view", "group join night", "group leave night",
		} {
			got := r.with(horse+"\n", call+" --email nobody@example.com")
			got.is(t, exitFailure, "no user has the e-mail nobody@example.com; trestle user list shows them")
			if got.stdout != "" {
				t.Errorf("%s prints %q", call, got.stdout)
			}
		}
	})
}

func TestWrongCallsAboutAccounts(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@127.0.0.1:1/app") // no connection is possible
	for call, says := range map[string]string{
		"user create":                      "say whose: --email ADDRESS",
		"user disable":                     "say whose: --email ADDRESS",
		"user enable":                      "say whose: --email ADDRESS",
		"user set-password":                "say whose: --email ADDRESS",
		"user grant a.view":                "say whose: --email ADDRESS",
		"user list all":                    `unknown command "all"`,
		"user grant --email a@example.com": "say which permissions, such as patients.view",
		"user grant --email a@example.com a.view View":  `"View" is not a permission`,
		"user revoke --email a@example.com":             "say which permissions, such as patients.view",
		"user revoke --email a@example.com a":           `"a" is not a permission`,
		"user creat":                                    `unknown command "creat" for "trestle user"`,
		"group create":                                  "say which group, by its name",
		"group create night shift":                      `"shift" is not a permission`,
		"group grant night":                             "say which permissions, such as patients.view",
		"group grant":                                   "say which group, by its name",
		"group revoke night a.view b":                   `"b" is not a permission`,
		"group join --email a@example.com":              "say which group, by its name",
		"group join night":                              "say whose: --email ADDRESS",
		"group leave night shift --email a@example.com": "one of several words goes in quotes",
		"permissions --holding a":                       `--holding: "a" is not a permission`,
		"permissions --holding=":                        `--holding: "" is not a permission`,
		"permissions --holding a.view,,b.add":           `--holding: "" is not a permission`,
		"permissions --holding a.view;b.add":            `--holding: "a.view;b.add" is not a permission`,
		"jwt keygen --alg none":                         `"none" is not an algorithm for JWT keys; use HS256, EdDSA or RS256`,
		"jwt keygen --alg eddsa":                        `"eddsa" is not an algorithm`,
		"jwt keygen --kid a:b":                          `"a:b" cannot be a kid`,
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			got := r.run(call)
			got.is(t, exitUsage, says)
			if got.stdout != "" {
				t.Errorf("it prints %q", got.stdout)
			}
		})
	}
	for _, call := range []string{
		"user list", "user create --email a@example.com", "user disable --email a@example.com", "group list", "group create night", "group grant night a.view",
	} {
		t.Run(call+" without a database", func(t *testing.T) {
			t.Parallel()
			r.with(horse+"\n", call).is(t, exitFailure, "the database cannot be reached")
		})
	}
}
