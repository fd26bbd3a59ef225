package main

import (
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/sqldb"
)

// serve is an anonymous client of the API on a database with rows and tokens. Each answer is
// compared with the API's own document.
func serve(t *testing.T, db *sqldb.DB) (*frameworktest.Client, *contract.Contract) {
	t.Helper()
	rows := sqldb.Migrations{Namespace: "rows", FS: os.DirFS("testdata")}
	if err := db.Migrate(t.Context(), nil, tables(), rows); err != nil {
		t.Fatal(err)
	}
	accessTokens := tokens()
	if _, err := db.NewInsert().Model(&accessTokens).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	api := chinook(db, slog.New(slog.DiscardHandler))
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	missing, err := api.MissingColumns(t.Context())
	if err != nil || len(missing) > 0 {
		t.Fatal(missing, err)
	}
	var book contract.Book
	promised := book.Of(t, "", api)
	return frameworktest.New(t, promised.Wrap(t, handler)), promised
}

// tokens are those of two customers and of four employees. Customer 3 is not employee 3.
func tokens() []AccessToken {
	id := func(id int32) *int32 { return &id }
	return []AccessToken{
		{Digest: digest("ada"), CustomerID: id(1)},
		{Digest: digest("cleo"), CustomerID: id(3)},
		{Digest: digest("mona"), EmployeeID: id(1)},
		{Digest: digest("otto"), EmployeeID: id(2)},
		{Digest: digest("pia"), EmployeeID: id(3)},
		{Digest: digest("quin"), EmployeeID: id(4)},
	}
}

// body is a JSON object of a request.
type body = map[string]any

