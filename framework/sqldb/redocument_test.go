package sqldb

import (
	"testing"

	"github.com/uptrace/bun"
)

func TestRedocumentKeepsThePartsThatStay(t *testing.T) {
	text := func(s string) *string { return &s }
	cases := map[string]struct {
		parts []*string
		want  string
	}{
		"none changes":         {[]*string{nil, nil, nil}, Document("Ann", "555", "Pune")},
		"the first changes":    {[]*string{text("Éva"), nil, nil}, Document("Éva", "555", "Pune")},
		"the middle changes":   {[]*string{nil, text(`% '"\ ?1`), nil}, Document("Ann", `% '"\ ?1`, "Pune")},
		"the last is emptied":  {[]*string{nil, nil, text("")}, Document("Ann", "555", "")},
		"all change":           {[]*string{text("A"), text("B"), text("C")}, Document("A", "B", "C")},
		"one more than stored": {[]*string{nil, nil, nil, nil}, Document("Ann", "555", "Pune", "")},
		"a separator is space": {[]*string{text("a\x1fb"), nil, nil}, Document("a b", "555", "Pune")},
	}
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, searched)
		s := db.Session()
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				run(t, s, "DELETE FROM patients")
				run(t, s, "INSERT INTO patients (id, n, search) VALUES (?, 1, ?)", "00000000-0000-7000-8000-"+pad(1), Document("Ann", "555", "Pune"))
				run(t, s, "UPDATE patients SET ? = ?", bun.Ident("search"), db.Kind().Redocument("search", c.parts))
				var got string
				if err := db.NewSelect().Table("patients").Column("search").Scan(t.Context(), &got); err != nil {
					t.Fatal(err)
				}
				if got != c.want {
					t.Errorf("the document is %q, not %q", got, c.want)
				}
			})
		}
	})
}
