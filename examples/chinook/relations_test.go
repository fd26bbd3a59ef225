package main

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestInvoicesAreWrittenWithTheirLines: pia has the customers 1 and 2, and not customer 3. The lines 1
// and 2 are those of invoice 1, and line 6 is one of another's.
func TestInvoicesAreWrittenWithTheirLines(t *testing.T) {
	line := func(track, quantity int, price float64) body {
		return body{"track_id": track, "quantity": quantity, "unit_price": price}
	}
	kept := func(id int, line body) body { line["id"] = id; return line }
	invoice := func(lines ...body) body {
		lines = append([]body{}, lines...) // a list, and not null
		return body{"customer_id": 1, "invoice_date": "2026-05-05T10:00:00Z", "total": 4.75, "lines": lines}
	}
	const invoices, first = "/api/support/invoices/", "/api/support/invoices/1/"
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "an invoice with two lines", Method: "POST", Path: invoices, As: "pia", Body: invoice(line(5, 3, 0.89), line(9, 2, 1.04)), Status: 201,
				Contains: []string{`"lines":[{"id":16,"track":"Bark","unit_price":0.89,"quantity":3},{"id":17,"track":"Allegro","unit_price":1.04,"quantity":2}],"quantity":5`, `"amount":4.75`}},
			{Name: "an invoice without the list has no lines", Method: "POST", Path: invoices, As: "pia", Body: body{"customer_id": 1, "invoice_date": "2026-05-05T10:00:00Z", "total": 0}, Status: 201, Contains: []string{`"lines":[]`, `"amount":0.00`}},
			{Name: "the faults of all lines and of the invoice are in one answer", Method: "POST", Path: invoices, As: "pia",
				Body: body{"customer_id": 3, "invoice_date": "2026-05-05T10:00:00Z", "total": 1.111, "lines": []body{line(5, 0, 0.89), line(999, 1, 0.999), {}}}, Status: 400,
				Faults: map[string]string{"/customer_id": "invalid_reference", "/total": "format", "/lines/0/quantity": "min", "/lines/1/track_id": "invalid_reference", "/lines/1/unit_price": "format",
					"/lines/2/track_id": "required", "/lines/2/unit_price": "required", "/lines/2/quantity": "required"}},
			{Name: "a new invoice takes no line of another one", Method: "POST", Path: invoices, As: "pia", Body: invoice(kept(1, line(1, 1, 0.99))), Status: 400, Faults: map[string]string{"/lines/0/id": "invalid_reference"}},
			{Name: "a list that is no list", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": "none"}, Status: 400, Faults: map[string]string{"/lines": "type"}},
			{Name: "a list that is null", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": nil}, Status: 400, Faults: map[string]string{"/lines": "null"}},
			{Name: "too many lines", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": many(51, line(1, 1, 0.99))}, Status: 400, Faults: map[string]string{"/lines": "max"}},
			{Name: "one line twice", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": []body{kept(1, line(1, 1, 0.99)), kept(1, line(1, 1, 0.99))}}, Status: 400, Faults: map[string]string{"/lines/1/id": "unique"}},
			{Name: "a line of another's invoice is as one that does not exist", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": []body{kept(6, line(1, 1, 0.99)), kept(999, line(1, 1, 0.99))}}, Status: 400,
				Faults: map[string]string{"/lines/0/id": "invalid_reference", "/lines/1/id": "invalid_reference"}},
			{Name: "a line of another of the own invoices", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": []body{kept(3, line(1, 1, 0.99))}}, Status: 400, Faults: map[string]string{"/lines/0/id": "invalid_reference"}},
			{Name: "nothing of this changed the invoice", Path: first, As: "pia", Status: 200, Contains: []string{`"lines":[{"id":1,"track":"Dawn","unit_price":0.99,"quantity":2},{"id":2,"track":"Noon","unit_price":0.99,"quantity":1}]`, `"amount":2.97`}},
			{Name: "a change without the list leaves the lines", Method: "PATCH", Path: first, As: "pia", Body: body{"billing_city": "Bergen"}, Status: 200, Contains: []string{`"billing_city":"Bergen"`, `"lines":[{"id":1,`, `{"id":2,`}},
			{Name: "a list keeps a line, adds one and leaves one out", Method: "PATCH", Path: first, As: "pia", Body: body{"lines": []body{kept(2, line(2, 4, 0.99)), line(7, 1, 1.99)}}, Status: 200,
				Contains: []string{`"lines":[{"id":2,"track":"Noon","unit_price":0.99,"quantity":4},{"id":18,"track":"Dunes I","unit_price":1.99,"quantity":1}],"quantity":5`, `"amount":5.95`}, Lacks: []string{"Dawn"}},
			{Name: "the line that was left out is gone", Path: "/api/support/invoice-lines/1/", As: "mona", Status: 404, Code: "not_found"},
			{Name: "an invoice of another's customer", Method: "PATCH", Path: "/api/support/invoices/4/", As: "pia", Body: body{"lines": []body{}}, Status: 404, Code: "not_found"},
			{Name: "a customer writes no lines", Method: "PATCH", Path: first, As: "ada", Body: body{"lines": []body{}}, Status: 403, Code: "forbidden"},
			{Name: "nor does a visitor", Method: "PATCH", Path: first, Body: body{"lines": []body{}}, Status: 401, Code: "authentication_required"},
			{Name: "the lines of another's invoice stayed", Path: "/api/support/invoices/4/", As: "mona", Status: 200, Contains: []string{`"lines":[{"id":6,`}},
			{Name: "invoices by the amount of their lines", Path: invoices + "?amount_min=5.95&amount_max=5.95", As: "pia", Status: 200, Contains: []string{`"count":1`, `"id":1,`}},
			{Name: "invoices in the order of this amount", Path: invoices + "?ordering=-amount&page_size=1", As: "pia", Status: 200, Contains: []string{`"results":[{"id":1,`, `"amount":5.95`}},
			{Name: "a line has its amount", Path: "/api/support/invoice-lines/?ordering=-amount&page_size=1", As: "pia", Status: 200, Contains: []string{`"id":2,"track":"Noon","unit_price":0.99,"quantity":4,"invoice_id":1,"amount":3.96`}},
			{Name: "an amount that binary fractions do not have", Method: "POST", Path: "/api/support/invoice-lines/", As: "pia", Body: body{"invoice_id": 2, "track_id": 5, "unit_price": 1.1, "quantity": 3}, Status: 201, Contains: []string{`"amount":3.30`}},
			{Name: "lines by this amount", Path: "/api/support/invoice-lines/?amount_min=3.30&amount_max=3.30", As: "pia", Status: 200, Contains: []string{`"count":1`, `"amount":3.30`}},
			{Name: "invoices by the sum with it", Path: invoices + "?amount_min=7.28&amount_max=7.28", As: "pia", Status: 200, Contains: []string{`"count":1`, `"id":2,`}},
			{Name: "an invoice loses its lines", Method: "PUT", Path: first, As: "pia", Body: invoice(), Status: 200, Contains: []string{`"lines":[],"quantity":0`, `"amount":0.00`}},
			{Name: "and goes", Method: "DELETE", Path: first, As: "pia", Status: 204},
		})
	})
}

