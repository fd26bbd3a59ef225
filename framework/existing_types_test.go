package framework_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

// A Day is a value of a column of the type date, such as 2026-11-26. Drivers return the column as
// a time.
type Day string

// Scan implements [database/sql.Scanner].
func (d *Day) Scan(value any) error {
	switch v := value.(type) {
	case time.Time:
		*d = Day(v.Format(time.DateOnly))
	case string:
		*d = Day(v)
	case []byte:
		*d = Day(v)
	default:
		return fmt.Errorf("a day is stored as %T", value)
	}
	return nil
}

// A Member is a row of another program with a date, an amount and columns that have defaults.
type Member struct {
	bun.BaseModel `bun:"table:tblMember"`

	ID      int64     `bun:"MemberNo,pk,autoincrement"`
	Name    string    `bun:"full-name"`
	Born    Day       `bun:"born"`
	Left    *Day      `bun:"left_on"`
	Credit  string    `bun:"credit"`
	Changed time.Time `bun:"changed,nullzero,default:current_timestamp"`
	Level   int64     `bun:"level,nullzero,default:7"`
}

type MemberInput struct {
	Name   string `json:"name" validate:"required,line,max=80"`
	Born   Day    `json:"born" validate:"required,datetime=2006-01-02"`
	Left   *Day   `json:"left" validate:"filled,datetime=2006-01-02"`
	Credit string `json:"credit" validate:"required,numeric"`
}

type MemberView struct {
	ID int64 `json:"id"`
	MemberInput
	Changed time.Time `json:"changed"`
	Level   int64     `json:"level"`
}

const memberSchema = `
CREATE TABLE "tblMember" ("MemberNo" {{if postgres}}serial PRIMARY KEY{{else}}INTEGER PRIMARY KEY{{end}}, "full-name" varchar(80) NOT NULL,
	"born" date NOT NULL, "left_on" date, "credit" {{if postgres}}numeric(8,2){{else}}{{text}}{{end}} NOT NULL,
	"changed" {{timestamp}} NOT NULL DEFAULT CURRENT_TIMESTAMP, "level" integer NOT NULL DEFAULT 7,
	"unknown to the model" varchar(10) NOT NULL DEFAULT 'kept');`

// TestTypesOfExistingColumns: dates are days in JSON, amounts keep their digits, and columns that
// no input writes get the default of the database.
func TestTypesOfExistingColumns(t *testing.T) {
	existing(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, memberSchema)
		c := config(db)
		c.Authentication = []framework.Authenticator{numbered{}}
		ada := serve(t, c, framework.ViewSet[Member]{
			Name: "members", Verbs: framework.CRUD[MemberInput, MemberView](), Scope: framework.Public(),
			Ordering: framework.Ordering{Allowed: []string{"born", "id"}, Default: "id"},
			Filters:  []framework.Filter{filter.Exact("born")},
		}).user("Number 7")

		made := ada.post("/api/members/", fields{"name": "Ada", "born": "2024-02-29", "credit": "12.50"}).is(201).
			says(`"born":"2024-02-29"`, `"left":null`, `"credit":"12.50"`, `"level":7`).object()
		if strings.HasPrefix(fmt.Sprint(made["changed"]), "0001-") {
			t.Errorf("the time of a new row is %v; want that of the database", made["changed"])
		}
		path := fmt.Sprintf("/api/members/%v/", made["id"])
		ada.get(path).is(200).says(`"born":"2024-02-29"`, `"credit":"12.50"`)
		ada.patch(path, fields{"left": "2025-01-31"}).is(200).says(`"left":"2025-01-31"`, fmt.Sprintf(`"changed":"%v"`, made["changed"]))
		ada.put(path, fields{"name": "Ada", "born": "2024-02-28", "credit": "1.00"}).is(200).says(`"left":null`, `"born":"2024-02-28"`, `"level":7`)
		ada.post("/api/members/", fields{"name": "Bob", "born": "2001-05-06", "credit": "3.00"}).is(201)
		ada.get("/api/members/?ordering=born").is(200).says(`"count":2`)
		ada.get("/api/members/?born=2024-02-28").is(200).says(`"count":1`, "Ada")
		ada.post("/api/members/", fields{"name": "Ada", "born": "2024-02-30", "credit": "x"}).is(400).
			fault("/born", "datetime").fault("/credit", "numeric")

		var kept string
		if err := db.NewSelect().Table("tblMember").Column("unknown to the model").Where("born = ?", "2024-02-28").Scan(t.Context(), &kept); err != nil || kept != "kept" {
			t.Errorf("the column that the model lacks is %q, %v", kept, err)
		}
	})
}
