package config

import (
	"log/slog"
	"maps"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
)

// WarnUnknown logs each variable that has the prefix of the program's variables but is not one
// of [Table.Variables]. It suggests the nearest of them, if one is near. It skips variables
// that begin with {PROGRAM}_TEST_.
func (t Table) WarnUnknown(log *slog.Logger, env map[string]string) {
	for _, name := range t.unknown(env) {
		if meant := t.nearest(name); meant != "" {
			log.Warn("this variable is no setting and has no effect; did you mean "+meant+"?", "variable", name)
		} else {
			log.Warn(t.Program.Text("this variable is no setting and has no effect; {program} serve --help lists them"), "variable", name)
		}
	}
}

func (t Table) unknown(env map[string]string) []string {
	known, ours := t.Variables(), t.Program.Text(prefix)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(name, ours) && !strings.HasPrefix(name, ours+"TEST_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// Variables returns the names of the variables of all settings, and of the password that a
// command sets. It omits variables of Go and of libraries, such as GOGC.
func (t Table) Variables() []string {
	names := []string{t.Program.Text(PasswordVariable)}
	for _, s := range t.Settings() {
		names = append(names, s.Variable)
	}
	return names
}

// nearest returns the variable that is nearest to a wrong name, or "". It ignores the common
// prefix, underscores and case.
func (t Table) nearest(name string) string {
	plain := func(name string) string {
		return strings.ReplaceAll(strings.TrimPrefix(strings.ToUpper(name), t.Program.Text(prefix)), "_", "")
	}
	known := map[string]string{} // by the plain name
	for _, variable := range t.Variables() {
		known[plain(variable)] = variable
	}
	return known[naming.Nearest(plain(name), slices.Sorted(maps.Keys(known)))]
}
