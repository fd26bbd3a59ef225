package sqldb

import (
	"slices"
	"strings"
	"testing"
)

func TestPadded(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{"", ""}, {"a", "a"}, {"ab", "ab"}, {"abc", "abcc"}, {"abcd", "abcd"}, {"abcde", "abcdeeee"},
	} {
		var got []byte
		var places []int
		for n, value := range Padded([]byte(c.values)) {
			got, places = append(got, value), append(places, n)
		}
		if string(got) != c.want || !slices.IsSorted(places) {
			t.Errorf("%q becomes %q at %v; want %q", c.values, got, places, c.want)
		}
	}
	for range Padded([]int{1, 2, 3}) {
		break // which must end it
	}
}

func TestListMakesFewStatements(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, searched)
		texts := map[string]bool{}
		for n := range 9 {
			values := make([]any, n)
			for i := range values {
				values[i] = int64(i)
			}
			q := db.NewSelect().TableExpr("patients AS p").ColumnExpr("p.n").Where("p.n IN (?)", List(values))
			text, args, err := db.render(q)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 && !strings.Contains(text, "IN (NULL)") || n > 0 && len(args) < n {
				t.Errorf("%d values: %s with %d arguments", n, text, len(args))
			}
			texts[text] = true
			run(t, db.Session(), "DELETE FROM patients WHERE n IN (?)", List(values))
		}
		if len(texts) != 5 {
			t.Errorf("0 to 8 values are %d statements, not 5: none, 1, 2, 4 and 8", len(texts))
		}
	})
}
