// Package migrations holds the application's schema: SQL templates, one source
// for both dialects. sqldb.Migrations documents what a template may use.
package migrations

import (
	"embed"

	"trestle.example/framework/sqldb"
)

//go:embed *.sql
var files embed.FS

// Application are the migrations of the services.
func Application() sqldb.Migrations {
	return sqldb.Migrations{Namespace: "application", FS: files}
}
