package totals_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestTotals: the totals of the visits of a caller.
func TestTotals(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		ada := apitest.As(c, "ada")
		for _, test := range []struct{ name, query, want string }{
			{"the number of rows", "", `[{"count":3}]`},
			{"for each value of a field, in order", "group=status", `[{"group":{"status":"booked"},"count":2},{"group":{"status":"draft"},"count":1}]`},
			{"null is the last group", "group=note", `[{"group":{"note":"a note"},"count":1},{"group":{"note":"another note"},"count":1},{"group":{"note":null},"count":1}]`},
			{"for several fields, in the order of the request", "group=seen,status", `[{"group":{"seen":false,"status":"booked"},"count":1},{"group":{"seen":false,"status":"draft"},"count":1},{"group":{"seen":true,"status":"booked"},"count":1}]`},
			{"sums of decimals as texts of their places, also beyond their digits", "sum=fee", `[{"count":3,"sum":{"fee":"1499.98"}}]`},
			{"sums of decimals of a numeric column", "sum=paid", `[{"count":3,"sum":{"paid":3.30}}]`},
			{"sums of numbers", "sum=minutes,points,rating", `[{"count":3,"sum":{"minutes":95,"points":0,"rating":3.5}}]`},
			{"sums of functions of related rows, and of related rows", "sum=replies,patient.age", `[{"count":3,"sum":{"replies":3,"patient.age":80}}]`},
			{"least values", "min=fee,paid,points,rating,day,starts_at", `[{"count":3,"min":{"fee":"-0.01","paid":0.00,"points":-7,"rating":1.5,"day":"2026-01-30","starts_at":"2026-01-31T11:00:00Z"}}]`},
			{"greatest values", "max=fee,paid,points,rating,day,starts_at,replies", `[{"count":3,"max":{"fee":"999.99","paid":2.20,"points":5,"rating":2,"day":"2026-01-31","starts_at":"2026-01-31T13:00:00Z","replies":3}}]`},
			{"all at once", "group=status&sum=points&min=points&max=points", `[{"group":{"status":"booked"},"count":2,"sum":{"points":-2},"min":{"points":-7},"max":{"points":5}},{"group":{"status":"draft"},"count":1,"sum":{"points":2},"min":{"points":2},"max":{"points":2}}]`},
			{"without values, sums are 0 and extremes null", "group=seen&sum=rating&min=rating&max=day&where=points = -7", `[{"group":{"seen":false},"count":1,"sum":{"rating":0},"min":{"rating":null},"max":{"day":null}}]`},
			{"groups by times and dates look as in views", "group=day,starts_at", `[{"group":{"day":"2026-01-30","starts_at":"2026-01-31T11:00:00Z"},"count":1},{"group":{"day":"2026-01-31","starts_at":"2026-01-31T12:00:00Z"},"count":1},{"group":{"day":null,"starts_at":"2026-01-31T13:00:00Z"},"count":1}]`},
			{"groups by numbers and decimals", "group=fee,paid,points,rating", `[{"group":{"fee":"-0.01","paid":0.00,"points":2,"rating":2},"count":1},{"group":{"fee":"500.00","paid":1.10,"points":5,"rating":1.5},"count":1},{"group":{"fee":"999.99","paid":2.20,"points":-7,"rating":null},"count":1}]`},
			{"groups by ids", "group=part", fmt.Sprintf(`[{"group":{"part":%q},"count":1},{"group":{"part":null},"count":2}]`, apitest.ID("part"))},
			{"groups by an expression with values", "group=length&sum=minutes", `[{"group":{"length":"long"},"count":2,"sum":{"minutes":75}},{"group":{"length":"short"},"count":1,"sum":{"minutes":20}}]`},
			{"groups by the day of a time", "group=date", `[{"group":{"date":"2026-01-31"},"count":3}]`},
			{"groups by a function of related rows", "group=replies", `[{"group":{"replies":0},"count":2},{"group":{"replies":3},"count":1}]`},
			{"groups by related rows: a hidden one is like a missing one", "group=patient.city", `[{"group":{"patient.city":"Pune"},"count":1},{"group":{"patient.city":null},"count":2}]`},
			{"of rows that a filter leaves", "status=draft&sum=points", `[{"count":1,"sum":{"points":2}}]`},
			{"of rows that a filter of related rows leaves", "city=Pune&group=patient.name", `[{"group":{"patient.name":"ann"},"count":1}]`},
			{"of rows that a search finds", "search=another", `[{"count":1}]`},
			{"of rows for which an expression is true", `where=points > 0 AND NOT patient.city = "Pune"&max=points`, `[{"count":1,"max":{"points":2}}]`},
			{"of no rows", "status=done&sum=fee&max=fee", `[{"count":0,"sum":{"fee":"0.00"},"max":{"fee":null}}]`},
			{"of no rows, in groups", "status=done&group=status", `[]`},
			{"a name that is there twice counts once", "group=seen,seen&min=points,fee,points", `[{"group":{"seen":false},"count":2,"min":{"points":-7,"fee":"-0.01"}},{"group":{"seen":true},"count":1,"min":{"points":5,"fee":"500.00"}}]`},
			{"spaces and empty names count as nothing", "group= status , &sum=", `[{"group":{"status":"booked"},"count":2},{"group":{"status":"draft"},"count":1}]`},
		} {
			t.Run(test.name, func(t *testing.T) {
				if got := rowsOf(totals(ada, test.query)); got != test.want {
					t.Errorf("%s has\n%s; want\n%s", test.query, got, test.want)
				}
			})
		}
	})
}

