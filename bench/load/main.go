// Command load fills an empty database with the rows of the benchmark in the
// folder above, which says how it is run:
//
//	DATABASE_URL       the database; its tables are made here
//	BENCH_DATA         folder of patients.csv, doctors.csv and appointments.csv
//	BENCH_TOKEN        token to make for a user who may see and change all rows,
//	                   by permissions of a group
//	BENCH_OWNER_TOKEN  token to make for the user to whom all rows belong
//
// Both see the same rows: one because of a permission, the other because of
// the scope that asks for the owner.
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
	"trestle.example/resources/clinic"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, settings{
		database: os.Getenv("DATABASE_URL"), data: os.Getenv("BENCH_DATA"),
		token: os.Getenv("BENCH_TOKEN"), ownerToken: os.Getenv("BENCH_OWNER_TOKEN"),
	})
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// settings are what the environment says.
type settings struct{ database, data, token, ownerToken string }

func (s settings) check() error {
	if s.database == "" || s.data == "" || s.token == "" || s.ownerToken == "" {
		return errors.New("set DATABASE_URL, BENCH_DATA, BENCH_TOKEN and BENCH_OWNER_TOKEN; make bench does")
	}
	return nil
}

// statementTimeout is for statements over a whole table.
const statementTimeout = 10 * time.Minute

func run(ctx context.Context, o settings) error {
	if err := o.check(); err != nil {
		return err
	}
	db, err := sqldb.Open(o.database, sqldb.Options{StatementTimeout: statementTimeout})
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return load(ctx, db, o)
}

// load makes the tables, users and rows, all rows or none, and has the database
// count them for its plans.
func load(ctx context.Context, db *sqldb.DB, o settings) error {
	if err := db.Migrate(ctx, nil, resources.Migrations()...); err != nil {
		return err
	}
	if err := db.InTx(ctx, func(ctx context.Context, s *sqldb.Session) error { return fill(ctx, s, o) }); err != nil {
		return err
	}
	_, err := db.ExecContext(ctx, "ANALYZE")
	return err
}

func fill(ctx context.Context, s *sqldb.Session, o settings) error {
	owner, err := makeUsers(ctx, s, o)
	if err != nil {
		return fmt.Errorf("making the users: %w", err)
	}
	if err := insertFile(ctx, s, filepath.Join(o.data, "doctors.csv"), doctor); err != nil {
		return err
	}
	owned := func(c columns) clinic.Patient { return patient(c, owner) }
	if err := insertFile(ctx, s, filepath.Join(o.data, "patients.csv"), owned); err != nil {
		return err
	}
	diary := diary{}
	return insertFile(ctx, s, filepath.Join(o.data, "appointments.csv"), diary.appointment)
}

// rowID is the id of the row that the files number n, which is below 2^48.
func rowID(n uint64) uuid.UUID {
	id := uuid.UUID{6: 0x70}
	binary.BigEndian.PutUint64(id[8:], 0x8000_0000_0000_0000|n)
	return id
}
