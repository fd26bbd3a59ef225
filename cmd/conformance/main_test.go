package main

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		events string
		ended  error
		want   outcome
		held   bool
		prints string
	}{
		"all held": {
			events: `{"Action":"run","Test":"TestA"}
{"Action":"pass","Test":"TestA/postgresql/a_case"}
{"Action":"pass","Test":"TestA/postgresql"}
{"Action":"pass","Test":"TestA"}
{"Action":"pass","Test":"TestOfNoDatabase"}
{"Action":"skip","Test":"TestB/postgresql"}
{"Action":"pass"}`,
			want: outcome{passed: 1, skipped: 1}, held: true,
		},
		"one failed": {
			events: `{"Action":"output","Test":"TestA/postgresql","Output":"what was wrong\n"}
{"Action":"output","Test":"TestB/postgresql","Output":"nothing\n"}
{"Action":"fail","Test":"TestA/postgresql"}
{"Action":"pass","Test":"TestB/postgresql"}`,
			ended: errors.New("exit status 1"), want: outcome{passed: 1, failed: 1}, prints: "what was wrong\n",
		},
		"nothing was asked": {events: `{"Action":"pass","Test":"TestOfNoDatabase"}`},
		"it was not built":  {events: `{"Action":"fail"}`, ended: errors.New("exit status 1")},
		"a test of no kind failed": {
			events: `{"Action":"pass","Test":"TestA/postgresql"}
{"Action":"fail","Test":"TestOfNoDatabase"}`,
			ended: errors.New("exit status 1"), want: outcome{passed: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var printed bytes.Buffer
			o, err := read(strings.NewReader(c.events), &printed)
			if err != nil {
				t.Fatal(err)
			}
			o.ended = c.ended
			if o.passed != c.want.passed || o.failed != c.want.failed || o.skipped != c.want.skipped || o.held() != c.held || printed.String() != c.prints {
				t.Errorf("%+v, held %v, printed %q", o, o.held(), printed.String())
			}
		})
	}
	if _, err := read(strings.NewReader("no JSON\n"), &bytes.Buffer{}); err == nil {
		t.Error("what is no JSON is read")
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	outcomes := map[string]*outcome{}
	for _, s := range suites() {
		outcomes[s.name] = &outcome{passed: 3}
	}
	outcomes["store"] = &outcome{passed: 2, failed: 1, failures: []string{"TestA/postgresql", "TestA"}, ended: errors.New("exit status 1")}
	outcomes["clinic"] = &outcome{}
	var text strings.Builder
	if held, err := report(&text, outcomes, leftOuts(false)); err != nil || held {
		t.Fatalf("held: %v, %v", held, err)
	}
	for _, line := range []string{
		`identity and access +3 +0 +0`, `store +2 +1 +0`, `failed: TestA/postgresql`, `failed: clinic: no test used the database`,
		`left out: TestIndexesServe: `, `left out: .*TestTextsOfStatements.*: `,
	} {
		if !regexp.MustCompile(`(?m)^` + line).MatchString(text.String()) {
			t.Errorf("no line is like %q in\n%s", line, text.String())
		}
	}
}

// TestSuitesWithoutATestOfThePattern are left out of the table, and do not fail the run.
func TestSuitesWithoutATestOfThePattern(t *testing.T) {
	t.Parallel()
	ran, failed, idle := outcome{passed: 1}, outcome{failed: 1, ended: errors.New("exit status 1")}, outcome{}
	unbuilt := outcome{ended: errors.New("exit status 1")}
	for name, c := range map[string]struct {
		clinic, store outcome
		held          bool
		lacks         string
	}{
		"one suite has a test":              {ran, idle, true, "store"},
		"no suite has a test":               {idle, idle, false, "nothing"},
		"the test of one suite fails":       {failed, idle, false, "store"},
		"a suite is not built":              {ran, unbuilt, false, "nothing"},
		"every suite but one has a test":    {ran, ran, true, "identity"},
		"a test that is skipped is no test": {outcome{skipped: 1}, idle, false, "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcomes := map[string]*outcome{"identity and access": {}, "clinic": &c.clinic, "store": &c.store}
			omitIdle(outcomes)
			var text strings.Builder
			held, err := report(&text, outcomes, nil)
			if err != nil || held != c.held || strings.Contains(text.String(), c.lacks) {
				t.Errorf("held: %v, %v\n%s", held, err, text.String())
			}
		})
	}
}

func TestWrongCalls(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args     []string
		database string
	}{
		"no database":       {nil, ""},
		"a SQLite database": {nil, "sqlite:///srv/app.db"},
		"two patterns":      {[]string{"A", "B"}, "postgres://app:hidden@localhost/app"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), c.args, c.database, true, &stdout, &stderr)
			if code != exitUsage || !strings.Contains(stderr.String(), "usage:") || strings.Contains(stderr.String(), "hidden") {
				t.Errorf("exit code %d, %q", code, stderr.String())
			}
		})
	}
}