// TestScope: the rows of others do not count, in no total, unless the scope lets the caller see all rows.
func TestScope(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		for _, test := range []struct{ caller, query, want string }{
			{"ben", "group=status&sum=points,paid", `[{"group":{"status":"done"},"count":1,"sum":{"points":1000,"paid":1234567890.12}}]`},
			{"eve", "group=status&sum=points", `[]`},
			{"eve", "max=points", `[{"count":0,"max":{"points":null}}]`},
			{"staff", "group=status&sum=points", `[{"group":{"status":"booked"},"count":2,"sum":{"points":-2}},{"group":{"status":"done"},"count":1,"sum":{"points":1000}},{"group":{"status":"draft"},"count":1,"sum":{"points":2}}]`},
			{"staff", "group=patient.city", `[{"group":{"patient.city":"Goa"},"count":1},{"group":{"patient.city":"Pune"},"count":2},{"group":{"patient.city":null},"count":1}]`},
			{"staff", "group=patient.secret&city=Pune", `[{"group":{"patient.secret":"s1"},"count":2}]`},
			{"staff", "group=status&deleted=true&sum=points", `[{"group":{"status":"done"},"count":1,"sum":{"points":100}}]`},
		} {
			if got := rowsOf(totals(apitest.As(c, test.caller), test.query)); got != test.want {
				t.Errorf("%s has for %s\n%s; want\n%s", test.query, test.caller, got, test.want)
			}
		}
		if got := rowsOf(totals(c, "sum=points")); got != `[{"count":0,"sum":{"points":0}}]` {
			t.Errorf("a visitor has %s", got)
		}
	})
}

// TestRejections: a wrong request is rejected with the parameter, and with what would be right.
func TestRejections(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Visit]) { v.Totals.MaxGroups = 2 })...)
		few(t, db)
		ada := apitest.As(c, "ada")
		for _, test := range []struct{ name, query, parameter, want string }{
			{"an unknown field", "group=statsu", "group", `cannot be \"statsu\"; it must be one of status, fee`},
			{"the nearest name", "group=statsu", "group", `did you mean status?`},
			{"a field of another parameter", "sum=status", "sum", `cannot be \"status\"; it must be one of fee, paid`},
			{"a field that is not listed", "max=id", "max", `cannot be \"id\"`},
			{"a parameter twice", "group=status&group=seen", "group", `is given more than once`},
			{"SQL", "group=status) --", "group", `cannot be \"status) --\"`},
			{"a wrong filter", "min_points=x", "min_points", `must be a whole number`},
			{"a wrong expression", "where=points", "where", `character`},
			{"more groups than the limit", "group=points", "group", `makes more than 2 groups; group by fewer fields, or narrow the list by its filters`},
		} {
			t.Run(test.name, func(t *testing.T) {
				totals(ada, test.query).Expect(http.StatusBadRequest).Code("invalid_parameter").Fault(test.parameter, "invalid_parameter").Contains(test.want)
			})
		}
		totals(ada, "group=x&sum=y&min_points=z&where=q").Expect(http.StatusBadRequest).
			Fault("group", "invalid_parameter").Fault("sum", "invalid_parameter").Fault("min_points", "invalid_parameter").Fault("where", "invalid_parameter")
		totals(ada, "group=status&ordering=points&page=2").Expect(http.StatusOK).Header("Trestle-Ignored", "ordering, page")
		totals(ada, "group=status&deleted=true").Expect(http.StatusForbidden).Fault("deleted", "forbidden")
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			ada.Do(method, "/api/visits/totals/", nil).Expect(http.StatusMethodNotAllowed)
		}
	})
}

