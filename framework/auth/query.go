package auth

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb"
)

// scanOne reads the first row of q into a model, or returns sql.ErrNoRows.
func scanOne(ctx context.Context, s *sqldb.Session, q schema.QueryAppender, model any) error {
	rows, err := s.Query(ctx, q)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return noRowError(rows.Err())
	}
	if err := s.DB().ScanRow(ctx, rows, model); err != nil {
		return err
	}
	return rows.Err()
}

// readFirst reads the first row of q, or returns sql.ErrNoRows.
func readFirst(ctx context.Context, s *sqldb.Session, q schema.QueryAppender, dest ...any) error {
	found, err := s.Read(ctx, q)
	switch {
	case err != nil:
		return err
	case found.Len() == 0:
		return sql.ErrNoRows
	}
	return found.Scan(0, dest...)
}

// readByHash reads the row of a hash without its last column, the hash, or returns
// sql.ErrNoRows. Requests may share one execution.
func readByHash(ctx context.Context, s *sqldb.Session, l *sqldb.Lookup, hash [hashLength]byte, dest ...any) error {
	var key []byte
	found, err := s.ReadBy(ctx, l, hash, 1)
	switch {
	case err != nil:
		return err
	case found.Len() == 0:
		return sql.ErrNoRows
	}
	return found.Scan(0, append(dest, &key)...)
}

// scanAll reads all rows of q into a slice of models.
func scanAll(ctx context.Context, s *sqldb.Session, q schema.QueryAppender, models any) error {
	rows, err := s.Query(ctx, q) //nolint:rowserrcheck // ScanRows closes them and returns their error
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	return s.DB().ScanRows(ctx, rows, models)
}

// noRowError returns the error for a result without rows: the error that ended the result
// early, or sql.ErrNoRows.
func noRowError(err error) error {
	if err == nil {
		err = sql.ErrNoRows
	}
	return err
}

// countChanged runs a statement and returns how many rows it changed.
func countChanged(ctx context.Context, s *sqldb.Session, q schema.QueryAppender) (int64, error) {
	result, err := s.Exec(ctx, q)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// orMissing replaces sql.ErrNoRows by an error that names the missing row. It returns any
// other error, and nil, unchanged.
func orMissing(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

func isFault(err error, kind sqldb.FaultKind) bool {
	fault, ok := sqldb.Classify(err)
	return ok && fault.Kind == kind
}
