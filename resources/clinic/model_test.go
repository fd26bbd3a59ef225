package clinic_test

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"trestle.example/resources/clinic"
)

// A question is a patient list's search, filter and ordering.
type question struct {
	search, city, ordering string
}

func (q question) path() string {
	return query("/api/patients/", "search", q.search, "city", q.city, "ordering", q.ordering)
}

// answer is what the whole list must be, worked out without a database: the
// ids of the rows in order. It shares nothing with the service but the rows.
func (q question) answer(rows []clinic.Patient) []string {
	var found []clinic.Patient
	for _, row := range rows {
		if (strings.TrimSpace(q.city) == "" || row.City == strings.TrimSpace(q.city)) && mentions(row, q.search) {
			found = append(found, row)
		}
	}
	slices.SortFunc(found, q.compare)
	ids := []string{}
	for _, row := range found {
		ids = append(ids, row.ID.String())
	}
	return ids
}

// compare orders two rows by the terms that may be used, then by id in the direction of the
// last term that decides anything; text by its bytes, as Go compares strings.
func (q question) compare(a, b clinic.Patient) int {
	var terms []string
	for term := range strings.SplitSeq(q.ordering, ",") {
		if term = strings.TrimSpace(term); slices.Contains([]string{"name", "-name", "city", "-city"}, term) {
			terms = append(terms, term)
		}
	}
	if terms == nil {
		terms = []string{"name"}
	}
	seen, direction := map[string]bool{}, 1
	for _, term := range terms {
		if name := strings.TrimPrefix(term, "-"); !seen[name] {
			seen[name] = true
			direction = 1 - 2*(len(term)-len(name))
		}
		n := cmp.Compare(a.Name, b.Name)
		if strings.HasSuffix(term, "city") {
			n = cmp.Compare(a.City, b.City)
		}
		if term[0] == '-' {
			n = -n
		}
		if n != 0 {
			return n
		}
	}
	return direction * cmp.Compare(a.ID.String(), b.ID.String())
}

// term is one of a search: a quoted phrase, or what white space surrounds.
var term = regexp.MustCompile(`"([^"]*)"|([^\s\p{Z}]+)`)

func mentions(row clinic.Patient, search string) bool {
	for _, found := range term.FindAllStringSubmatch(search, -1) {
		text := found[1] + found[2]
		if strings.TrimSpace(text) != "" && !contains(row.Name, text) && !contains(row.Phone, text) {
			return false
		}
	}
	return true
}

// contains searches a text for a term without regard to case. The
// letters of the test fold one to one, so EqualFold is enough, after e with a combining
// accent has become é.
func contains(text, term string) bool {
	in, of := runes(text), runes(term)
	for i := 0; i+len(of) <= len(in); i++ {
		if strings.EqualFold(string(in[i:i+len(of)]), string(of)) {
			return true
		}
	}
	return false
}

func runes(text string) []rune {
	return []rune(strings.NewReplacer("e\u0301", "é", "E\u0301", "É").Replace(text))
}
