package fault

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"syscall"
	"testing"
)

func TestClassifyPlainErrors(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want Kind
	}{
		"none":                 {nil, 0},
		"not a database's":     {errors.New("x"), 0},
		"no rows":              {sql.ErrNoRows, 0},
		"cancelled":            {context.Canceled, 0},
		"deadline":             {context.DeadlineExceeded, Timeout},
		"network timeout":      {&net.OpError{Op: "read", Err: timeout{}}, Timeout},
		"connection refused":   {&net.OpError{Op: "dial", Err: errors.New("refused")}, Unavailable},
		"a file of a setting":  {&fs.PathError{Op: "open", Path: "/nowhere", Err: syscall.ENOENT}, 0},
		"bad connection":       {driver.ErrBadConn, Unavailable},
		"connection cut":       {io.ErrUnexpectedEOF, Unavailable},
		"cancelled connecting": {&ConnectError{Err: context.Canceled}, 0},
		"connecting took long": {&ConnectError{Err: context.DeadlineExceeded}, Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			f, ok := Classify(c.err)
			if f.Kind != c.want || ok != (c.want != 0) {
				t.Errorf("got %v, %t", f.Kind, ok)
			}
		})
	}
}

type timeout struct{}

func (timeout) Error() string   { return "timeout" }
func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

func TestKindNames(t *testing.T) {
	var names []string
	for k := Kind(0); k <= Locked+1; k++ {
		names = append(names, k.String())
	}
	want := []string{"none", "other", "unique", "foreign key", "check", "not null", "retry", "timeout", "unavailable", "full", "out of range", "locked", "none"}
	if !slices.Equal(names, want) {
		t.Errorf("got %v", names)
	}
}

func TestOn(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		table string
		want  bool
	}{
		{Fault{Table: "orders"}, "orders", true},
		{Fault{Table: "orders"}, "Orders", true},
		{Fault{Table: "orders"}, "lines", false},
		{Fault{Table: "orders"}, "app.orders", true},
		{Fault{Schema: "app", Table: "orders"}, "orders", true},
		{Fault{Schema: "app", Table: "orders"}, "app.orders", true},
		{Fault{Schema: "app", Table: "orders"}, "old.orders", false},
		{Fault{Table: "main.orders"}, "main.orders", true},
		{Fault{}, "orders", false},
	} {
		if got := c.fault.On(c.table); got != c.want {
			t.Errorf("%+v on %q: %t", c.fault, c.table, got)
		}
	}
}