// many lists an item several times.
func many(times int, item body) []body {
	list := make([]body, times)
	for i := range list {
		list[i] = item
	}
	return list
}

func TestPlaylistsAreWrittenWithTheirTracks(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "a playlist with its tracks", Method: "POST", Path: "/api/playlists/", As: "pia", Body: body{"name": "Short", "tracks": []int{5, 1}}, Status: 201, Contains: []string{`"tracks":[{"id":5,"name":"Bark"`, `{"id":1,"name":"Dawn"`, `"track_count":2`}},
			{Name: "a track that does not exist, and one twice", Method: "POST", Path: "/api/playlists/", As: "pia", Body: body{"name": "Short", "tracks": []int{5, 999, 5}}, Status: 400, Faults: map[string]string{"/tracks/1": "invalid_reference", "/tracks": "unique"}},
			{Name: "a number that is too great, and a text", Method: "POST", Path: "/api/playlists/", As: "pia", Body: body{"name": "Short", "tracks": []any{99999999999, "five"}}, Status: 400, Faults: map[string]string{"/tracks/0": "range", "/tracks/1": "type"}},
			{Name: "a customer writes no playlist", Method: "PATCH", Path: "/api/playlists/1/", As: "ada", Body: body{"tracks": []int{}}, Status: 403, Code: "forbidden"},
			{Name: "another name leaves the tracks", Method: "PATCH", Path: "/api/playlists/1/", As: "pia", Body: body{"name": "Early"}, Status: 200, Contains: []string{`"name":"Early"`, `"track_count":4`}},
			{Name: "other tracks leave the name", Method: "PATCH", Path: "/api/playlists/1/", As: "pia", Body: body{"tracks": []int{2, 14}}, Status: 200, Contains: []string{`"name":"Early","tracks":[{"id":14,"name":"Interview"`, `{"id":2,"name":"Noon"`, `"track_count":2`}},
			{Name: "a track that left the playlist is still there", Path: "/api/tracks/4/", Status: 200, Contains: []string{`"playlists":[]`}},
			{Name: "a visitor adds no track", Method: "PUT", Path: "/api/playlists/1/tracks/5/", Status: 401, Code: "authentication_required"},
			{Name: "a customer adds no track", Method: "PUT", Path: "/api/playlists/1/tracks/5/", As: "ada", Status: 403, Code: "forbidden"},
			{Name: "an employee adds one track", Method: "PUT", Path: "/api/playlists/1/tracks/5/", As: "pia", Status: 204},
			{Name: "and again", Method: "PUT", Path: "/api/playlists/1/tracks/5/", As: "pia", Status: 204},
			{Name: "it is there once", Path: "/api/playlists/1/", Status: 200, Contains: []string{`"track_count":3`, "Bark"}},
			{Name: "a track that does not exist is not added", Method: "PUT", Path: "/api/playlists/1/tracks/999/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "nor is one whose number is too great", Method: "PUT", Path: "/api/playlists/1/tracks/99999999999/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "a playlist that does not exist", Method: "PUT", Path: "/api/playlists/99/tracks/5/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "a single track is not shown here", Path: "/api/playlists/1/tracks/5/", As: "pia", Status: 405, Code: "method_not_allowed"},
			{Name: "an employee removes one track", Method: "DELETE", Path: "/api/playlists/1/tracks/2/", As: "pia", Status: 204},
			{Name: "and again", Method: "DELETE", Path: "/api/playlists/1/tracks/2/", As: "pia", Status: 204},
			{Name: "the others stay", Path: "/api/playlists/1/", Status: 200, Contains: []string{`"track_count":2`, "Bark", "Interview"}, Lacks: []string{"Noon"}},
			{Name: "a playlist with tracks stays", Method: "DELETE", Path: "/api/playlists/1/", As: "pia", Status: 409, Code: "still_referenced"},
			{Name: "a replacement without the list takes all tracks", Method: "PUT", Path: "/api/playlists/1/", As: "pia", Body: body{"name": "Early"}, Status: 200, Contains: []string{`"tracks":[]`}},
			{Name: "and the playlist goes", Method: "DELETE", Path: "/api/playlists/1/", As: "pia", Status: 204},
		})
	})
}

