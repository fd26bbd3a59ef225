package sqldb_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"trestle.example/framework/sqldb"
)

// scratch opens an empty database for an example; the function removes it.
func scratch() (*sqldb.DB, func()) {
	dir, err := os.MkdirTemp("", "")
	check(err)
	db, err := sqldb.Open("sqlite://"+filepath.Join(dir, "app.db"), sqldb.Options{})
	check(err)
	return db, func() {
		check(db.Close())
		check(os.RemoveAll(dir))
	}
}

func ExampleParam() {
	db, remove := scratch()
	defer remove()
	db.Observe(func(_ context.Context, e sqldb.Event) { fmt.Println(e.SQL, e.Args) })
	rows, err := db.Session().Query(context.Background(), db.NewRaw("SELECT ? AS n", sqldb.Param(int64(7))))
	check(err)
	check(rows.Close())
	// Output: SELECT ?1 AS n [7]
}

func ExampleDB_InTx() {
	db, remove := scratch()
	defer remove()
	ctx := context.Background()
	check(db.InTx(ctx, func(ctx context.Context, s *sqldb.Session) error {
		if _, err := s.Exec(ctx, db.NewRaw("CREATE TABLE towns (name TEXT)")); err != nil {
			return err
		}
		_, err := s.Exec(ctx, db.NewRaw("INSERT INTO towns (name) VALUES (?)", "Pune"))
		return err
	}))
	n, err := db.NewSelect().Table("towns").Count(ctx)
	fmt.Println(n, err)
	// Output: 1 <nil>
}

func ExampleList() {
	db, remove := scratch()
	defer remove()
	db.Observe(func(_ context.Context, e sqldb.Event) { fmt.Println(e.SQL, e.Args) })
	rows, err := db.Session().Query(context.Background(), db.NewRaw("SELECT 1 IN (?)", sqldb.List([]any{int64(1), int64(2), int64(3)})))
	check(err)
	check(rows.Close())
	// Output: SELECT 1 IN (?1, ?2, ?3, ?4) [1 2 3 3]
}

func ExampleFold() {
	fmt.Println(sqldb.Fold("STRASSE") == sqldb.Fold("Straße"), sqldb.Fold("Zoë"))
	// Output: true zoë
}

func ExampleCheckURL() {
	fmt.Println(sqldb.CheckURL("mysql://app:secret@db/app"))
	fmt.Println(sqldb.CheckURL("postgres://app:secret@localhost/app"))
	// Output:
	// sqldb: database URL "mysql://app:***@db/app": the scheme "mysql" is not one of sqlite, postgres and postgresql; write for example sqlite:///var/lib/app/app.db or postgres://app:password@db.example.com:5432/app
	// <nil>
}
