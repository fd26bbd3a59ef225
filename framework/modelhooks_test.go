package framework_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// Models of one table, each with one kind of hook.
type hookedKey struct {
	ID       uuid.UUID `bun:",pk"`
	Nickname string
	Theme    string
}

type insertHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (*insertHooked) BeforeInsert(context.Context, *bun.InsertQuery) error { return nil }
func (*insertHooked) AfterInsert(context.Context, *bun.InsertQuery) error  { return nil }

type updateHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (*updateHooked) BeforeUpdate(context.Context, *bun.UpdateQuery) error { return nil }
func (*updateHooked) AfterUpdate(context.Context, *bun.UpdateQuery) error  { return nil }

type deleteHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (*deleteHooked) BeforeDelete(context.Context, *bun.DeleteQuery) error { return nil }
func (*deleteHooked) AfterDelete(context.Context, *bun.DeleteQuery) error  { return nil }

type selectHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (*selectHooked) BeforeSelect(context.Context, *bun.SelectQuery) error { return nil }
func (*selectHooked) AfterSelect(context.Context, *bun.SelectQuery) error  { return nil }

type appendHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (*appendHooked) BeforeAppendModel(context.Context, bun.Query) error { return nil }

type scanHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (s *scanHooked) BeforeScanRow(context.Context) error { return nil }
func (s *scanHooked) AfterScanRow(context.Context) error  { s.Theme = "scanned"; return nil }

type tableHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey
}

func (*tableHooked) BeforeCreateTable(context.Context, *bun.CreateTableQuery) error { return nil }
func (*tableHooked) AfterDropTable(context.Context, *bun.DropTableQuery) error      { return nil }

// A listHooked has rows with a hook of SELECT, which bun calls for each list of them.
type listHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey

	Rows []*rowHooked `bun:"rel:has-many,join:id=parent_id"`
}

type rowHooked struct {
	bun.BaseModel `bun:"table:rows"`

	ID       uuid.UUID `bun:",pk"`
	ParentID uuid.UUID
}

func (*rowHooked) BeforeSelect(context.Context, *bun.SelectQuery) error { return nil }

// A scannedHooked has rows with hooks of scanning: several, and one.
type scannedHooked struct {
	bun.BaseModel `bun:"table:hooked"`
	hookedKey

	ThemeID uuid.UUID
	Rows    []*rowHooked  `bun:"rel:has-many,join:id=parent_id"`
	Themes  []*scanHooked `bun:"rel:has-many,join:theme_id=id"`
	First   *scanHooked   `bun:"rel:belongs-to,join:theme_id=id"`
}

type listHookedView struct {
	Rows []struct {
		ID uuid.UUID `json:"id"`
	} `json:"rows"`
}

// columnsOfHooked shows columns of related rows, and values that are made of them.
type columnsOfHooked struct {
	IDs    []uuid.UUID `json:"ids" from:"rows.id"`
	Themes []string    `json:"themes" from:"themes.theme"`
	First  *string     `json:"first" from:"first.theme"`
	Count  int64       `json:"count" from:"count(themes)"`
}

func relatedToHooked(shown framework.Verb) framework.Resource {
	v := hooked[scannedHooked](framework.Verbs{List: shown})
	v.Relations = framework.Relations{"rows": framework.OfRow, "themes": framework.OfRow, "first": framework.OfRow}
	return v
}

func listOfHooked(shown framework.Verb) framework.Resource {
	v := hooked[listHooked](framework.Verbs{List: shown})
	v.Relations = framework.Relations{"rows": framework.OfRow}
	return v
}

type hookedInput struct {
	Nickname string `json:"nickname"`
}

type hookedView struct {
	Nickname string `json:"nickname"`
	Theme    string `json:"theme"`
}

func hooked[M any](verbs framework.Verbs) framework.ViewSet[M] {
	return framework.ViewSet[M]{Name: "hooked", Verbs: verbs, Scope: framework.Public()}
}

func hookedCRUD() framework.Verbs { return framework.CRUD[hookedInput, hookedView]() }

const notCalled = " of bun, which the framework's statements do not call; "

