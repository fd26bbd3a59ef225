package doctor

import (
	"fmt"
	"io"
	"strings"

	"trestle.example/framework/program/internal/console"
)

// The results of a check. A problem makes doctor fail, a warning does not.
const (
	healthy = "ok"
	warning = "warning"
	problem = "problem"
)

// A Finding is one fault. It never contains a secret.
type Finding struct {
	Weight string `json:"weight"`
	Where  string `json:"where"`
	What   string `json:"what"`
	Fix    string `json:"fix"`
}

// A report is the result of doctor. It is separate from the settings, which contain
// secrets.
type report struct {
	Healthy   bool     `json:"healthy"` // no problem was found
	Checks    []*check `json:"checks"`
	Migration []string `json:"migration,omitempty"` // the files that were written
}

// A check is one thing that doctor checked.
type check struct {
	Name     string    `json:"check"`
	Subject  string    `json:"subject,omitempty"` // what was checked, such as a version; may be ""
	Result   string    `json:"result"`            // the greatest weight of its findings, or "ok"
	Findings []Finding `json:"findings,omitempty"`
}

// found adds a check and its findings.
func (r *report) found(name, subject string, findings ...Finding) {
	c := &check{Name: name, Subject: subject, Result: healthy, Findings: findings}
	for _, f := range findings {
		if c.Result != problem {
			c.Result = f.Weight
		}
	}
	r.Checks = append(r.Checks, c)
}

func (r *report) write(w io.Writer, asJSON bool) error {
	r.Healthy = true
	for _, c := range r.Checks {
		r.Healthy = r.Healthy && c.Result != problem
	}
	if asJSON {
		return console.WriteJSON(w, r)
	}
	var text strings.Builder
	table := console.NewTable(&text)
	fmt.Fprintln(table, "CHECK\tRESULT")
	for _, c := range r.Checks {
		name := c.Name
		if c.Subject != "" {
			name += " (" + c.Subject + ")"
		}
		fmt.Fprintf(table, "%s\t%s\n", name, c.Result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, c := range r.Checks {
		for _, f := range c.Findings {
			fmt.Fprintf(&text, "\n%s: %s: %s\n  fix: %s\n", f.Weight, f.Where, f.What, f.Fix)
		}
	}
	for _, file := range r.Migration {
		fmt.Fprintf(&text, "\nwritten: %s\n", file)
	}
	_, err := io.WriteString(w, text.String())
	return err
}
