package framework

import (
	"embed"
	"io/fs"

	"trestle.example/framework/sqldb"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations are the tables of the framework itself, namespace "framework":
// what [Verb.Idempotent] keeps. A program that declares nothing so needs none
// of them.
func Migrations() sqldb.Migrations {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // only a malformed name: cannot happen
	}
	return sqldb.Migrations{Namespace: "framework", FS: files}
}
