// Command load fills an empty database with the rows of the benchmark in the
// folder above, which says how it is run:
//
//	DATABASE_URL  the database; its tables are made here
//	BENCH_DATA    folder of users.csv, doctors.csv, patients.csv and appointments.csv
package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Getenv("DATABASE_URL"), os.Getenv("BENCH_DATA"))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// statementTimeout is for statements over a whole table.
const statementTimeout = 10 * time.Minute

func run(ctx context.Context, database, folder string) error {
	if database == "" || folder == "" {
		return errors.New("set DATABASE_URL and BENCH_DATA; make bench does")
	}
	db, err := sqldb.Open(database, sqldb.Options{StatementTimeout: statementTimeout})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return load(ctx, db, folder)
}

// load makes the tables and inserts all rows of the files or none. Then the
// database collects the statistics that its plans need.
func load(ctx context.Context, db *sqldb.DB, folder string) error {
	if err := db.Migrate(ctx, nil, resources.Migrations()...); err != nil {
		return err
	}
	if err := db.InTx(ctx, func(ctx context.Context, s *sqldb.Session) error { return fill(ctx, s, folder) }); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "ANALYZE")
	return err
}

func fill(ctx context.Context, s *sqldb.Session, folder string) error {
	if err := makeUsers(ctx, s, folder); err != nil {
		return fmt.Errorf("making the users: %w", err)
	}
	if err := insertFile(ctx, s, filepath.Join(folder, "doctors.csv"), doctor); err != nil {
		return err
	}
	return withoutIndexes(ctx, s, func() error {
		if err := insertFile(ctx, s, filepath.Join(folder, "patients.csv"), patient); err != nil {
			return err
		}
		diary := diary{}
		return insertFile(ctx, s, filepath.Join(folder, "appointments.csv"), diary.appointment)
	})
}

// rowID is the id of the row that the files number n, which is below 2^48.
func rowID(n uint64) uuid.UUID {
	id := uuid.UUID{6: 0x70}
	binary.BigEndian.PutUint64(id[8:], 0x8000_0000_0000_0000|n)
	return id
}
