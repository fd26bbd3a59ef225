package postgres

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/internal/testserver/postgres"
)

// TestAnErrorOfAServerMeansThatItIsThere: only silence and a start or a stop mean that it is away.
func TestAnErrorOfAServerMeansThatItIsThere(t *testing.T) {
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(postgres.Database(t))))
	defer db.Close()
	raise := func(code string) error {
		_, err := db.ExecContext(t.Context(), "DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '"+code+"'; END $$")
		if fault.State(err) != code {
			t.Fatalf("%v is not %s", err, code)
		}
		return err
	}
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"no error":                   {nil, false},
		"silence":                    {errNoPulse, true},
		"a connection that is cut":   {io.ErrUnexpectedEOF, true},
		"a port without a server":    {&net.OpError{Op: "dial", Err: errors.New("refused")}, true},
		"a server that starts":       {raise("57P03"), true},
		"a server that stops":        {raise("57P01"), true},
		"too many connections":       {raise("53300"), false},
		"a password that is wrong":   {raise("28P01"), false},
		"a statement that is wrong":  {raise("42601"), false},
		"a statement that took long": {raise("57014"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := absent(c.err); got != c.want {
				t.Errorf("%v: absent is %t", c.err, got)
			}
		})
	}
}

// TestClosingEndsThePulse, and what it is asking.
func TestClosingEndsThePulse(t *testing.T) {
	asked := make(chan struct{})
	var once sync.Once
	dial := func(ctx context.Context) (*pgdriver.Conn, error) {
		once.Do(func() { close(asked) })
		<-ctx.Done()
		return nil, ctx.Err()
	}
	p := newPulse(dial, dial)
	ended := make(chan struct{})
	go func() { defer close(ended); p.probe() }()
	<-asked
	p.close()
	<-ended
}
