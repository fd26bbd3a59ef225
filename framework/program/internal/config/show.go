package config

import (
	"errors"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/pflag"
)

// A Shown is a setting without its secrets.
type Shown struct {
	Setting string `json:"setting"` // its variable
	Flag    string `json:"flag,omitempty"`
	Value   string `json:"value"`
	From    string `json:"from"` // the flag, the variable, or "default"
	Wrong   string `json:"wrong,omitempty"`
}

// Show returns all settings without their secrets. Its error joins every wrong value, the
// first fault of the keys, the first fault of the certificate, and a missing host name. Without
// such a fault, the error has the faults of settings against each other that [Table.Read]
// reports. These are in no [Shown]. It logs to stderr.
func (t Table) Show(flags *pflag.FlagSet, env map[string]string, stderr io.Writer) (shown []Shown, wrong error) {
	c, unread := t.Read(flags, env)
	log := c.NewLog(stderr)
	t.WarnUnknown(log, env)
	together := c.wrongTogether(log)
	read := t.newConfig() // some settings depend on those before them
	for _, s := range t.Settings() {
		value, from := s.given(flags, env)
		err := s.read(&read, value)
		one := Shown{Setting: s.Variable, Value: s.shownValue(value, from, err != nil), From: from}
		if err == nil {
			err = together[s.Variable]
		} else {
			err = s.wrong(s.nameOf(from), value, err)
		}
		if s.Flag != "" {
			one.Flag = "--" + s.Flag
		}
		if err != nil {
			one.Wrong = err.Error()
			wrong = errors.Join(wrong, err)
		}
		shown = append(shown, one)
	}
	if wrong == nil { // a fault of several settings together
		wrong = unread
	}
	return shown, wrong
}

// wrongTogether returns the faults of keys, certificate and hosts, by the variable that must
// change. An error in the map may be nil.
func (c Config) wrongTogether(log *slog.Logger) map[string]error {
	_, keys := c.ReadKeys()
	_, certificate := c.ReadCertificate(log)
	file := "{PROGRAM}_TLS_CERT"
	if c.TLSCert != "" && c.TLSKey == "" {
		file = "{PROGRAM}_TLS_KEY"
	}
	return map[string]error{c.Program.Text(JWTKeysVariable): keys, c.Program.Text(file): certificate, c.Program.Text("{PROGRAM}_PUBLIC_URL"): c.RequireHosts()}
}

var secretInQuery = regexp.MustCompile(`(?i)([?&][^=&]*(?:pass|secret|token)[^=&]*=)[^&]*`)

// shownValue returns a value without its secrets. It hides a wrong value if the error about
// that value hides it too.
func (s Setting) shownValue(value, from string, wrong bool) string {
	switch {
	case from == byDefault && s.Shown != "":
		return "(" + s.Shown + ")"
	case value == "":
		return "(none)"
	case s.Flag == "", wrong && s.Example == "":
		return "(set, and not shown)"
	}
	value = withoutPassword(value)
	value = secretInQuery.ReplaceAllString(value, "$1***")
	if strings.ContainsFunc(value, unicode.IsControl) {
		return strconv.Quote(value)
	}
	return value
}