// TestHiddenFields: a caller who does not see a field cannot group by it or have totals of it.
func TestHiddenFields(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Visit]) {
			v.Fields = []framework.FieldRule{framework.Sees("points", framework.Staff())}
		})...)
		few(t, db)
		ada := apitest.As(c, "ada")
		for query, parameter := range map[string]string{
			"group=patient.secret": "group", "group=status, points": "group", "sum=points": "sum", "min=fee,points": "min", "max=points": "max", "min_points=5": "min_points",
			"group=patient.secret&sum=nothing": "group", "where=points > 5": "where",
		} {
			totals(ada, query).Expect(http.StatusForbidden).Code("forbidden").Fault(parameter, "forbidden").Contains("needs a permission to see")
			totals(c, query).Expect(http.StatusUnauthorized)
			if query != "group=patient.secret&sum=nothing" {
				totals(apitest.As(c, "staff"), query).Expect(http.StatusOK)
			}
		}
		totals(ada, "group=status&sum=fee").Expect(http.StatusOK)
	})
}

// TestPermissions: the totals have the permission of the list, or one of their own.
func TestPermissions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		list := func(p framework.Permission) func(*framework.ViewSet[Visit]) {
			return func(v *framework.ViewSet[Visit]) { v.Verbs.List = framework.Shows[visitView]().Permit(p) }
		}
		for _, test := range []struct {
			name          string
			change        func(*framework.ViewSet[Visit])
			visitor, user int
		}{
			{"that of the viewset", func(v *framework.ViewSet[Visit]) { v.Permission = framework.Authenticated() }, http.StatusUnauthorized, http.StatusOK},
			{"that of the list", list(framework.Staff()), http.StatusUnauthorized, http.StatusForbidden},
			{"one of its own", func(v *framework.ViewSet[Visit]) {
				list(framework.Staff())(v)
				v.Totals.Permission = framework.Authenticated()
			}, http.StatusUnauthorized, http.StatusOK},
		} {
			t.Run(test.name, func(t *testing.T) {
				_, c := apitest.Serve(t, apitest.Config(db), with(test.change)...)
				totals(c, "").Expect(test.visitor)
				totals(apitest.As(c, "ada"), "").Expect(test.user)
				totals(apitest.As(c, "staff"), "").Expect(http.StatusOK)
			})
		}
	})
}

// TestRulesOfTheList: the totals have the filters, the authentication and the middleware of the verb List.
func TestRulesOfTheList(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		mark := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Add("X-Passed", "list")
				next.ServeHTTP(w, r)
			})
		}
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Visit]) {
			computed := framework.Computes(func(_ *framework.Call, one *Visit) (visitView, error) { return visitView{ID: one.ID}, nil })
			v.Verbs = framework.Verbs{List: computed.Filter(filter.Exact("seen")).Wrap(mark).Sends(framework.Header{Name: "X-Passed"})}
			v.Totals = framework.Totals{By: []string{"status"}}
			v.SoftDelete, v.Scope = framework.SoftDelete{}, framework.Public()
		})...)
		few(t, db)
		r := totals(c, "seen=true&status=draft&group=status").Expect(http.StatusOK).Header("X-Passed", "list").Header("Trestle-Ignored", "status")
		if got, want := rowsOf(r), `[{"group":{"status":"booked"},"count":1}]`; got != want {
			t.Errorf("the totals are %s; want %s", got, want)
		}
	})
}

// TestBelowRows: totals of rows below another row count its rows alone, and there are none below a row that the caller does not see.
func TestBelowRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		ada := apitest.As(c, "ada")
		for path, want := range map[string]string{
			"1/remarks/totals/?group=stars&sum=stars": `[{"group":{"stars":3},"count":2,"sum":{"stars":6}},{"group":{"stars":null},"count":1,"sum":{"stars":0}}]`,
			"2/remarks/totals/?sum=stars":             `[{"count":0,"sum":{"stars":0}}]`,
		} {
			if got := rowsOf(ada.Get("/api/visits/" + path)); got != want {
				t.Errorf("%s has %s; want %s", path, got, want)
			}
		}
		for _, id := range []string{"4", "5", "99"} { // deleted, of ben, missing
			ada.Get("/api/visits/" + id + "/remarks/totals/?sum=stars").Expect(http.StatusNotFound)
		}
	})
}