func TestTheCatalogue(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "the artists with their albums", Path: "/api/artists/?page_size=2", Status: 200,
				Contains: []string{`"count":12`, `{"id":1,"name":"Amber Falls","albums":[{"id":1,"title":"First Light"},{"id":2,"title":"Second Light"}],"album_count":2}`}, Lacks: []string{"Copper"}},
			{Name: "artists by a genre of a track of an album", Path: "/api/artists/?genre=Choral", Status: 200, Contains: []string{`"count":1`, "Dune Choir"}},
			{Name: "artists by the number of albums", Path: "/api/artists/?min_albums=2", Status: 200, Contains: []string{`"count":1`, "Amber Falls"}},
			{Name: "artists by the title of an album, in another case", Path: "/api/artists/?search=MARKET", Status: 200, Contains: []string{`"count":1`, "Copper Lanterns"}},
			{Name: "a number that is none", Path: "/api/artists/?min_albums=two", Status: 400, Code: "invalid_parameter", Faults: map[string]string{"min_albums": "invalid_parameter"}},
			{Name: "an album with its tracks, and what they come to", Path: "/api/albums/1/", Status: 200,
				Contains: []string{`"artist":{"id":1,"name":"Amber Falls"}`, `{"id":3,"name":"Dusk","milliseconds":305000,"unit_price":1.29}`, `"track_count":3,"milliseconds":728000,"price":3.27`}},
			{Name: "an album without tracks costs nothing", Path: "/api/albums/12/", Status: 200, Contains: []string{`"tracks":[],"track_count":0,"milliseconds":0,"price":0.00`}},
			{Name: "albums by the sum of the prices", Path: "/api/albums/?min_price=3.27&max_price=3.98&ordering=-price", Status: 200, Contains: []string{`"count":2`, `"results":[{"id":5,"title":"Sand"`}},
			{Name: "albums by a sum that is just too much", Path: "/api/albums/?min_price=3.98&max_price=3.98", Status: 200, Contains: []string{`"count":1`, `"title":"Sand"`}},
			{Name: "albums by their artist", Path: "/api/albums/?artist_id=1&ordering=-title", Status: 200, Contains: []string{`"count":2`, `"results":[{"id":2,`}},
			{Name: "albums in the order of their artists", Path: "/api/albums/?ordering=-artist.name&page_size=1", Status: 200, Contains: []string{"Hover"}},
			{Name: "an artist with a number that no key has", Path: "/api/albums/?artist_id=9999", Status: 200, Contains: []string{`"count":0`}},
			{Name: "an artist with a number that no key can have", Path: "/api/albums/?artist_id=99999999999", Status: 400, Code: "invalid_parameter"},
			{Name: "a track with the artist, the genre and the playlists", Path: "/api/tracks/1/", Status: 200,
				Contains: []string{`"album":{"id":1,"title":"First Light"},"artist":"Amber Falls","genre":"Rock","media_type":"MPEG audio"`, `"unit_price":0.99,"playlists":["Evening","Morning"]`}},
			{Name: "a track that belongs to nothing", Path: "/api/tracks/14/", Status: 200, Contains: []string{`"album":null,"artist":null,"genre":null`, `"bytes":null`}},
			{Name: "tracks by their artist, two steps away, the longest first", Path: "/api/tracks/?artist=Dune+Choir&ordering=-milliseconds", Status: 200, Contains: []string{`"count":2`, `"results":[{"id":8,`}},
			{Name: "tracks by a genre", Path: "/api/tracks/?genre=Folk", Status: 200, Contains: []string{`"count":1`, "Bark"}},
			{Name: "tracks by a genre and a playlist", Path: "/api/tracks/?genre=Rock&playlist=Evening", Status: 200, Contains: []string{`"count":2`, "Dawn", "Dusk"}, Lacks: []string{"Noon"}},
			{Name: "tracks that are not in a playlist", Path: "/api/tracks/?genre=Rock&not_in_playlist=Evening", Status: 200, Contains: []string{`"count":1`, "Noon"}},
			{Name: "tracks by two media types", Path: "/api/tracks/?media_type=AAC+audio,MPEG+video", Status: 200, Contains: []string{`"count":3`, "Bark", "Lantern Street", "Interview"}},
			{Name: "tracks by a price", Path: "/api/tracks/?min_price=1.10&max_price=1.49", Status: 200, Contains: []string{`"count":2`, "Dusk", "Allegro"}},
			{Name: "a price with three places", Path: "/api/tracks/?min_price=1.105", Status: 400, Code: "invalid_parameter"},
			{Name: "a price that is none", Path: "/api/tracks/?max_price=cheap", Status: 400, Code: "invalid_parameter"},
			{Name: "tracks by their length", Path: "/api/tracks/?milliseconds_min=600000&milliseconds_max=640000", Status: 200, Contains: []string{`"count":2`, "Dunes I", "Dunes II"}},
			{Name: "tracks by the title of the album and a word of their own", Path: "/api/tracks/?search=sand+ii", Status: 200, Contains: []string{`"count":1`, "Dunes II"}},
			{Name: "tracks without an album", Path: "/api/tracks/?no_album=true", Status: 200, Contains: []string{`"count":1`, "Interview"}},
			{Name: "tracks in the order of their artists; one without an artist comes last", Path: "/api/tracks/?ordering=-album.artist.name&page=1&page_size=2", Status: 200, Contains: []string{`"results":[{"id":13,`, `{"id":12,`}, Lacks: []string{"Interview"}},
			{Name: "tracks in an order that is not offered", Path: "/api/tracks/?ordering=bytes", Status: 200, Answers: map[string]string{"Trestle-Ignored": "ordering=bytes"}},
			{Name: "a misspelt filter", Path: "/api/tracks/?genr=Rock", Status: 200, Answers: map[string]string{"Trestle-Ignored": "genr; did you mean genre?"}},
			{Name: "a track that does not exist", Path: "/api/tracks/9999/", Status: 404, Code: "not_found"},
			{Name: "a track whose number is too great for the column", Path: "/api/tracks/99999999999/", Status: 404, Code: "not_found"},
			{Name: "a page that does not exist", Path: "/api/tracks/?page=9", Status: 404, Code: "not_found"},
			{Name: "a playlist with its tracks", Path: "/api/playlists/3/", Status: 200,
				Contains: []string{`{"id":3,"name":"Long","tracks":[{"id":9,"name":"Allegro"`, `"track_count":4,"milliseconds":2650000`}},
			{Name: "playlists by the artist of a track, three steps away", Path: "/api/playlists/?artist=Birch+and+Bone", Status: 200, Contains: []string{`"count":1`, "Morning"}},
			{Name: "playlists by the number of tracks", Path: "/api/playlists/?ordering=track_count&page_size=1", Status: 200, Contains: []string{"Empty"}},
			{Name: "the genres", Path: "/api/genres/?page_size=1", Status: 200, Contains: []string{`"results":[{"id":7,"name":"Ambient"}]`}},
			{Name: "the media types", Path: "/api/media-types/", Status: 200, Contains: []string{`"count":4`}},
		})
	})
}

