package auth

import (
	"embed"
	"io/fs"

	"trestle.example/framework/sqldb"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations are the tables of this package, namespace "auth". Run them before
// those of an application, whose tables may refer to auth_users.
func Migrations() sqldb.Migrations {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // only a malformed name: cannot happen
	}
	return sqldb.Migrations{Namespace: "auth", FS: files}
}