// A hook of a model that a declared verb skips is a mistake, any other is not.
func TestHooksOfModels(t *testing.T) {
	const (
		insert = "fill the row in framework.Fills, or do all of it in framework.Does"
		update = "fill the row in framework.Fills, or do all of it in framework.Changes"
		stored = "store other rows in the second function of framework.FillsThen; do what must follow the commit by AfterCommit of its framework.Call"
		remove = "delete in a function of framework.Changes"
		gone   = remove + ", which calls AfterCommit of its framework.Call for what must follow the commit"
		read   = "narrow rows by Scope, and make what is shown by framework.Computes"
		scan   = " of bun, which is not called where a view is read from columns; show it by framework.Computes, which scans the model"
	)
	reads := framework.ReadOnly[hookedView]()
	for name, test := range map[string]struct {
		declared framework.Resource
		want     string
	}{
		"of an insert": {hooked[insertHooked](hookedCRUD()), "" +
			"hooked: create: insertHooked has the hook BeforeInsert" + notCalled + insert + "\n" +
			"hooked: create: insertHooked has the hook AfterInsert" + notCalled + stored},
		"of an insert, where nothing is created": {hooked[insertHooked](reads), ""},
		"of an update": {hooked[updateHooked](hookedCRUD()), "" +
			"hooked: update, patch: updateHooked has the hook BeforeUpdate" + notCalled + update + "\n" +
			"hooked: update, patch: updateHooked has the hook AfterUpdate" + notCalled + stored},
		"of a delete": {hooked[deleteHooked](hookedCRUD()), "" +
			"hooked: delete: deleteHooked has the hook BeforeDelete" + notCalled + remove + "\n" +
			"hooked: delete: deleteHooked has the hook AfterDelete" + notCalled + gone},
		"of a delete, where a function deletes": {hooked[deleteHooked](framework.Verbs{List: framework.Shows[hookedView](), Delete: framework.Changes(forget)}), ""},
		"of a select": {hooked[selectHooked](reads), "" +
			"hooked: list, retrieve: selectHooked has the hook BeforeSelect" + notCalled + read + "\n" +
			"hooked: list, retrieve: selectHooked has the hook AfterSelect" + notCalled + read},
		"of any statement": {hooked[appendHooked](hookedCRUD()), "" +
			"hooked: create: appendHooked has the hook BeforeAppendModel" + notCalled + insert + "\n" +
			"hooked: update, patch: appendHooked has the hook BeforeAppendModel" + notCalled + update + "\n" +
			"hooked: delete: appendHooked has the hook BeforeAppendModel" + notCalled + remove},
		"of any statement, where rows are only read": {hooked[appendHooked](reads), ""},
		"of scanning": {hooked[scanHooked](reads), "" +
			"hooked: list: scanHooked has the hook BeforeScanRow" + scan + "\n" +
			"hooked: list: scanHooked has the hook AfterScanRow" + scan},
		"of a select of related rows": {listOfHooked(framework.Shows[listHookedView]()),
			"hooked: list: rowHooked has the hook BeforeSelect" + notCalled + read},
		"of a select of related rows, with Computes": {listOfHooked(framework.Computes(func(*framework.Call, *listHooked) (hookedView, error) {
			return hookedView{}, nil
		}, "rows")), "hooked: list: rowHooked has the hook BeforeSelect" + notCalled + read},
		"of related rows, one column of which is shown": {relatedToHooked(framework.Shows[columnsOfHooked]()), "" +
			`hooked: list: columnsOfHooked.IDs: from "rows.id": rowHooked has the hook BeforeSelect` + notCalled + read + "\n" +
			`hooked: list: columnsOfHooked.Themes: from "themes.theme": scanHooked has the hook BeforeScanRow` + scan + "\n" +
			`hooked: list: columnsOfHooked.Themes: from "themes.theme": scanHooked has the hook AfterScanRow` + scan + "\n" +
			`hooked: list: columnsOfHooked.First: from "first.theme": scanHooked has the hook BeforeScanRow` + scan + "\n" +
			`hooked: list: columnsOfHooked.First: from "first.theme": scanHooked has the hook AfterScanRow` + scan},
		"of a select of related rows that are not shown": {listOfHooked(framework.Shows[hookedView]()), ""},
		"of scanning, with Computes":                     {hooked[scanHooked](computedHooked()), ""},
		"of tables":                                      {hooked[tableHooked](hookedCRUD()), ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(test.declared)
			said := ""
			if err := api.Check(); err != nil {
				said = err.Error()
			}
			if said != test.want {
				t.Errorf("got\n%s\nwant\n%s", said, test.want)
			}
		})
	}
}

func forget(*framework.Call, *deleteHooked, framework.None) (framework.None, error) {
	return framework.None{}, nil
}

func computedHooked() framework.Verbs {
	shown := framework.Computes(func(_ *framework.Call, m *scanHooked) (hookedView, error) {
		return hookedView{m.Nickname, m.Theme}, nil
	})
	writes := framework.Accepts[hookedInput, hookedView]()
	return framework.Verbs{List: shown, Retrieve: shown, Create: writes, Update: writes, Patch: writes}
}

// Where Computes shows a row, the hooks of scanning run for it in each answer.
func TestHooksOfScanningRun(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, "CREATE TABLE hooked ({{id}}, nickname {{text}} NOT NULL, theme {{text}} NOT NULL)")
		ada := serve(t, config(db), hooked[scanHooked](computedHooked())).as("ada")
		at := ada.post("/api/hooked/", fields{"nickname": "a"}).is(201).says(`"theme":"scanned"`).header.Get("Location")
		ada.get(at).is(200).says(`"theme":"scanned"`)
		ada.get("/api/hooked/").is(200).says(`"theme":"scanned"`)
		ada.patch(at, fields{"nickname": "b"}).is(200).says(`"nickname":"b","theme":"scanned"`)
		ada.put(at, fields{"nickname": "c"}).is(200).says(`"nickname":"c","theme":"scanned"`)
	})
}

// A function's own Insert and Save say that they would skip a hook.
func TestInsertAndSaveDoNotSkipHooks(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var inserted, saved error
		inserts := hooked[insertHooked](framework.Verbs{Create: framework.Does(func(c *framework.Call, _ hookedInput) (framework.None, error) {
			inserted = framework.Insert(c, &insertHooked{})
			return framework.None{}, nil
		})})
		saves := hooked[updateHooked](framework.Verbs{Create: framework.Does(func(c *framework.Call, _ hookedInput) (framework.None, error) {
			saved = framework.Save(c, &updateHooked{})
			return framework.None{}, nil
		})})
		saves.Name = "saved"
		ada := serve(t, config(db), inserts, saves).as("ada")
		for path, told := range map[string]*error{"/api/hooked/": &inserted, "/api/saved/": &saved} {
			ada.post(path, fields{}).is(204)
			if *told == nil || !strings.Contains((*told).Error(), notCalled) {
				t.Errorf("%s: %v; want an error that names the hook", path, *told)
			}
		}
	})
}
