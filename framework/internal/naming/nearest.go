package naming

import (
	"fmt"
	"strings"
)

// Suggestion returns the question whether the client meant a name, or "" for an empty name.
func Suggestion(near string) string {
	if near == "" {
		return ""
	}
	return "; did you mean " + near + "?"
}

// Misplaced returns the end of the sentence of a missing value that the body has at another place.
func Misplaced(wrong, meant string) string {
	return "; the body has " + Clip(wrong) + ": did you mean " + meant + "?"
}

// ListWords returns the sentence that lists the allowed values to a client.
func ListWords(words []string) string { return "must be one of " + strings.Join(words, ", ") }

// Nearest returns the known name that a misspelt name probably means: one that differs only in
// case, or else the closest by Damerau-Levenshtein distance (adjacent letters swapped count
// once). The distance is at most a third of the length of name, or 1 for a name shorter than six
// letters. Of equally close names it returns the first. Distances ignore case. It returns ""
// if no name is close, or if name has more than 256 bytes.
func Nearest(name string, known []string) string {
	if len(name) > endless || strings.TrimSpace(name) == "" {
		return ""
	}
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return k
		}
	}
	wrong := []rune(strings.ToLower(name))
	best, limit := "", max(1, len(wrong)/3)
	for _, k := range known {
		right := []rune(strings.ToLower(k))
		if len(right)-len(wrong) > limit || len(wrong)-len(right) > limit {
			continue
		}
		if d := EditDistance(wrong, right); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// endless is a length in bytes that no misspelt name has: comparing longer names
// takes much time and finds nothing.
const endless = 256

// EditDistance counts the letters inserted, left out, replaced or swapped with
// their neighbour between a and b (the optimal string alignment distance).
func EditDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DidYouMean returns a question with the nearest known name, or "" if no name is near.
func DidYouMean(name string, known []string) string {
	if near := Nearest(name, known); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// SameWords reports whether a client's name, such as dueDate or due_date, has the words of a Go name, such as DueDate.
func SameWords(goName, name string) bool {
	return name != "" && strings.ToLower(name[:1]) == name[:1] && strings.EqualFold(strings.ReplaceAll(name, "_", ""), goName)
}
