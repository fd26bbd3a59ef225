package throttle

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ParseRates reads rates by scope, in the form of a setting:
// "login=5/min,register=20/hour". Blanks around the parts do not matter, and an empty
// text has no rates: the map is empty. Each scope may occur once, and must be known. For an
// unknown scope the error names the nearest known one, or all of them if none is similar. The
// error lists the first mistake of every entry, and the map is then nil.
func ParseRates(text string, known ...string) (map[string]Rate, error) {
	rates := map[string]Rate{}
	var mistakes []error
	for entry := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(entry) == "" {
			continue
		}
		if err := parseEntry(rates, entry, known); err != nil {
			mistakes = append(mistakes, err)
		}
	}
	if len(mistakes) > 0 {
		return nil, errors.Join(mistakes...)
	}
	return rates, nil
}

func parseEntry(rates map[string]Rate, entry string, known []string) error {
	scope, text, found := strings.Cut(entry, "=")
	scope = strings.TrimSpace(scope)
	if !found {
		return fmt.Errorf("%q names no rate; write scope=rate, as in login=5/min", strings.TrimSpace(entry))
	}
	if !slices.Contains(known, scope) {
		return fmt.Errorf("there is no throttle scope %q%s", scope, suggest(scope, known))
	}
	if _, twice := rates[scope]; twice {
		return fmt.Errorf("throttle scope %q has two rates; name it once", scope)
	}
	rate, err := ParseRate(strings.TrimSpace(text))
	if err != nil {
		return fmt.Errorf("throttle scope %q: %w", scope, err)
	}
	rates[scope] = rate
	return nil
}

// suggest names the known scope that is most similar to a misspelt one. Scopes are similar if
// one begins with the other, or if at most one letter or half of the letters of the misspelt
// one differ. If no scope is similar, suggest lists all.
func suggest(scope string, known []string) string {
	best, distance := "", max(1, len(scope)/2)+1
	for _, k := range known {
		d := edits(strings.ToLower(scope), strings.ToLower(k))
		if scope != "" && (strings.HasPrefix(scope, k) || strings.HasPrefix(k, scope)) {
			d = 1
		}
		if d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return "; there are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// edits counts the bytes to insert, delete or replace to turn one word into another
// (Levenshtein).
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, diagonal+1, replaced)
		}
	}
	return row[len(b)]
}
