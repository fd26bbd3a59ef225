package sqldb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing/fstest"

	"trestle.example/framework/sqldb"
)

// Example opens a database, brings its schema up to date and writes in one
// transaction. A PostgreSQL URL would do as well.
func Example() {
	dir, err := os.MkdirTemp("", "")
	check(err)
	defer os.RemoveAll(dir)

	db, err := sqldb.Open("sqlite://"+filepath.Join(dir, "app.db"), sqldb.Options{})
	check(err)
	defer db.Close()

	ctx := context.Background()
	check(db.Migrate(ctx, nil, sqldb.Migrations{Namespace: "app", FS: fstest.MapFS{
		"1_towns.tx.up.sql":   {Data: []byte(`CREATE TABLE towns ({{id}}, name {{text}} UNIQUE)`)},
		"1_towns.tx.down.sql": {Data: []byte(`DROP TABLE towns`)},
	}}))

	add := func(ctx context.Context, s *sqldb.Session) error {
		_, err := s.Exec(ctx, db.NewRaw("INSERT INTO towns (id, name) VALUES (?, ?)",
			"0190a0b0-0000-7000-8000-00000000cafe", "Pune"))
		return err
	}
	check(db.InTx(ctx, add))

	fault, _ := sqldb.Classify(db.InTx(ctx, add))
	fmt.Println(fault.Kind, fault.Table, fault.Columns)
	// Output: unique towns [name]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
