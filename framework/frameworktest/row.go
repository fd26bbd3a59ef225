package frameworktest

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Row is the model that [TestFilter] and [TestPagination] list. For clients its fields
// are id, name, number, price, active, at, note and parent.
type Row struct {
	bun.BaseModel `bun:"table:frameworktest_rows,alias:listed"`

	ID       uuid.UUID  `bun:",pk"`
	Name     string     // "row 01", "row 02", ...
	Number   int64      // 1, 2, 3, ...
	Price    float64    // 0.5, 1, 1.5, ...
	Active   bool       // true for even numbers
	At       time.Time  // 2026-01-01T00:00:00Z and then every twelve hours
	Note     *string    // "a note" or, in every third row, null
	ParentID *uuid.UUID // the row with half the number, rounded down; null in the first
}

// rowView is the representation of a Row for clients.
type rowView struct {
	ID       uuid.UUID  `json:"id"`
	Name     string     `json:"name"`
	Number   int64      `json:"number"`
	Price    float64    `json:"price"`
	Active   bool       `json:"active"`
	At       time.Time  `json:"at"`
	Note     *string    `json:"note"`
	ParentID *uuid.UUID `json:"parent"`
}

// Rows returns the first n rows, in the order of their ids and numbers.
func Rows(n int) []Row {
	rows := make([]Row, n)
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range rows {
		number := i + 1
		rows[i] = Row{
			ID: RowID(number), Name: fmt.Sprintf("row %02d", number), Number: int64(number), Price: float64(number) / 2,
			Active: number%2 == 0, At: began.Add(time.Duration(i) * 12 * time.Hour),
		}
		if number%3 > 0 {
			rows[i].Note = new("a note")
		}
		if number > 1 {
			rows[i].ParentID = new(RowID(number / 2))
		}
	}
	return rows
}

// RowID returns the id of the row with a number.
func RowID(number int) (id uuid.UUID) {
	id[6], id[8] = 0x70, 0x80
	binary.BigEndian.PutUint32(id[12:], uint32(number)) //nolint:gosec // a few thousand at most
	return id
}

// createRows creates the table of rows and fills it.
func createRows(tb testing.TB, db *sqldb.DB, n int) {
	tb.Helper()
	types := map[string]string{"uuid": "text", "at": "timestamp"}
	if db.Kind() == sqldb.PostgreSQL {
		types = map[string]string{"uuid": "uuid", "at": "timestamptz"}
	}
	table := fmt.Sprintf(`CREATE TABLE frameworktest_rows (id %[1]s PRIMARY KEY, name text NOT NULL, number bigint NOT NULL,
		price double precision NOT NULL, active boolean NOT NULL, at %[2]s NOT NULL, note text, parent_id %[1]s)`, types["uuid"], types["at"])
	if _, err := db.ExecContext(tb.Context(), table); err != nil {
		tb.Fatalf("making the table of rows: %v", err)
	}
	rows := Rows(n)
	if _, err := db.NewInsert().Model(&rows).Exec(tb.Context()); err != nil {
		tb.Fatalf("inserting %d rows: %v", n, err)
	}
}

// serveRows serves the rows for anyone: all of them as rows, and the rows with an even
// number as active.
func serveRows(tb testing.TB, db *sqldb.DB, p framework.Pagination, filters ...framework.Filter) *Client {
	tb.Helper()
	api := framework.New(framework.Config{DB: db, Permission: framework.Anyone(), Pagination: p, CursorKeys: [][]byte{make([]byte, 32)}, Log: errorLog(tb)})
	verbs := framework.Verbs{List: framework.Shows[rowView]()}
	api.Register(
		framework.ViewSet[Row]{Name: "rows", Verbs: verbs, Scope: framework.Public(), Filters: filters},
		framework.ViewSet[Row]{Name: "active", Verbs: verbs, Scope: framework.Where(onlyActive)},
	)
	return New(tb, handlerOf(tb, api))
}

func onlyActive(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("?TableAlias.active = ?", sqldb.Param(true))
}

func handlerOf(tb testing.TB, api *framework.API) http.Handler {
	tb.Helper()
	handler, err := api.Handler()
	if err != nil {
		tb.Fatalf("the declaration is not valid: %v", err)
	}
	return handler
}

// errorLog logs errors of the server to the output of the test.
func errorLog(tb testing.TB) *slog.Logger {
	tb.Helper()
	return slog.New(slog.NewTextHandler(tb.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
}
