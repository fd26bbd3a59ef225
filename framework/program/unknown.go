package program

import (
	"log/slog"
	"maps"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
)

// prefix begins the names of the program's own variables.
const prefix = "{PROGRAM}_"

// warnUnknown logs the variables that look like settings and are none, each
// with the one that was probably meant.
func (p *program) warnUnknown(log *slog.Logger) {
	for _, name := range p.unknownSettings() {
		if meant := p.nearestSetting(name); meant != "" {
			log.Warn("this variable is no setting and has no effect; did you mean "+meant+"?", "variable", name)
		} else {
			log.Warn(p.text("this variable is no setting and has no effect; {program} serve --help lists them"), "variable", name)
		}
	}
}

func (p *program) unknownSettings() []string {
	known, ours := p.variableNames(), p.text(prefix)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(p.env)) {
		if strings.HasPrefix(name, ours) && !strings.HasPrefix(name, ours+"TEST_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// variableNames are all that the program reads.
func (p *program) variableNames() []string {
	names := []string{p.text(passwordVariable)}
	for _, s := range p.declaredSettings() {
		names = append(names, s.variable)
	}
	return names
}

// nearestSetting is the variable that a wrong name is nearest to, "" for none.
// What they all begin with and underscores do not count.
func (p *program) nearestSetting(name string) string {
	plain := func(name string) string {
		return strings.ReplaceAll(strings.TrimPrefix(strings.ToUpper(name), p.text(prefix)), "_", "")
	}
	known := map[string]string{} // by what counts of it
	for _, variable := range p.variableNames() {
		known[plain(variable)] = variable
	}
	return known[naming.Nearest(plain(name), slices.Sorted(maps.Keys(known)))]
}
