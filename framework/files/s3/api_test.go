package s3_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/files/s3"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Video is a row with a file.
type Video struct {
	bun.BaseModel `bun:"table:videos"`

	ID      uuid.UUID `bun:",pk"`
	Content files.File
}

type VideoView struct {
	ID      uuid.UUID  `json:"id"`
	Content files.File `json:"content"`
}

var videoSchema = sqldb.Migrations{Namespace: "videos", FS: fstest.MapFS{
	"1_videos.tx.up.sql":   {Data: []byte("CREATE TABLE videos ({{id}}, content {{text}});")},
	"1_videos.tx.down.sql": {Data: []byte("DROP TABLE videos;")},
}}

// TestAPI: an API stores, sends, replaces, deletes and sweeps files in a bucket.
func TestAPI(t *testing.T) {
	o := gateway(t)
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		o := o
		o.Prefix = "sqlite/"
		if db.Kind() == sqldb.PostgreSQL {
			o.Prefix = "postgresql/"
		}
		storage, err := s3.Open(t.Context(), o)
		if err == nil {
			err = db.Migrate(t.Context(), nil, videoSchema)
		}
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		api := framework.New(framework.Config{
			DB: db, Permission: framework.Anyone(), Pagination: page.Number{Size: 10}, Log: slog.New(slog.DiscardHandler),
			Now: func() time.Time { return now },
		})
		const most = 12 << 20
		api.Register(videos(storage, most))
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		id := uuid.New()
		if _, err := db.Exec("INSERT INTO videos (id) VALUES (?)", id); err != nil {
			t.Fatal(err)
		}
		c := frameworktest.New(t, handler).With("Content-Type", "application/octet-stream")
		at := "/api/videos/" + id.String() + "/content/"
		has := func(want int) {
			t.Helper()
			n := 0
			for _, err := range storage.List(context.Background(), "") {
				if n++; err != nil {
					t.Fatal(err)
				}
			}
			if left, err := storage.DeleteUnfinished(context.Background(), time.Now().Add(time.Hour)); n != want || left != 0 || err != nil {
				t.Errorf("the bucket has %d contents and %d unfinished uploads, error %v; want %d and 0", n, left, err, want)
			}
		}

		large := bytes.Repeat([]byte("0123456789abcdef"), most/16)
		c.Put(at, string(large)).Expect(200)
		has(1)
		if got := c.Get(at).Expect(200).Body(); got != string(large) {
			t.Errorf("%d bytes are read, or others", len(got))
		}
		c.With("Range", "bytes=5242879-5242882").Get(at).Expect(206).Contains("f012")
		c.With("Range", "bytes=12582912-").Get(at).Expect(416)
		c.Put(at, string(large)+"x").Expect(413)
		has(1)
		c.Put(at, "small").Expect(200)
		has(1)
		c.Get(at).Expect(200).Contains("small")

		if _, err := db.Exec("DELETE FROM videos"); err != nil {
			t.Fatal(err)
		}
		if n, err := api.SweepFiles(t.Context()); n != 0 || err != nil {
			t.Errorf("the sweep deleted %d contents, error %v; want 0", n, err)
		}
		has(1)
		now = now.Add(25 * time.Hour)
		if n, err := api.SweepFiles(t.Context()); n != 1 || err != nil {
			t.Errorf("a day later the sweep deleted %d contents, error %v; want 1", n, err)
		}
		has(0)
	})
}
