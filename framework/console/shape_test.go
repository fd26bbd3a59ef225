package console_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A room has a slug as its address, and others name it by its id.
type room struct {
	bun.BaseModel `bun:"table:rooms"`

	ID      uuid.UUID `bun:",pk"`
	Slug    string
	Name    string
	Floors  []int64 `bun:"type:jsonb"`
	Ratings []int64 `bun:"type:jsonb"`
}

type roomInput struct {
	Name    string  `validate:"required,max=100"`
	Ratings []int64 `validate:"max=9"`
}

type roomView struct {
	ID      uuid.UUID
	Slug    string
	Name    string
	Floors  []int64
	Ratings []int64
}

type renumbering struct {
	Floors framework.Optional[[]int64] `validate:"max=9"`
}

func renumber(c *framework.Call, r *room, in renumbering) (roomView, error) {
	r.Floors = in.Floors.Value
	return roomView{ID: r.ID, Slug: r.Slug, Name: r.Name, Floors: r.Floors, Ratings: r.Ratings}, framework.Save(c, r)
}

// A place is the desk of a user in a room. The first PUT makes it.
type place struct {
	bun.BaseModel `bun:"table:desks"`

	ID       uuid.UUID `bun:",pk"`
	UserID   uuid.UUID
	RoomID   uuid.UUID
	Room     *room `bun:"rel:belongs-to,join:room_id=id"`
	ImageURL string
	Note     string
}

func (p *place) user() *uuid.UUID { return &p.UserID }

type placeInput struct {
	RoomID   uuid.UUID `json:"room" validate:"required" ref:"rooms"`
	ImageURL string    `validate:"max=100"`
	Note     string    `validate:"max=100" default:"none"`
}

type placeView struct {
	Room     string `json:"room" from:"room.slug"`
	ImageURL string
	Note     string
}

// openRooms serves the desk with rooms and places, in camel case and with wrapped bodies.
func openRooms(t *testing.T, db *sqldb.DB) *desk {
	t.Helper()
	identity, err := auth.New(auth.Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return openDeskOf(t, db, identity, func(c *framework.Config) { c.Case = framework.CamelCase }, framework.ViewSet[room]{
		Name: "rooms", Lookup: "slug", Slug: framework.Slug{Field: "slug", From: "name"}, Wrap: "room", WrapList: "rooms",
		Verbs: framework.CRUD[roomInput, roomView](), Scope: framework.Public(), Ordering: framework.Ordering{Default: "name"},
		Actions: []framework.Action[room]{framework.Post("renumber", renumber)},
	}, framework.ViewSet[place]{
		Name: "place", Single: true, Wrap: "place", Relations: framework.Relations{"room": "rooms"}, Scope: framework.Own((*place).user),
		Verbs: framework.Verbs{
			Retrieve: framework.Shows[placeView](), Update: framework.Accepts[placeInput, placeView](), Patch: framework.Accepts[placeInput, placeView](),
		},
	})
}

// TestShapes: wrapped bodies, rows by slug that others name by id, a single row that its first PUT makes, lists of numbers in an
// Optional, and names in camel case.
func TestShapes(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openRooms(t, db)
		d.user("asha@example.com", false)
		b := d.signedIn("asha@example.com")

		b.submit("/admin/rooms/~post", url.Values{"name": {"Blue room"}, "ratings": {"4\nx"}}).is(400).says(`id="field-ratings-error"`)
		b.submit("/admin/rooms/~post", url.Values{"name": {"Blue room"}, "ratings": {"4"}}).to("/admin/rooms/blue-room/?~said=created")
		b.submit("/admin/rooms/blue-room/~patch", url.Values{"ratings": {"4\n5"}}).is(303)
		b.submit("/admin/rooms/blue-room/renumber/~post", url.Values{"floors": {"1\r\n2"}}).is(303)
		b.get("/admin/rooms/blue-room/").is(200).says("Blue room", "<li><bdi>2</bdi></li>", "<li><bdi>5</bdi></li>")
		b.get("/admin/rooms/").is(200).says(`href="/admin/rooms/blue-room/"`, "1 in all")
		b.submit("/admin/rooms/~post", url.Values{"name": {"Red room"}}).is(303)
		var rooms []room
		if err := db.Session().IDB().NewSelect().Model(&rooms).Order("name").Scan(t.Context()); err != nil || len(rooms) != 2 {
			t.Fatal(rooms, err)
		}
		blue, red := rooms[0].ID.String(), rooms[1].ID.String()

		b.get("/admin/place/").is(404).says(`href="/admin/place/~put">Add</a>`)
		b.get("/admin/place/~patch").is(404)
		b.get("/admin/place/~put").is(200).says(`<option value="`+blue+`">Blue room</option>`, `value="none"`, `name="imageUrl"`, ">Image URL<")
		b.submit("/admin/place/~put", url.Values{"room": {blue}, "imageUrl": {"https://x.example/"}}).is(303)
		b.get("/admin/place/").is(200).says(`href="/admin/rooms/blue-room/"`, "<bdi>Blue room</bdi>", "~patch", `href="https://x.example/"`)
		b.get("/admin/place/~patch").is(200).says(`<option value="` + blue + `" selected>Blue room</option>`)
		b.submit("/admin/place/~patch", url.Values{"room": {red}}).is(303)
		b.get("/admin/place").is(200).says(`href="/admin/rooms/red-room/"`, "https://x.example/")
		b.send(http.MethodPost, "/admin/place/~put", b.form("/admin/place/~put", url.Values{"room": {red}, "note": {strings.Repeat("x", 101)}})).
			is(400).says(`id="field-note-error"`, "Each fault below names its field.")
	})
}
