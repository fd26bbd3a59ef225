// Chinook is a program that serves the tables of the sample database Chinook, as they are: music
// with artists, albums, tracks and playlists, and its sale, with employees, customers and invoices.
package main

import (
	"context"
	"embed"
	"io/fs"
	"log"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

//go:embed schema/*.sql
var schema embed.FS

func main() {
	db, err := sqldb.Open("sqlite://"+filepath.Join(os.TempDir(), "trestle-chinook.db"), sqldb.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := db.Migrate(context.Background(), nil, tables()); err != nil {
		log.Fatal(err)
	}
	handler, err := chinook(db, slog.Default()).Handler()
	if err != nil {
		log.Fatal(err)
	}
	log.Println("http://localhost:8080/api/docs")
	log.Fatal(http.ListenAndServe("localhost:8080", handler)) //nolint:gosec // an example on loopback
}

// tables are the migrations that make the tables.
func tables() sqldb.Migrations {
	files, err := fs.Sub(schema, "schema")
	if err != nil {
		log.Fatal(err)
	}
	return sqldb.Migrations{Namespace: "chinook", FS: files}
}

// chinook returns the API.
func chinook(db *sqldb.DB, log *slog.Logger) *framework.API {
	api := framework.New(framework.Config{
		DB:             db,
		Title:          "Chinook",
		Authentication: []framework.Authenticator{Tokens{}},
		Pagination:     page.Number{Size: 20, SizeParam: "page_size"},
		Case:           framework.SnakeCase,
		Log:            log,

		IdempotencyKeys: -1, // the database has no table for them
	})
	api.Register(
		Artists, Albums, AlbumTracks, Tracks, Genres, MediaTypes, Playlists,
		Employees, Profile, Account, Customers, Invoices, SupportInvoices, InvoiceLines,
	)
	return api
}