func TestTracksBelowTheirAlbum(t *testing.T) {
	track := body{"name": "Night", "media_type_id": 1, "milliseconds": 1000, "unit_price": 0.99}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "the tracks of an album", Path: "/api/albums/1/tracks/?ordering=-milliseconds", Status: 200, Contains: []string{`"count":3`, `"results":[{"id":3,`}, Lacks: []string{"Dawn Again"}},
			{Name: "those of a playlist", Path: "/api/albums/1/tracks/?playlist=Evening", Status: 200, Contains: []string{`"count":2`, "Dawn", "Dusk"}},
			{Name: "an album without tracks", Path: "/api/albums/12/tracks/", Status: 200, Contains: []string{`"count":0`}},
			{Name: "an album that does not exist", Path: "/api/albums/99/tracks/", Status: 404, Code: "not_found"},
			{Name: "an album whose number is too great", Path: "/api/albums/99999999999/tracks/", Status: 404, Code: "not_found"},
			{Name: "one track", Path: "/api/albums/1/tracks/2/", Status: 200, Contains: []string{`"name":"Noon","album":{"id":1,`}},
			{Name: "a track of another album", Path: "/api/albums/2/tracks/2/", Status: 404, Code: "not_found"},
			{Name: "a track of no album", Path: "/api/albums/1/tracks/14/", Status: 404, Code: "not_found"},
			{Name: "a visitor adds no track", Method: "POST", Path: "/api/albums/12/tracks/", Body: track, Status: 401, Code: "authentication_required"},
			{Name: "a customer adds no track", Method: "POST", Path: "/api/albums/12/tracks/", As: "ada", Body: track, Status: 403, Code: "forbidden"},
			{Name: "an employee does", Method: "POST", Path: "/api/albums/12/tracks/", As: "pia", Body: track, Status: 201, Contains: []string{`"id":15,"name":"Night","album":{"id":12,"title":"Hover"}`}},
			{Name: "the body names no other album", Method: "PATCH", Path: "/api/albums/12/tracks/15/", As: "pia", Body: body{"album_id": 1, "milliseconds": 2000}, Status: 200, Contains: []string{`"album":{"id":12,`, `"milliseconds":2000`}, Answers: map[string]string{"Trestle-Ignored": "/album_id"}},
			{Name: "no track for an album that does not exist", Method: "POST", Path: "/api/albums/99/tracks/", As: "pia", Body: track, Status: 404, Code: "not_found"},
			{Name: "a track with a fault", Method: "POST", Path: "/api/albums/12/tracks/", As: "pia", Body: body{"name": "Night", "media_type_id": 9, "milliseconds": 1, "unit_price": 1}, Status: 400, Faults: map[string]string{"/media_type_id": "invalid_reference"}},
			{Name: "a replacement leaves the album", Method: "PUT", Path: "/api/albums/12/tracks/15/", As: "pia", Body: track, Status: 200, Contains: []string{`"album":{"id":12,`}},
			{Name: "a track of another album is not deleted", Method: "DELETE", Path: "/api/albums/12/tracks/2/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "a track is deleted", Method: "DELETE", Path: "/api/albums/12/tracks/15/", As: "pia", Status: 204},
			{Name: "it is gone among all tracks too", Path: "/api/tracks/15/", Status: 404, Code: "not_found"},
			{Name: "a track that was sold stays", Method: "DELETE", Path: "/api/albums/1/tracks/1/", As: "pia", Status: 409, Code: "still_referenced"},
		})
	})
}

