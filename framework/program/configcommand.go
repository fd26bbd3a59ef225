package program

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
)

func (p *program) configCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "config [--json] [flags]",
		Short: "Show every setting, where it comes from, and what is wrong with it",
		Long: `Config shows the value that each setting has here, whether a flag, a variable or
the default gave it, and what is wrong with it, as serve would see it. Keys are
not shown, nor the user and password of a URL. It does not touch the database.

The exit code is 2 if a setting is wrong.`,
		Example: `  {program} config
  {program} config --json | jq '.[] | select(.from != "default")'`,
	}, p.showConfig)
	c.Flags().Bool("json", false, "print a JSON array")
	p.addSettings(c.Flags(), true)
	return c
}

// A shownSetting is one setting as a person may see it.
type shownSetting struct {
	Setting string `json:"setting"` // its variable
	Flag    string `json:"flag,omitempty"`
	Value   string `json:"value"`
	From    string `json:"from"` // the flag, the variable, or "default"
	Wrong   string `json:"wrong,omitempty"`
}

func (p *program) showConfig(cmd *cobra.Command, _ []string) error {
	shown, wrong := p.shownSettings(cmd.Flags())
	asJSON, _ := cmd.Flags().GetBool("json")
	write := writeSettings
	if asJSON {
		write = func(w io.Writer, shown []shownSetting) error { return console.WriteJSON(w, shown) }
	}
	if err := write(p.Out, shown); err != nil {
		return err
	}
	if wrong != nil {
		return exit.Misused("%w", wrong)
	}
	return nil
}

// shownSettings are all of them, and everything that is wrong.
func (p *program) shownSettings(flags *pflag.FlagSet) (shown []shownSetting, wrong error) {
	c, _ := p.readConfig(flags, p.env)
	log := newLog(p.Err, c)
	p.warnUnknown(log)
	together := c.wrongTogether(log)
	read := p.newConfig() // some settings look at those before them
	for _, s := range p.declaredSettings() {
		value, from := s.given(flags, p.env)
		err := s.read(&read, value)
		one := shownSetting{Setting: s.variable, Value: s.shownValue(value, from, err != nil), From: from}
		if err == nil {
			err = together[s.variable]
		} else {
			err = s.wrong(s.nameOf(from), value, err)
		}
		if s.flag != "" {
			one.Flag = "--" + s.flag
		}
		if err != nil {
			one.Wrong = err.Error()
			wrong = errors.Join(wrong, err)
		}
		shown = append(shown, one)
	}
	return shown, wrong
}

// wrongTogether is what a server finds wrong with settings of which each may be
// right alone, by the variable that is to be changed.
func (c config) wrongTogether(log *slog.Logger) map[string]error {
	_, keys := c.readKeys()
	_, certificate := c.readCertificate(log)
	file := "{PROGRAM}_TLS_CERT"
	if c.tlsCert != "" && c.tlsKey == "" {
		file = "{PROGRAM}_TLS_KEY"
	}
	return map[string]error{c.text(jwtKeysVariable): keys, c.text(file): certificate, c.text("{PROGRAM}_PUBLIC_URL"): c.nameless()}
}

var secretInQuery = regexp.MustCompile(`(?i)([?&][^=&]*(?:pass|secret|token)[^=&]*=)[^&]*`)

// shownValue is a value without what is secret in it. Of a wrong one nothing is
// shown where the report of it shows nothing either.
func (s setting) shownValue(value, from string, wrong bool) string {
	switch {
	case from == byDefault && s.shown != "":
		return "(" + s.shown + ")"
	case value == "":
		return "(none)"
	case s.flag == "", wrong && s.example == "":
		return "(set, and not shown)"
	}
	value = passwordInURL.ReplaceAllString(value, "://***@")
	value = secretInQuery.ReplaceAllString(value, "$1***")
	if strings.ContainsFunc(value, unicode.IsControl) {
		return strconv.Quote(value)
	}
	return value
}

func writeSettings(w io.Writer, shown []shownSetting) error {
	table := console.NewTable(w)
	fmt.Fprintln(table, "SETTING\tVALUE\tFROM")
	for _, s := range shown {
		from := s.From
		if s.Wrong != "" {
			from += " (wrong)"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.Setting, s.Value, from)
	}
	return table.Flush()
}