// TestLargeSums: a sum is exact up to the range of its type, whatever the order of the rows, and an error beyond it.
func TestLargeSums(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		id := int64(0)
		store := func(points ...int64) {
			for _, p := range points {
				id++
				apitest.Insert(t, db, &Visit{ID: id, OwnerID: apitest.ID("ada"), Status: "done", Points: p, Rating: new(math.MaxFloat64 / 1.5), StartsAt: noon})
			}
		}
		ada := apitest.As(c, "ada")
		store(math.MaxInt64)
		if got := rowsOf(totals(ada, "sum=points&min=points")); got != `[{"count":1,"sum":{"points":9223372036854775807},"min":{"points":9223372036854775807}}]` {
			t.Errorf("one number has the sum %s", got)
		}
		store(1)
		totals(ada, "sum=points").Expect(http.StatusBadRequest).Fault("sum", "invalid_parameter").Contains(`the sum of \"points\" is beyond the range of its numbers; narrow the list by its filters`)
		totals(ada, "sum=fee,rating").Expect(http.StatusBadRequest).Fault("sum", "invalid_parameter").Contains("is beyond the range of its numbers")
		store(-5, math.MinInt64)
		if got := rowsOf(totals(ada, "sum=points")); got != `[{"count":4,"sum":{"points":-5}}]` {
			t.Errorf("numbers whose sum is beyond the range on the way have the sum %s", got)
		}
		store(math.MinInt64 + 5)
		if got := rowsOf(totals(ada, "sum=points")); got != `[{"count":5,"sum":{"points":-9223372036854775808}}]` {
			t.Errorf("the least sum is %s", got)
		}
		store(-1)
		totals(ada, "sum=points").Expect(http.StatusBadRequest)
	})
}

// TestOneStatement: totals are one statement, in which each name and each value is a parameter or declared.
func TestOneStatement(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		few(t, db)
		read := n.During(func() {
			totals(apitest.As(c, "ada"), `group=status,patient.city,length&sum=fee,replies&max=day&city=Sec'ret&where=patient.city = "Sec'ret2"&search=Sec'ret3`).Expect(http.StatusOK)
		})
		if len(read) != 1 || strings.Contains(strings.ToLower(strings.Join(read, "")), "sec'") {
			t.Errorf("the statements are %s", strings.Join(read, "\n"))
		}
	})
}

// TestSettings: the parameter of the groups may have another name, and the members of lists and the viewset's Wrap do not matter.
func TestSettings(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		config := apitest.Config(db)
		_, c := apitest.Serve(t, config, with(func(v *framework.ViewSet[Visit]) {
			v.Totals.Param, v.Wrap, v.WrapList, v.Strict, v.Slash = "by", "visit", "visits", framework.Strict, framework.WithoutSlash
		})...)
		few(t, db)
		ada := apitest.As(c, "ada")
		ada.Get("/api/visits/totals?by=seen").Expect(http.StatusOK).Contains(`{"totals":[{"group":{"seen":false},"count":2},{"group":{"seen":true},"count":1}]}`)
		ada.Get("/api/visits/totals?group=seen").Expect(http.StatusBadRequest).Fault("group", "invalid_parameter").Contains("is not known here")
		ada.Get("/api/visits/totals?ordering=id").Expect(http.StatusBadRequest).Fault("ordering", "invalid_parameter")
	})
}

// byNote is a search that finds visits by their whole notes, and ranks them by their points. Instead of what finds nothing, it finds
// the visits with "a note".
type byNote struct{}

func (byNote) Bind(*framework.Facts) (framework.BoundRanker, error) {
	rows := func(note string) schema.QueryAppender {
		return bun.SafeQuery(`SELECT id AS "key", points AS "rank" FROM visits AS found WHERE note = ?`, sqldb.Param(note))
	}
	return framework.BoundRanker{Param: framework.Param{Name: "q"}, Read: func(_ *framework.Call, text string) (*framework.Ranking, error) {
		return &framework.Ranking{Rows: rows(text), Instead: func(*framework.Call) (*framework.Ranking, error) {
			return &framework.Ranking{Rows: rows("a note")}, nil
		}}, nil
	}}, nil
}