func TestBirthDatesAreForTheGeneralManager(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "the general manager sees a birth date", Path: "/api/employees/3/", As: "mona", Status: 200, Contains: []string{`"birth_date":"1988-11-30T00:00:00Z"`}},
			{Name: "another employee does not", Path: "/api/employees/3/", As: "quin", Status: 200, Contains: []string{`"hire_date":"2014-05-05T00:00:00Z"`}, Lacks: []string{"birth_date", "1988"}},
			{Name: "not even the own", Path: "/api/employees/3/", As: "pia", Status: 200, Lacks: []string{"birth_date", "1988"}},
			{Name: "it is in the own profile", Path: "/api/profile/", As: "pia", Status: 200, Contains: []string{`"id":3,"last_name":"Cole"`, `"birth_date":"1988-11-30T00:00:00Z"`}},
			{Name: "a customer has no profile, not even that of the employee with the number", Path: "/api/profile/", As: "cleo", Status: 403, Code: "forbidden"},
			{Name: "nor in a list", Path: "/api/employees/", As: "pia", Status: 200, Contains: []string{`"count":6`}, Lacks: []string{"birth_date"}},
			{Name: "the general manager filters by it", Path: "/api/employees/?birth_date_after=1980-01-01T00:00:00Z", As: "mona", Status: 200, Contains: []string{`"count":2`}},
			{Name: "another employee does not filter by it", Path: "/api/employees/?birth_date_after=1980-01-01T00:00:00Z", As: "pia", Status: 403, Code: "forbidden"},
			{Name: "nor order by it", Path: "/api/employees/?ordering=birth_date", As: "pia", Status: 403, Code: "forbidden"},
			{Name: "the general manager writes it", Method: "PATCH", Path: "/api/employees/3/", As: "mona", Body: body{"birth_date": "1988-12-01T00:00:00Z"}, Status: 200, Contains: []string{`"birth_date":"1988-12-01T00:00:00Z"`}},
			{Name: "another employee does not write it", Method: "PATCH", Path: "/api/employees/3/", As: "pia", Body: body{"birth_date": "1990-01-01T00:00:00Z"}, Status: 403, Code: "forbidden"},
		})
	})
}

