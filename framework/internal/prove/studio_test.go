package prove_test

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// An Album belongs to a user. Photos are in it.
type Album struct {
	bun.BaseModel `bun:"table:albums"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Title   string
	Cover   files.File

	Photos []*Photo `bun:"rel:has-many,join:id=album_id"`
}

// A Photo is in an album.
type Photo struct {
	bun.BaseModel `bun:"table:photos"`

	ID      uuid.UUID `bun:",pk"`
	AlbumID uuid.UUID
	Title   string

	Album *Album `bun:"rel:belongs-to,join:album_id=id"`
}

// A Wall is for all to see. Its owner changes it. It may show an album, which only the album's owner
// sees.
type Wall struct {
	bun.BaseModel `bun:"table:walls"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Title   string
	Secret  string // for auditors
	Pinned  bool   // by editors
	AlbumID *uuid.UUID
	DraftID *uuid.UUID

	Album *Album  `bun:"rel:belongs-to,join:album_id=id"`
	Draft *Draft  `bun:"rel:belongs-to,join:draft_id=id"`
	Notes []*Note `bun:"rel:has-many,join:id=wall_id"`
	Stars []*Star `bun:"rel:has-many,join:id=wall_id"`
}

// A Draft may be behind a wall. Only its owner sees it.
type Draft struct {
	bun.BaseModel `bun:"table:drafts"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Title   string
}

// A Note is on a wall. Only its author sees it.
type Note struct {
	bun.BaseModel `bun:"table:notes"`

	ID       uuid.UUID `bun:",pk"`
	WallID   uuid.UUID
	AuthorID uuid.UUID
	Text     string

	Wall *Wall `bun:"rel:belongs-to,join:wall_id=id"`
}

// A Frame is on a wall, whose owner adds and removes frames.
type Frame struct {
	bun.BaseModel `bun:"table:frames"`

	ID     uuid.UUID `bun:",pk"`
	WallID uuid.UUID
	Title  string

	Wall *Wall `bun:"rel:belongs-to,join:wall_id=id"`
}

// A Star is a user who likes a wall.
type Star struct {
	bun.BaseModel `bun:"table:stars"`

	ID     uuid.UUID `bun:",pk"`
	WallID uuid.UUID
	UserID uuid.UUID
}

// A Room is for all to see and to change. Each changes their own lines in it.
type Room struct {
	bun.BaseModel `bun:"table:rooms"`

	ID    uuid.UUID `bun:",pk"`
	Title string

	Lines []*Line `bun:"rel:has-many,join:id=room_id"`
}

// A Line is what one user has in a room.
type Line struct {
	bun.BaseModel `bun:"table:lines"`

	ID       uuid.UUID `bun:",pk"`
	RoomID   uuid.UUID
	AuthorID uuid.UUID
	Text     string
}

func (a *Album) owner() *uuid.UUID { return &a.OwnerID }
func (d *Draft) owner() *uuid.UUID { return &d.OwnerID }
func (w *Wall) owner() *uuid.UUID  { return &w.OwnerID }
func (n *Note) author() *uuid.UUID { return &n.AuthorID }
func (s *Star) user() *uuid.UUID   { return &s.UserID }
func (l *Line) author() *uuid.UUID { return &l.AuthorID }

type titleInput struct {
	Title string `json:"title" validate:"required,max=60"`
}

type albumView struct {
	ID uuid.UUID `json:"id"`
	titleInput
	Cover  files.File `json:"cover"`
	Photos int64      `json:"photos" from:"count(photos)"`
}

type photoView struct {
	ID uuid.UUID `json:"id"`
	titleInput
}

type cardOfAlbum struct {
	ID     uuid.UUID `json:"id"`
	Title  string    `json:"title"`
	Photos int64     `json:"photos" from:"count(photos)"`
}

// A scrapInput names an album by the viewset where all callers see it.
type scrapInput struct {
	AlbumID uuid.UUID `json:"album" validate:"required" ref:"cards"`
	Title   string    `json:"title" validate:"required,max=60"`
}

type scrapView struct {
	ID uuid.UUID `json:"id"`
	scrapInput
}

type wallInput struct {
	Title   string     `json:"title"  validate:"required,max=60"`
	Secret  string     `json:"secret" validate:"max=60"`
	Pinned  bool       `json:"pinned"`
	AlbumID *uuid.UUID `json:"album"  ref:"albums"`
	DraftID *uuid.UUID `json:"draft"  ref:"drafts"`
}

type wallView struct {
	ID      uuid.UUID `json:"id"`
	OwnerID uuid.UUID `json:"owner"`
	Title   string    `json:"title"`
	Secret  string    `json:"secret"`
	Pinned  bool      `json:"pinned"`
	Album   *string   `json:"album_title" from:"album.title"`
	Notes   int64     `json:"notes"   from:"count(notes)"`
	Texts   []string  `json:"texts"   from:"notes.text"`
	Starred bool      `json:"starred" from:"exists(stars,mine)"`
}

type textInput struct {
	Text string `json:"text" validate:"required,max=60"`
}

type textView struct {
	ID uuid.UUID `json:"id"`
	textInput
}

type starView struct {
	UserID uuid.UUID `json:"user"`
}

type lineInput struct {
	ID   framework.Optional[uuid.UUID] `json:"id"`
	Text string                        `json:"text" validate:"required,max=60"`
}

type roomInput struct {
	Title string      `json:"title" validate:"required,max=60"`
	Lines []lineInput `json:"lines" to:"lines"`
}

type roomView struct {
	ID    uuid.UUID  `json:"id"`
	Title string     `json:"title"`
	Lines []textView `json:"lines" from:"lines"`
}

var studioSchema = sqldb.Migrations{Namespace: "studio", FS: fstest.MapFS{
	"1_studio.tx.up.sql": {Data: []byte(`
CREATE TABLE albums ({{id}}, owner_id {{uuid}} NOT NULL, title {{text}} NOT NULL, cover {{json}});
CREATE TABLE photos ({{id}}, album_id {{uuid}} NOT NULL REFERENCES albums (id) ON DELETE CASCADE, title {{text}} NOT NULL);
CREATE TABLE drafts ({{id}}, owner_id {{uuid}} NOT NULL, title {{text}} NOT NULL);
CREATE TABLE walls ({{id}}, owner_id {{uuid}} NOT NULL, title {{text}} NOT NULL, secret {{text}} NOT NULL, pinned {{bool}} NOT NULL,
	album_id {{uuid}} REFERENCES albums (id) ON DELETE SET NULL, draft_id {{uuid}} REFERENCES drafts (id) ON DELETE SET NULL);
CREATE TABLE notes ({{id}}, wall_id {{uuid}} NOT NULL REFERENCES walls (id) ON DELETE CASCADE, author_id {{uuid}} NOT NULL, text {{text}} NOT NULL);
CREATE TABLE frames ({{id}}, wall_id {{uuid}} NOT NULL REFERENCES walls (id) ON DELETE CASCADE, title {{text}} NOT NULL);
CREATE TABLE stars ({{id}}, wall_id {{uuid}} NOT NULL REFERENCES walls (id) ON DELETE CASCADE, user_id {{uuid}} NOT NULL, UNIQUE (wall_id, user_id));
CREATE TABLE rooms ({{id}}, title {{text}} NOT NULL);
CREATE TABLE lines ({{id}}, room_id {{uuid}} NOT NULL REFERENCES rooms (id) ON DELETE CASCADE, author_id {{uuid}} NOT NULL, text {{text}} NOT NULL);
`)},
	"1_studio.tx.down.sql": {Data: []byte("DROP TABLE lines;\nDROP TABLE rooms;\nDROP TABLE stars;\nDROP TABLE frames;\nDROP TABLE notes;\nDROP TABLE walls;\nDROP TABLE drafts;\nDROP TABLE photos;\nDROP TABLE albums;\n")},
}}

const (
	audit = "walls.audit"
	edit  = "walls.edit"
)

// studio is a program with relations, nested viewsets, rows that all see and few change, fields of
// permissions, lists of children, toggles and files.
func studio(storage files.Storage) []framework.Resource {
	signedIn := framework.Authenticated()
	byTitle := framework.Ordering{Allowed: []string{"title"}, Default: "title"}
	return []framework.Resource{
		framework.ViewSet[Album]{
			Name: "albums", Verbs: framework.CRUD[titleInput, albumView](), Scope: framework.Own((*Album).owner), Permission: signedIn, Ordering: byTitle,
			Relations: framework.Relations{"photos": "albums/{}/photos"},
			Files:     []framework.FileField[Album]{{Name: "cover", Field: func(a *Album) *files.File { return &a.Cover }, Storage: storage, MaxBytes: 1000, Types: []string{"text/plain"}}},
			Actions:   []framework.Action[Album]{framework.Related[Album, scrapView]("scraps", "scraps", "album"), framework.Related[Album, scrapView]("prints", "prints", "album")},
		},
		framework.ViewSet[Photo]{
			Name: "photos", Parent: framework.Child("album", "albums"), Verbs: framework.CRUD[titleInput, photoView](), Scope: framework.Public(),
			Permission: signedIn, Ordering: byTitle, Totals: framework.Totals{By: []string{"title"}},
		},
		framework.ViewSet[Album]{
			Name: "cards", Verbs: framework.ReadOnly[cardOfAlbum](), Scope: framework.Public(), Permission: signedIn, Ordering: byTitle,
			Relations: framework.Relations{"photos": "albums/{}/photos"},
		},
		framework.ViewSet[Photo]{
			Name: "scraps", Verbs: framework.CRUD[scrapInput, scrapView](), Scope: framework.Via("album_id", "albums"),
			Permission: framework.All(signedIn, framework.OrReadOnly(framework.Not(framework.Staff()))), Relations: framework.Relations{"album": "cards"},
			Ordering: framework.Ordering{Allowed: []string{"title", "album.title"}, Default: "title"}, Filters: []framework.Filter{filter.Not(filter.Exact("not_album_title", "album.title"))},
		},
		framework.ViewSet[Photo]{
			Name: "prints", Verbs: framework.Verbs{List: framework.Shows[scrapView]()}, Scope: framework.Via("album_id", "albums").Unless(framework.Staff()),
			Permission: framework.Staff(), Ordering: byTitle,
		},
		framework.ViewSet[Draft]{Name: "drafts", Quota: framework.Quota{Rows: 1}, Verbs: framework.CRUD[titleInput, photoView](), Scope: framework.Own((*Draft).owner), Permission: signedIn, Ordering: byTitle},
		framework.ViewSet[Wall]{
			Name: "walls", Verbs: framework.CRUD[wallInput, wallView](), Scope: framework.Public(), Writers: framework.Own((*Wall).owner), Permission: signedIn,
			Bulk:             framework.Bulk{Patch: true, Each: true},
			Select:           framework.Select{Fields: true, Expand: []string{"texts", "album_title"}},
			Relations:        framework.Relations{"album": "albums", "draft": "drafts", "notes": "walls/{}/notes", "stars": "stars"},
			Ordering:         framework.Ordering{Allowed: []string{"title", "secret", "album.title", "draft.title", "notes"}, Default: "title"},
			Filters:          []framework.Filter{filter.Exact("note", "notes.text"), filter.Exact("album_title", "album.title"), filter.Min("min_notes", "notes"), filter.Exact("starred"), filter.Exact("secret")},
			FilterExpression: framework.FilterExpression{Fields: []string{"title", "secret", "album.title", "draft.title", "notes.text", "notes", "starred"}},
			Totals:           framework.Totals{By: []string{"title", "secret", "pinned", "album.title", "draft.title", "starred"}, Sum: []string{"notes"}, Max: []string{"notes"}},
			Search:           framework.Search{Fields: []string{"title", "notes.text"}},
			Actions:          []framework.Action[Wall]{framework.Toggle[Wall, wallView]("star", "stars", "user_id")},
			Fields:           []framework.FieldRule{framework.Sees("secret", framework.Holds(audit)), framework.Writes("pinned", framework.Holds(edit))},
			Export:           []framework.Media{framework.CSV, framework.NDJSON},
		},
		framework.ViewSet[Note]{
			Name: "notes", Parent: framework.Child("wall", "walls"), Verbs: framework.CRUD[textInput, textView](), Scope: framework.Own((*Note).author),
			Permission: signedIn, Ordering: framework.Ordering{Default: "text"}, Totals: framework.Totals{By: []string{"text"}},
		},
		framework.ViewSet[Frame]{
			Name: "frames", Parent: framework.Child("wall", "walls").ByWriters(), Verbs: framework.CRUD[titleInput, photoView](), Scope: framework.Public(),
			Permission: signedIn, Ordering: byTitle,
		},
		framework.ViewSet[Star]{Name: "stars", Verbs: framework.Verbs{List: framework.Shows[starView]()}, Scope: framework.Public(), Writers: framework.Own((*Star).user), Permission: signedIn},
		framework.ViewSet[Room]{
			Name: "rooms", Verbs: framework.CRUD[roomInput, roomView](), Scope: framework.Public(), Permission: signedIn,
			Relations: framework.Relations{"lines": "lines"}, Ordering: byTitle,
		},
		framework.ViewSet[Line]{Name: "lines", Verbs: framework.ReadOnly[textView](), Scope: framework.Public(), Writers: framework.Own((*Line).author), Permission: signedIn},
	}
}

func TestAStudioWithoutLeaks(t *testing.T) {
	t.Parallel()
	onlyInStage(t)
	apitest.Databases(t, studioSchema, func(t *testing.T, db *sqldb.DB) {
		storage, err := files.OpenDisk(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		report := prove(t, db, nil, studio(storage)...)
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
		known, err := os.ReadFile("testdata/studio.txt")
		if now := report.Matrix(); err != nil || now != string(known) {
			t.Errorf("the access is not that of testdata/studio.txt (%v):\n%s", err, now)
		}
	})
}