func TestTheCatalogueIsWrittenByEmployees(t *testing.T) {
	track := func(changes body) body {
		b := body{"name": "Night", "album_id": 1, "media_type_id": 1, "genre_id": 1, "milliseconds": 1000, "unit_price": 0.99}
		for name, value := range changes {
			b[name] = value
		}
		return b
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "a visitor writes nothing", Method: "POST", Path: "/api/artists/", Body: body{"name": "Mine"}, Status: 401, Code: "authentication_required"},
			{Name: "a customer writes nothing", Method: "POST", Path: "/api/artists/", As: "ada", Body: body{"name": "Mine"}, Status: 403, Code: "forbidden"},
			{Name: "a customer deletes nothing", Method: "DELETE", Path: "/api/artists/12/", As: "ada", Status: 403, Code: "forbidden"},
			{Name: "an unknown token", Path: "/api/artists/", As: "nobody", Status: 401, Code: "invalid_token"},
			{Name: "an employee writes an artist", Method: "POST", Path: "/api/artists/", As: "pia", Body: body{"name": "  Midnight Bus "}, Status: 201, Contains: []string{`{"id":13,"name":"Midnight Bus","albums":[],"album_count":0}`}, Answers: map[string]string{}},
			{Name: "an artist has a name", Method: "POST", Path: "/api/artists/", As: "pia", Body: body{"name": nil}, Status: 400, Faults: map[string]string{"/name": "null"}},
			{Name: "a name fits into its column", Method: "POST", Path: "/api/artists/", As: "pia", Body: body{"name": strings.Repeat("x", 121)}, Status: 400, Faults: map[string]string{"/name": "max"}},
			{Name: "an album of an artist", Method: "POST", Path: "/api/albums/", As: "pia", Body: body{"title": "Line 13", "artist_id": 13}, Status: 201, Contains: []string{`"artist":{"id":13,"name":"Midnight Bus"}`}},
			{Name: "an album of no artist", Method: "POST", Path: "/api/albums/", As: "pia", Body: body{"title": "Line 13", "artist_id": 9999}, Status: 400, Faults: map[string]string{"/artist_id": "invalid_reference"}},
			{Name: "an album of an artist whose number is too great", Method: "POST", Path: "/api/albums/", As: "pia", Body: body{"title": "Line 13", "artist_id": 99999999999}, Status: 400, Faults: map[string]string{"/artist_id": "range"}},
			{Name: "an artist with albums stays", Method: "DELETE", Path: "/api/artists/1/", As: "pia", Status: 409, Code: "still_referenced"},
			{Name: "an artist without albums goes", Method: "DELETE", Path: "/api/artists/12/", As: "pia", Status: 204},
			{Name: "a track", Method: "POST", Path: "/api/tracks/", As: "pia", Body: track(nil), Status: 201, Contains: []string{`"artist":"Amber Falls"`, `"unit_price":0.99,"playlists":[]`}},
			{Name: "its price is in the sum of the album", Path: "/api/albums/1/", Status: 200, Contains: []string{`"price":4.26`}},
			{Name: "a track of no album", Method: "POST", Path: "/api/tracks/", As: "pia", Body: track(body{"album_id": nil}), Status: 201, Contains: []string{`"album":null`}},
			{Name: "a track with faults", Method: "POST", Path: "/api/tracks/", As: "pia", Body: track(body{"name": " ", "media_type_id": 99, "unit_price": 0.999, "milliseconds": 0}), Status: 400,
				Faults: map[string]string{"/name": "required", "/unit_price": "format", "/media_type_id": "invalid_reference", "/milliseconds": "min"}},
			{Name: "a price that is too great for the column", Method: "PATCH", Path: "/api/tracks/2/", As: "pia", Body: body{"unit_price": 100000000}, Status: 400, Faults: map[string]string{"/unit_price": "range"}},
			{Name: "a price as text", Method: "PATCH", Path: "/api/tracks/2/", As: "pia", Body: body{"unit_price": "1.09"}, Status: 400, Faults: map[string]string{"/unit_price": "type"}},
			{Name: "a new price", Method: "PATCH", Path: "/api/tracks/2/", As: "pia", Body: body{"unit_price": 1.1}, Status: 200, Contains: []string{`"name":"Noon"`, `"unit_price":1.10`}},
			{Name: "a replacement without an album takes the track out of it", Method: "PUT", Path: "/api/tracks/2/", As: "pia", Body: body{"name": "Noon", "media_type_id": 1, "milliseconds": 1, "unit_price": 1}, Status: 200, Contains: []string{`"album":null`, `"composer":null`}},
			{Name: "a genre with tracks stays", Method: "DELETE", Path: "/api/genres/1/", As: "pia", Status: 409, Code: "still_referenced"},
			{Name: "a playlist", Method: "POST", Path: "/api/playlists/", As: "pia", Body: body{"name": "Noon"}, Status: 201, Contains: []string{`"tracks":[]`}},
		})
	})
}

