package export_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestFormats: the parameter or the header Accept chooses the format, and the parameter has precedence.
func TestFormats(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		ann := apitest.As(serve(t, db), "ann")
		const csv, lines, json = "text/csv; charset=utf-8; header=present", "application/x-ndjson", "application/json"
		for _, one := range []struct{ query, accept, want, file string }{
			{"", "", json, ""},
			{"", "*/*", json, ""},
			{"", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", json, ""},
			{"", "text/csv", csv, "orders.csv"},
			{"", "text/*", csv, "orders.csv"},
			{"", "application/x-ndjson, text/csv;q=0.5", lines, "orders.ndjson"},
			{"", "application/json, text/csv", json, ""},
			{"", "text/csv;q=0", json, ""},
			{"", "image/png", json, ""},
			{"", "nonsense", json, ""},
			{"?format=csv", "application/json", csv, "orders.csv"},
			{"?format=ndjson", "", lines, "orders.ndjson"},
			{"?format=json", "text/csv", json, ""},
			{"?format=", "text/csv", csv, "orders.csv"},
		} {
			file := one.file
			if file != "" {
				file = "attachment; filename=" + file
			}
			for _, method := range []string{"GET", "HEAD"} {
				got := ann.With("Accept", one.accept).Do(method, "/api/orders/"+one.query, nil).Expect(200)
				got.Header("Content-Type", one.want).Header("Content-Disposition", file).Header("Vary", "Accept")
				if method == "HEAD" && got.Body() != "" {
					t.Errorf("HEAD has the body %q", got.Body())
				}
			}
		}
		ann.Get("/api/orders/?format=xlsx").Expect(400).Fault("format", "invalid_parameter").Contains("must be one of json, csv, ndjson").Header("Content-Disposition", "")
		ann.Get("/api/orders/?format=cvs").Expect(400).Contains("did you mean csv?")
		ann.Get("/api/orders/?format=csv&format=json").Expect(400).Fault("format", "invalid_parameter")
		ann.With("Range", "bytes=0-1").Get("/api/orders/?format=csv").Expect(200).Header("Accept-Ranges", "")
		ann.Do("OPTIONS", "/api/orders/", nil).Expect(200).Contains(`"renders":["application/json","text/csv","application/x-ndjson"]`)
	})
}

// TestCSV: a column for each member of the view, in its order, of all pages. A spreadsheet runs no text.
func TestCSV(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		ann := apitest.As(serve(t, db), "ann")
		rows := table(t, ann.Get("/api/orders/?format=csv").Expect(200))
		if got := strings.Join(rows[0], ","); got != header {
			t.Errorf("the columns are %s; want %s", got, header)
		}
		at := placed.Format("2006-01-02T15:04:05Z")
		for i, want := range [][]string{
			{order("", 1, "").ID.String(), "1", "plain", "-2.5", "-1", "Zoé, \"Z\"", "'=Rome", `[{"id":1,"text":"=a"},{"id":2,"text":"b"}]`, at},
			{order("", 2, "").ID.String(), "2", "'=1+1", "", "-2", "", "", "[]", at},
			{order("", 3, "").ID.String(), "3", "-5", "", "-3", "", "", "[]", at},
			{order("", 4, "").ID.String(), "4", "two\nlines", "", "-4", "", "", "[]", at},
			{order("", 5, "").ID.String(), "5", "'@x", "", "-5", "", "", "[]", at},
		} {
			if !slices.Equal(rows[i+1], want) {
				t.Errorf("row %d is %q; want %q", i+1, rows[i+1], want)
			}
		}
		if len(rows) != 6 {
			t.Errorf("there are %d rows; want the header and 5", len(rows))
		}
		if got := ann.Get("/api/orders/?format=csv&from=100").Expect(200).Body(); got != header+"\r\n" {
			t.Errorf("without rows it is %q; want the header", got)
		}
	})
}

// TestNDJSON: each line is a row as the list has it.
func TestNDJSON(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		whole := orders()
		whole.Under, whole.Pagination = "whole", page.Bare{}
		c := serve(t, db, whole)
		for _, caller := range []string{"ann", "bob", "staff"} {
			for _, query := range []string{"", "ordering=-number", "ordering=-weight", "ordering=customer.name,-note", "from=3", "search=a", "search=a&from=2&ordering=-note", "from=100"} {
				user := apitest.As(c, caller)
				var want []json.RawMessage
				user.Get("/api/whole/orders/?" + query).Expect(200).JSON(&want)
				var text strings.Builder
				for _, row := range want {
					text.Write(append(row, '\n'))
				}
				if got := user.Get("/api/orders/?format=ndjson&" + query).Expect(200).Body(); got != text.String() {
					t.Errorf("%s, %s: got\n%s\nwant\n%s", caller, query, got, text.String())
				}
			}
		}
	})
}

