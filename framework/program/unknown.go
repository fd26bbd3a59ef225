package program

import (
	"log/slog"
	"maps"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
)

// ours begins the names of the program's own variables.
const ours = "TRESTLE_"

// warnUnknown logs the variables that look like settings and are none, each
// with the one that was probably meant.
func warnUnknown(log *slog.Logger, env map[string]string) {
	for _, name := range unknownSettings(env) {
		if meant := nearestSetting(name); meant != "" {
			log.Warn("this variable is no setting and has no effect; did you mean "+meant+"?", "variable", name)
		} else {
			log.Warn("this variable is no setting and has no effect; trestle serve --help lists them", "variable", name)
		}
	}
}

func unknownSettings(env map[string]string) []string {
	known := variableNames()
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(name, ours) && !strings.HasPrefix(name, ours+"TEST_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// variableNames are all that the program reads.
func variableNames() []string {
	names := []string{passwordVariable}
	for _, s := range settings() {
		names = append(names, s.variable)
	}
	return names
}

// nearestSetting is the variable that a wrong name is nearest to, "" for none.
// What they all begin with and underscores do not count.
func nearestSetting(name string) string {
	plain := func(name string) string {
		return strings.ReplaceAll(strings.TrimPrefix(strings.ToUpper(name), ours), "_", "")
	}
	known := map[string]string{} // by what counts of it
	for _, variable := range variableNames() {
		known[plain(variable)] = variable
	}
	return known[naming.Nearest(plain(name), slices.Sorted(maps.Keys(known)))]
}