func TestTheSales(t *testing.T) {
	customer := body{"first_name": "New", "last_name": "One", "email": "new@mail.example"}
	invoice := func(customer int) body {
		return body{"customer_id": customer, "invoice_date": "2026-05-05T10:00:00+02:00", "total": 1.5}
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		frameworktest.Run(t, visitor, []frameworktest.Scenario{
			{Name: "an employee with the manager and the reports", Path: "/api/employees/2/", As: "pia", Status: 200,
				Contains: []string{`"manager":{"id":1,"first_name":"Mona","last_name":"Adler"},"reports":[{"id":3,"first_name":"Pia","last_name":"Cole"},{"id":4,`}},
			{Name: "the general manager reports to no one", Path: "/api/employees/?top=true", As: "pia", Status: 200, Contains: []string{`"count":1`, `"last_name":"Adler"`, `"manager":null`}},
			{Name: "employees by their manager", Path: "/api/employees/?manager=Brandt&ordering=-hire_date", As: "pia", Status: 200, Contains: []string{`"count":3`, `"results":[{"id":5,`}},
			{Name: "employees by one of their reports", Path: "/api/employees/?manages=Drury", As: "pia", Status: 200, Contains: []string{`"count":1`, "Brandt"}},
			{Name: "employees are nothing for customers", Path: "/api/employees/", As: "ada", Status: 403, Code: "forbidden"},
			{Name: "employees are nothing for visitors", Path: "/api/employees/1/", Status: 401, Code: "authentication_required"},
			{Name: "an employee counts the own customers", Path: "/api/employees/3/", As: "pia", Status: 200, Contains: []string{`"customer_count":4`}},
			{Name: "and none of another", Path: "/api/employees/3/", As: "quin", Status: 200, Contains: []string{`"customer_count":0`}},
			{Name: "a support representative writes no employee", Method: "PATCH", Path: "/api/employees/3/", As: "pia", Body: body{"title": "Boss"}, Status: 403, Code: "forbidden"},
			{Name: "the general manager does", Method: "PATCH", Path: "/api/employees/6/", As: "mona", Body: body{"reports_to": 2}, Status: 200, Contains: []string{`"manager":{"id":2,`}},
			{Name: "a manager with reports stays", Method: "DELETE", Path: "/api/employees/2/", As: "mona", Status: 409, Code: "still_referenced"},

			{Name: "a customer sees the own account", Path: "/api/account/", As: "cleo", Status: 200,
				Contains: []string{`"first_name":"Cleo"`, `"support_rep":{"id":4,"first_name":"Quin","last_name":"Drury"},"invoice_count":2,"spent":3.07,"last_invoice":"2026-03-01T08:00:00Z"`}},
			{Name: "and changes it", Method: "PATCH", Path: "/api/account/", As: "cleo", Body: body{"city": "Liepaja"}, Status: 200, Contains: []string{`"city":"Liepaja"`}},
			{Name: "but not the representative", Method: "PATCH", Path: "/api/account/", As: "cleo", Body: body{"support_rep_id": 3}, Status: 200, Contains: []string{`"support_rep":{"id":4,`}, Answers: map[string]string{"Trestle-Ignored": "/support_rep_id"}},
			{Name: "an employee has no account, not even one with the number of a customer", Path: "/api/account/", As: "pia", Status: 403, Code: "forbidden"},
			{Name: "a customer sees the own invoices with their lines", Path: "/api/invoices/", As: "cleo", Status: 200,
				Contains: []string{`"count":2`, `"total":1.98,"lines":[{"id":7,"track":"Pins","unit_price":0.99,"quantity":1},{"id":8,"track":"Anchor","unit_price":0.99,"quantity":1}],"quantity":2`}},
			{Name: "by a total", Path: "/api/invoices/?total_min=1.98", As: "cleo", Status: 200, Contains: []string{`"count":1`, `"id":5`}},
			{Name: "by a day", Path: "/api/invoices/?invoice_date_before=2026-02-01T00:00:00Z", As: "cleo", Status: 200, Contains: []string{`"count":1`, `"id":4`}},
			{Name: "by a track", Path: "/api/invoices/?track=Anchor", As: "cleo", Status: 200, Contains: []string{`"count":1`, `"id":5`}},
			{Name: "not by a track of another's", Path: "/api/invoices/?track=Dawn", As: "cleo", Status: 200, Contains: []string{`"count":0`}},
			{Name: "one of the own", Path: "/api/invoices/5/", As: "cleo", Status: 200},
			{Name: "not one of another", Path: "/api/invoices/1/", As: "cleo", Status: 404, Code: "not_found"},
			{Name: "nor one that does not exist", Path: "/api/invoices/99/", As: "cleo", Status: 404, Code: "not_found"},
			{Name: "a customer changes no invoice", Method: "PATCH", Path: "/api/invoices/5/", As: "cleo", Body: body{"total": 0}, Status: 405, Code: "method_not_allowed"},
			{Name: "an employee has no invoices, not even those of the customer with the number", Path: "/api/invoices/", As: "pia", Status: 403, Code: "forbidden"},
			{Name: "a visitor has none", Path: "/api/invoices/", Status: 401, Code: "authentication_required"},

			{Name: "a representative has the customers assigned to them", Path: "/api/support/customers/", As: "pia", Status: 200,
				Contains: []string{`"count":4`, `"invoice_count":2,"spent":6.95`}, Lacks: []string{"Cleo"}},
			{Name: "the general manager has all", Path: "/api/support/customers/?ordering=-spent&page_size=1", As: "mona", Status: 200, Contains: []string{`"count":12`, `"results":[{"id":1,`, `"spent":6.95`}},
			{Name: "a manager between has none", Path: "/api/support/customers/", As: "otto", Status: 200, Contains: []string{`"count":0`}},
			{Name: "a customer has none here, not even the own", Path: "/api/support/customers/3/", As: "cleo", Status: 403, Code: "forbidden"},
			{Name: "customers by what they spent", Path: "/api/support/customers/?min_spent=6.95", As: "mona", Status: 200, Contains: []string{`"count":1`, "Ada"}},
			{Name: "customers by what they bought, three steps away", Path: "/api/support/customers/?bought=Dawn", As: "mona", Status: 200, Contains: []string{`"count":2`, "Ada", "Jon"}},
			{Name: "customers by their representative", Path: "/api/support/customers/?support_rep=Drury", As: "mona", Status: 200, Contains: []string{`"count":4`}},
			{Name: "a customer of another", Path: "/api/support/customers/3/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "a change of a customer of another", Method: "PATCH", Path: "/api/support/customers/3/", As: "pia", Body: body{"city": "X"}, Status: 404, Code: "not_found"},
			{Name: "a new customer is that of the representative", Method: "POST", Path: "/api/support/customers/", As: "pia", Body: customer, Status: 201, Contains: []string{`"support_rep":{"id":3,`, `"spent":0.00,"last_invoice":null`}},
			{Name: "an e-mail address that is none", Method: "PATCH", Path: "/api/support/customers/1/", As: "pia", Body: body{"email": "ada"}, Status: 400, Faults: map[string]string{"/email": "email"}},

			{Name: "a representative has the invoices of the own customers", Path: "/api/support/invoices/", As: "pia", Status: 200, Contains: []string{`"count":5`, `"customer":{"id":10,"first_name":"Jon"`}, Lacks: []string{"Cleo"}},
			{Name: "the general manager has all invoices", Path: "/api/support/invoices/?ordering=customer.last_name&page_size=1", As: "mona", Status: 200, Contains: []string{`"count":12`, `"last_name":"East"`}},
			{Name: "invoices of a country", Path: "/api/support/invoices/?country=Latvia", As: "mona", Status: 200, Contains: []string{`"count":2`}},
			{Name: "a country of another's customers", Path: "/api/support/invoices/?country=Latvia", As: "pia", Status: 200, Contains: []string{`"count":0`}},
			{Name: "invoices with one line of a track and a quantity", Path: "/api/support/invoices/?track=Dawn&min_quantity=2", As: "pia", Status: 200, Contains: []string{`"count":1`, `"id":1`}},
			{Name: "invoices of a customer of another", Path: "/api/support/invoices/?customer_id=3", As: "pia", Status: 200, Contains: []string{`"count":0`}},
			{Name: "an invoice of another's customer", Path: "/api/support/invoices/4/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "an invoice for the own customer", Method: "POST", Path: "/api/support/invoices/", As: "pia", Body: invoice(1), Status: 201, Contains: []string{`"id":13,"invoice_date":"2026-05-05T08:00:00Z"`, `"total":1.50,"lines":[],"quantity":0`}},
			{Name: "an invoice for another's", Method: "POST", Path: "/api/support/invoices/", As: "pia", Body: invoice(3), Status: 400, Faults: map[string]string{"/customer_id": "invalid_reference"}},
			{Name: "an invoice moved to another's customer", Method: "PATCH", Path: "/api/support/invoices/13/", As: "pia", Body: body{"customer_id": 3}, Status: 400, Faults: map[string]string{"/customer_id": "invalid_reference"}},
			{Name: "a line of it", Method: "POST", Path: "/api/support/invoice-lines/", As: "pia", Body: body{"invoice_id": 13, "track_id": 5, "unit_price": 0.75, "quantity": 2}, Status: 201, Contains: []string{`"track":"Bark","unit_price":0.75,"quantity":2,"invoice_id":13`}},
			{Name: "a line of another's invoice", Method: "POST", Path: "/api/support/invoice-lines/", As: "pia", Body: body{"invoice_id": 4, "track_id": 5, "unit_price": 0.75, "quantity": 2}, Status: 400, Faults: map[string]string{"/invoice_id": "invalid_reference"}},
			{Name: "a line with faults", Method: "POST", Path: "/api/support/invoice-lines/", As: "pia", Body: body{"invoice_id": 13, "track_id": 999, "unit_price": -1, "quantity": 0}, Status: 400, Faults: map[string]string{"/quantity": "min", "/unit_price": "min"}},
			{Name: "the lines of another's invoice", Path: "/api/support/invoice-lines/?invoice_id=4", As: "pia", Status: 200, Contains: []string{`"count":0`}},
			{Name: "a line of another's invoice is not there", Method: "DELETE", Path: "/api/support/invoice-lines/6/", As: "pia", Status: 404, Code: "not_found"},
			{Name: "an invoice with lines stays", Method: "DELETE", Path: "/api/support/invoices/13/", As: "pia", Status: 409, Code: "still_referenced"},
		})
	})
}

func TestTokens(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		serve(t, db)
		with := func(value string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set("Authorization", value) }
		}
		frameworktest.TestAuthenticator(t, frameworktest.AuthenticatorCase{
			Authenticator: Tokens{}, DB: db, Valid: with("Token pia"), Caller: int32(3), Secrets: []string{"pia", digest("pia")},
			Invalid: map[string]func(*http.Request){"unknown": with("Token nobody"), "two words": with("Token pia quin"), "no token": with("Token")},
		})
	})
}

