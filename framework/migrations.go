package framework

import (
	"embed"
	"io/fs"

	"trestle.example/framework/sqldb"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations returns the migrations of the framework's own tables, namespace "framework":
// those that [Verb.Idempotent] needs. A program whose [Config.IdempotencyKeys] is negative does
// not need them.
func Migrations() sqldb.Migrations {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // cannot happen: only a wrong file name is an error
	}
	return sqldb.Migrations{Namespace: "framework", FS: files}
}
