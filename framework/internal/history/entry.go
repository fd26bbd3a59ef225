package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// An Entry is one change of a row, as the endpoint of its history shows it.
type Entry struct {
	ID        uuid.UUID         `json:"id"        doc:"Identifies the entry."`
	Type      string            `json:"type"      doc:"The viewset, and what happened to the row: created, updated or deleted." example:"patients.updated"`
	At        time.Time         `json:"at"        doc:"The time of the request that changed the row."`
	Caller    *string           `json:"caller"    doc:"The id of the caller who changed the row; null for a caller without one."`
	Action    string            `json:"action"    doc:"The viewset and the name of the endpoint that changed the row." example:"patients.patch"`
	Request   uuid.UUID         `json:"request"   doc:"The id of the request, which its answer has in the header X-Request-Id."`
	Changes   map[string]Values `json:"changes"   doc:"The fields that changed, and that you may see."`
	Forgotten bool              `json:"forgotten" doc:"The values have been removed from this entry."`
}

// Values are the values of a field before and after a change, as answers show them.
type Values struct {
	From jsontext.Value `json:"from,omitzero" doc:"The value before the change. A new row has none."`
	To   jsontext.Value `json:"to,omitzero"   doc:"The value after the change. A deleted row has none."`
}

// An Event is an Entry with the viewset and the key of its row, for a program that follows all entries.
type Event struct {
	Entry

	ViewSet string `json:"viewset"`
	Key     string `json:"key"`

	place Place
}

// A Place is the place of an entry among all entries: they are in the order in which they are safe to read, and
// then of their numbers.
type Place struct{ SafeAt, Seq int64 }

// Table is the table of the entries.
func Table() query.NeededTable {
	return query.NeededTable{Name: "row_history", Columns: []string{
		"seq", "safe_at", "id", "viewset", "row_key", "change", "at", "caller", "request", "route", "changes",
	}}
}

// read reads the entries that the end of a statement finds, from its condition on.
func read(ctx context.Context, s *sqldb.Session, end schema.QueryAppender) (events []Event, err error) {
	rows, err := s.Query(ctx, bun.SafeQuery("SELECT safe_at, seq, id, viewset, row_key, change, at, caller, request, route, changes FROM row_history WHERE ?", end))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		e, err := scan(rows)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return events, rows.Close()
}

// scan reads the columns of one entry.
func scan(rows *sql.Rows) (e Event, err error) {
	var change, caller string
	var changes sql.Null[string]
	err = rows.Scan(&e.place.SafeAt, &e.place.Seq, &e.ID, &e.ViewSet, &e.Key, &change, &e.At, &caller, &e.Request, &e.Action, &changes)
	if err != nil {
		return e, err
	}
	e.Type, e.At, e.Forgotten = naming.Dotted(e.ViewSet, change), e.At.UTC(), !changes.Valid
	if caller != "" {
		e.Caller = &caller
	}
	if changes.Valid {
		err = json.Unmarshal([]byte(changes.V), &e.Changes)
	}
	return e, err
}
