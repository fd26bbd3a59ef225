package program

import (
	"log/slog"
	"maps"
	"slices"
	"strings"
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
	return nearest(name, variableNames(), func(name string) string {
		return strings.ReplaceAll(strings.TrimPrefix(strings.ToUpper(name), ours), "_", "")
	})
}

// nearest is the known name of which at most a third is misspelt, "" for none.
// Names are compared as plain leaves them.
func nearest(name string, known []string, plain func(string) string) string {
	wrong := plain(name)
	best, limit := "", (len(wrong)+2)/3
	for _, k := range known {
		if d := misspelt(wrong, plain(k)); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// misspelt counts the letters that were added, left out or replaced between a
// and b (the Levenshtein distance).
func misspelt(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