// TestWritesOfLists: the number of statements does not depend on the number of items.
func TestWritesOfLists(t *testing.T) {
	line := body{"track_id": 1, "unit_price": 0.99, "quantity": 1}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		counter := frameworktest.CountStatements(db)
		for _, c := range []struct {
			method, path string
			few, more    body
		}{
			{http.MethodPatch, "/api/support/invoices/1/", body{"lines": many(2, line)}, body{"lines": many(40, line)}},
			{http.MethodPut, "/api/playlists/1/", body{"name": "A", "tracks": []int{1, 3}}, body{"name": "A", "tracks": []int{2, 4, 5, 6, 7, 8, 9}}},
		} {
			write := func(b body) []string {
				return counter.During(func() { visitor.As("pia").Do(c.method, c.path, b).Expect(http.StatusOK) })
			}
			few, more := write(c.few), write(c.more)
			t.Logf("%s %s: %d statements", c.method, c.path, len(few))
			if len(few) != len(more) {
				t.Errorf("%s %s is %d statements with few items, and %d with more: %s", c.method, c.path, len(few), len(more), strings.Join(more, "\n"))
			}
		}
	})
}

// TestLargeSums: a sum of prices may have more digits than a price.
func TestLargeSums(t *testing.T) {
	const most, time = 99_999_999.99, "2026-05-05T10:00:00Z"
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		track := func(name string) body {
			return body{"name": name, "media_type_id": 1, "milliseconds": 1, "unit_price": most}
		}
		line := body{"track_id": 1, "quantity": 1000, "unit_price": 1000}
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "an invoice", Method: "POST", Path: "/api/support/invoices/", As: "pia", Status: 201, Contains: []string{`"amount":50000000.00`},
				Body: body{"customer_id": 1, "invoice_date": time, "total": most, "lines": many(50, line)}},
			{Name: "a line of it", Method: "POST", Path: "/api/support/invoice-lines/", As: "pia", Body: body{"invoice_id": 13, "track_id": 1, "quantity": 1000, "unit_price": 1000}, Status: 201, Contains: []string{`"amount":1000000.00`}},
			{Name: "too many units for too high a price", Method: "POST", Path: "/api/support/invoice-lines/", As: "pia", Body: body{"invoice_id": 13, "track_id": 1, "quantity": 1001, "unit_price": 1000.01}, Status: 400,
				Faults: map[string]string{"/quantity": "max", "/unit_price": "max"}},
			{Name: "a second invoice", Method: "POST", Path: "/api/support/invoices/", As: "pia", Body: body{"customer_id": 1, "invoice_date": time, "total": most}, Status: 201},
			{Name: "what the customer spent", Path: "/api/support/customers/?ordering=-spent&min_spent=200000000", As: "mona", Status: 200, Contains: []string{`"count":1`, `"spent":200000006.93`}},
			{Name: "a track", Method: "POST", Path: "/api/albums/12/tracks/", As: "mona", Body: track("One"), Status: 201},
			{Name: "a second track", Method: "POST", Path: "/api/albums/12/tracks/", As: "mona", Body: track("Two"), Status: 201},
			{Name: "the price of their album", Path: "/api/albums/?min_price=199999999.98&max_price=199999999.98", Status: 200, Contains: []string{`"count":1`, `"price":199999999.98`}},
		})
	})
}
