package connection

import (
	"database/sql"
	"errors"
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/internal/testserver/postgres"
)

// TestPooled: which errors name the cure.
func TestPooled(t *testing.T) {
	plain := errors.New("something else")
	if got := pooled(plain); !errors.Is(got, plain) || errors.Is(got, ErrPooled) {
		t.Errorf("something else becomes %v", got)
	}
	if pooled(nil) != nil {
		t.Error("no error becomes one")
	}
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.Database(t))))
	defer db.Close()
	_, err := db.ExecContext(t.Context(), "EXECUTE nothing")
	if got := pooled(err); fault.State(err) != "26000" || !errors.Is(got, ErrPooled) || fault.State(got) != "26000" {
		t.Errorf("%v becomes %v", err, got)
	}
	if want := "set the variable ..._PREPARE=off"; !strings.Contains(ErrPooled.Error(), want) {
		t.Errorf("%v does not contain %q", ErrPooled, want)
	}
}