// TestRankedSearch: the rows that a ranked search finds count, or those of its alternative if it finds none.
func TestRankedSearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), with(func(v *framework.ViewSet[Visit]) { v.Ranked = byNote{} })...)
		few(t, db)
		for _, test := range []struct{ caller, query, want string }{
			{"ada", "q=another note&sum=points&group=patient.city", `[{"group":{"patient.city":null},"count":1,"sum":{"points":2}}]`},
			{"ada", "q=missing&sum=points&group=patient.city", `[{"group":{"patient.city":"Pune"},"count":1,"sum":{"points":5}}]`},
			{"ada", "q=another note&status=booked&sum=points", `[{"count":1,"sum":{"points":5}}]`},
			{"ben", "q=another note&sum=points", `[{"count":0,"sum":{"points":0}}]`},
		} {
			if got := rowsOf(totals(apitest.As(c, test.caller), test.query)); got != test.want {
				t.Errorf("%s has for %s\n%s; want\n%s", test.query, test.caller, got, test.want)
			}
		}
	})
}

// TestCamelCase: names in requests and answers are those of clients.
func TestCamelCase(t *testing.T) {
	type view struct {
		StartsAt  time.Time
		PatientID *int64
		Points    int64
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		config := apitest.Config(db)
		config.Case = framework.CamelCase
		_, c := apitest.Serve(t, config, framework.ViewSet[Visit]{
			Name: "visits", Verbs: framework.Verbs{List: framework.Shows[view]()}, Scope: framework.Public(),
			Totals: framework.Totals{By: []string{"patientId"}, Sum: []string{"points"}, Max: []string{"startsAt"}},
		})
		few(t, db)
		want := `{"group":{"patientId":3},"count":1,"sum":{"points":2},"max":{"startsAt":"2026-01-31T11:00:00Z"}}`
		totals(c, "group=patientId&sum=points&max=startsAt").Expect(http.StatusOK).Contains(want)
	})
}

// TestTimesInOtherZones: times of groups are in UTC.
func TestTimesInOtherZones(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), resources()...)
		for i, zone := range []*time.Location{time.UTC, time.FixedZone("", 5*3600+1800)} {
			apitest.Insert(t, db, &Visit{ID: int64(i), OwnerID: apitest.ID("ada"), Status: "done", StartsAt: noon.In(zone)})
		}
		want := `[{"group":{"starts_at":"2026-01-31T12:00:00Z"},"count":2,"min":{"starts_at":"2026-01-31T12:00:00Z"}}]`
		if got := rowsOf(totals(apitest.As(c, "ada"), "group=starts_at&min=starts_at")); got != want {
			t.Errorf("the totals are %s; want %s", got, want)
		}
	})
}

// FuzzTotals: no parameter makes the server fail, and each answer is totals or says which parameter is wrong.
func FuzzTotals(f *testing.F) {
	for _, names := range [][2]string{{"status", "fee"}, {"status,patient.city", "paid,points"}, {"patient.secret", ""}, {"x", "status"}, {"status,status", ","}, {`"`, "\x00"}, {"-status", "count(remarks)"}, {"'; --", "%"}} {
		f.Add(names[0], names[1])
	}
	db, err := sqldb.Open("sqlite://"+f.TempDir()+"/clinic.db", sqldb.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(f.Context(), nil, clinic); err != nil {
		f.Fatal(err)
	}
	_, c := apitest.Serve(f, apitest.Config(db), resources()...)
	ada := apitest.As(c, "ada")
	f.Fuzz(func(t *testing.T, group, sum string) {
		query := url.Values{"group": {group}, "sum": {sum}, "max": {sum}}
		r := ada.On(t).Get("/api/visits/totals/?" + query.Encode())
		switch r.Status() {
		case http.StatusOK:
			r.Contains(`{"totals":[`)
		case http.StatusBadRequest:
			r.Code("invalid_parameter")
		case http.StatusForbidden:
			r.Contains("needs a permission to see")
		case http.StatusRequestURITooLong:
			r.Code("uri_too_long")
		default:
			t.Errorf("%q and %q are answered %d: %s", group, sum, r.Status(), r.Body())
		}
	})
}
