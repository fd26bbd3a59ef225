package filter_test

import (
	neturl "net/url"
	"slices"
	"testing"

	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

func TestContains(t *testing.T) {
	rooms := []string{"Straße 7", "STRASSE 8", "100% cotton", "100 cotton", "a_b", "axb", `back\slash`, "Crème Brûlée", "Cre\u0300me", "Ωμέγα", "it's", ""}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		var rows []appointment
		for i, room := range rooms {
			rows = append(rows, appointment{ID: int64(100 + i), DoctorID: seen, Status: "booked", Notes: []byte(`{}`), Room: room})
		}
		insert(t, db, &rows)
		handler, err := clinic(db, filter.Contains("room"), filter.Contains("state", "status")).Handler()
		if err != nil {
			t.Fatal(err)
		}
		client := frameworktest.New(t, handler)
		for name, test := range map[string]struct {
			term string
			want []string
		}{
			"in any case":                                {"COTTON", []string{"100% cotton", "100 cotton"}},
			"by Unicode's folding":                       {"straSSe", []string{"Straße 7", "STRASSE 8"}},
			"letters beyond Latin":                       {"ΜΈΓ", []string{"Ωμέγα"}},
			"an accent, however it is encoded":           {"crème", []string{"Crème Brûlée", "Cre\u0300me"}},
			"a percent sign is itself":                   {"0%", []string{"100% cotton"}},
			"an underscore is itself":                    {"a_B", []string{"a_b"}},
			"a backslash is itself":                      {`K\s`, []string{`back\slash`}},
			"a quote is itself":                          {"t's", []string{"it's"}},
			"a question mark is not a placeholder":       {"?0", nil},
			"no row contains it, and null never matches": {"nowhere", nil},
		} {
			t.Run(name, func(t *testing.T) {
				var page []struct{ Room string }
				client.On(t).Get("/api/appointments/?room=" + neturl.QueryEscape(test.term)).Expect(200).JSON(&page)
				var got []string
				for _, row := range page {
					got = append(got, row.Room)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("%q keeps %q; want %q", test.term, got, test.want)
				}
			})
		}
		client.Get("/api/appointments/?state=OOK&room=cotton").Expect(200).Contains(`"id":102`, `"id":103`)
	})
}
