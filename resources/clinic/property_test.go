package clinic_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"trestle.example/internal/proving"
	"trestle.example/resources/clinic"
)

// The letters of the property's texts: those that collations, patterns,
// full-text queries and case trip over, few enough that searches find things.
var letters = []string{
	"a", "A", "b", "B", "z", "Z", "é", "É", "e\u0301", "e", "ж", "Ж", "σ", "ς", "Σ", "k", "\u212a", "s", "ſ", "न", "मी", "\u674e", "😀",
	"%", "_", "\\", "'", "*", "-", "^", "(", ":", "0", "1", " ", " ", " ",
}

// text draws a text of some letters.
func text(least, most int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), least, most).Draw(t, "letters"), "")
	})
}

// rows draws patients with few cities and many names alike.
func rows(owner person, n int) *rapid.Generator[[]clinic.Patient] {
	return rapid.Custom(func(t *rapid.T) []clinic.Patient {
		names := rapid.SliceOfN(text(1, 12), 25, 25).Draw(t, "names")
		made := make([]clinic.Patient, n)
		for i := range made {
			name := strings.TrimSpace(rapid.SampledFrom(names).Draw(t, "name"))
			phone := strings.TrimSpace("+" + text(2, 6).Draw(t, "phone"))
			made[i] = patientRow(owner.ID, name, phone, rapid.SampledFrom(cities).Draw(t, "city"))
		}
		return made
	})
}

var cities = []string{"", "Pune", "pune", "PUNE", "Puné", "Pune ", "Mumbai", "%", "'"}

// questions draws searches for words of the rows and for other words,
// filters, and orderings, allowed and not.
func questions(all []clinic.Patient) *rapid.Generator[question] {
	return rapid.Custom(func(t *rapid.T) question {
		var q question
		row := rapid.SampledFrom(all).Draw(t, "row")
		for range rapid.IntRange(0, 3).Draw(t, "terms") {
			q.search += rapid.OneOf(part(row.Name), part(row.Phone), quoted(row.Name), text(1, 3), rapid.Just(`"`)).Draw(t, "term") + " "
		}
		if rapid.IntRange(0, 2).Draw(t, "filtered") == 0 {
			q.city = rapid.SampledFrom(cities).Draw(t, "city")
		}
		order := rapid.SampledFrom([]string{"name", "-name", "city", "-city", "phone", "", "-", "--name", "NAME"})
		q.ordering = strings.Join(rapid.SliceOfN(order, 0, 3).Draw(t, "ordering"), ",")
		return q
	})
}

// part draws a part of a text, in any case.
func part(of string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		letters := []rune(of)
		from := rapid.IntRange(0, len(letters)).Draw(t, "from")
		to := min(len(letters), from+rapid.IntRange(1, 5).Draw(t, "length"))
		change := rapid.SampledFrom([]func(string) string{strings.ToUpper, strings.ToLower, strings.Clone}).Draw(t, "case")
		return change(string(letters[from:to]))
	})
}

func quoted(of string) *rapid.Generator[string] {
	return rapid.Map(part(of), func(text string) string { return `"` + text + `"` })
}

// The pages of a list, joined, are the whole list: every row once, in
// order, for any letters.
func TestPagesJoinedAreTheWholeAnswer(t *testing.T) {
	const patients = 150
	perRun := proving.Rounds(2, 10) // rapid runs the property a hundred times
	both(t, func(t *testing.T, s *site) {
		seed := int(time.Now().UnixNano() % 1_000_000_000)
		t.Logf("the rows are those of seed %d", seed)
		all := rows(s.person("ada"), patients).Example(seed)
		s.store(&all)
		others := rows(s.person("bob"), 50).Example(seed + 1)
		s.store(&others)
		ada := s.as("ada")
		rapid.Check(t, func(rt *rapid.T) {
			for range perRun {
				q := questions(all).Draw(rt, "question")
				want := q.answer(all)
				got := valuesOf(walk(s, ada, q.path()), "id")
				if !slices.Equal(got, want) {
					rt.Fatalf("%+v: the pages have\n%q; want\n%q", q, names(all, got), names(all, want))
				}
			}
		})
	})
}

// names are the rows of some ids, as a person can compare them.
func names(all []clinic.Patient, ids []string) []string {
	var found []string
	for _, id := range ids {
		i := slices.IndexFunc(all, func(p clinic.Patient) bool { return p.ID.String() == id })
		found = append(found, all[i].Name+" | "+all[i].Phone+" | "+all[i].City)
	}
	return found
}