// TestNobodyExportsMore: an export has the rows and the members that the caller sees in the list, and no others.
func TestNobodyExportsMore(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		c := serve(t, db)
		for _, format := range []string{"csv", "ndjson"} {
			c.Get("/api/orders/?format="+format).Expect(401).Header("Content-Disposition", "")
			bob := apitest.As(c, "bob").Get("/api/orders/?format="+format).Expect(200).Contains("of Bob").Lacks("margin", "-9", "plain")
			if format == "csv" {
				if got := table(t, bob)[0]; strings.Join(got, ",") != strings.Replace(header, ",margin", "", 1) {
					t.Errorf("Bob has the columns %q", got)
				}
			}
			apitest.As(c, "eve").Get("/api/orders/?format="+format).Expect(200).Lacks("of Bob", "plain", "margin")
			own, other := "/api/orders/"+order("", 1, "").ID.String()+"/lines/?format="+format, "/api/orders/"+order("", 9, "").ID.String()+"/lines/?format="+format
			apitest.As(c, "ann").Get(own).Expect(200).Contains("=a", "b").Lacks("of Bob").Header("Content-Disposition", "attachment; filename=lines."+format)
			apitest.As(c, "ann").Get(other).Expect(404).Lacks("of Bob")
			apitest.As(c, "bob").Get(other).Expect(200).Contains("of Bob")
		}
	})
}

// TestParametersOfPages: they have no effect in an export. A lenient viewset ignores them, and a strict one rejects them.
func TestParametersOfPages(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		strict := orders()
		strict.Under, strict.Strict = "strict", framework.Strict
		cursors := orders()
		cursors.Under, cursors.Pagination = "cursors", page.Cursor{Size: 1}
		ann := apitest.As(served(t, db, func(c *framework.Config) { c.CursorKeys = [][]byte{make([]byte, 32)} }, orders(), lines(), strict, cursors), "ann")
		if got := column(t, ann.Get("/api/orders/?format=csv&page=7").Expect(200).Header("Trestle-Ignored", "page"), "number"); len(got) != 5 {
			t.Errorf("there are %d rows; want 5", len(got))
		}
		ann.Get("/api/strict/orders/?format=csv&page=7").Expect(400).Fault("page", "invalid_parameter").Contains("has the rows of all pages; leave it out")
		ann.Get("/api/strict/orders/?format=csv").Expect(200)
		ann.Get("/api/cursors/orders/?format=ndjson&cursor=x").Expect(200).Header("Trestle-Ignored", "cursor").Header("Link", "")
		ann.Get("/api/cursors/orders/?format=json&cursor=x").Expect(400).Fault("cursor", "invalid_parameter")
	})
}

// TestExportsHaveNoETag: the ETag of a list is a hash of its page.
func TestExportsHaveNoETag(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		hashed := orders()
		hashed.Versions = framework.Versions{Hash: true}
		ann := apitest.As(served(t, db, nil, hashed, lines()), "ann")
		tag := ann.Get("/api/orders/").Expect(200).Headers().Get("ETag")
		ann.With("If-None-Match", tag).Get("/api/orders/").Expect(http.StatusNotModified)
		ann.With("If-None-Match", "*").Get("/api/orders/?format=csv").Expect(200).Header("ETag", "")
	})
}

// TestListsOfActions: an action of Lists is exported too, by its own name.
func TestListsOfActions(t *testing.T) {
	filled(t, func(t *testing.T, db *sqldb.DB) {
		v := orders()
		v.Export = []framework.Media{framework.ExactCSV}
		v.Collection = []framework.CollectionAction{framework.Lists[lightView]("light").Order(framework.Ordering{Default: "-number"})}
		ann := apitest.As(served(t, db, nil, v, lines()), "ann")
		got := ann.Get("/api/orders/light/?format=csv").Expect(200).Header("Content-Disposition", "attachment; filename=orders-light.csv")
		if want := "number,note\r\n5,@x\r\n4,\"two\nlines\"\r\n3,-5\r\n2,=1+1\r\n1,plain\r\n"; got.Body() != want {
			t.Errorf("got %q; want %q", got.Body(), want)
		}
	})
}

type lightView struct {
	Number int64  `json:"number"`
	Note   string `json:"note"`
}
