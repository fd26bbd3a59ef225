package auth

import (
	"embed"
	"io/fs"

	"trestle.example/framework/sqldb"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations create the tables of this package, in the namespace "auth". Run them before
// the migrations of an application, whose tables may refer to auth_users.
func Migrations() sqldb.Migrations {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // only for a malformed name: cannot happen
	}
	return sqldb.Migrations{Namespace: "auth", FS: files}
}