// TestTheDocument sends requests that are made of the document, valid ones and spoilt ones.
func TestTheDocument(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, promised := serve(t, db)
		callers := map[string]func(string, string) http.Header{}
		for _, token := range []string{"ada", "mona", "pia"} {
			callers[token] = func(string, string) http.Header { return http.Header{"Authorization": {"Token " + token}} }
		}
		unsaid := []string{"/birth_date: lte"} // a schema cannot express the present, nor the order of two parameters
		for _, end := range []string{"milliseconds_min", "milliseconds_max", "total_min", "total_max", "amount_min", "amount_max",
			"invoice_date_after", "invoice_date_before", "hire_date_after", "hire_date_before", "birth_date_after", "birth_date_before"} {
			unsaid = append(unsaid, end+": invalid_parameter")
		}
		t.Log(contract.Attack{Contract: promised, URL: visitor.URL(), Seed: 1, Requests: 1500, Callers: callers, Unsaid: map[string][]string{"": unsaid}}.Run(t))
	})
}

// TestStatements: a list is one statement for the caller, one for the rows, one for each list within
// the rows, and one for the count if there are several pages or if a filter is about related rows.
func TestStatements(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor, _ := serve(t, db)
		counter := frameworktest.CountStatements(db)
		for _, c := range []struct {
			as, path string
			want     int
		}{
			{"", "/api/artists/", 2},
			{"", "/api/artists/?page_size=2", 3},
			{"", "/api/albums/?genre=Rock&ordering=-price", 3},
			{"", "/api/tracks/?artist=Amber+Falls&playlist=Morning&ordering=album.title", 3},
			{"", "/api/tracks/1/", 2},
			{"pia", "/api/employees/", 3},
			{"pia", "/api/support/customers/", 2},
			{"pia", "/api/support/invoices/", 3},
			{"pia", "/api/support/invoices/?page_size=2", 4},
			{"cleo", "/api/invoices/", 3},
			{"cleo", "/api/account/", 2},
		} {
			statements := counter.During(func() { visitor.As(c.as).Get(c.path).Expect(200) })
			if len(statements) != c.want {
				t.Errorf("%s is %d statements; want %d: %s", c.path, len(statements), c.want, strings.Join(statements, "\n"))
			}
		}
	})
}
