package address

import (
	"fmt"
	"slices"
	"strings"
)

// targetParameter is the parameter of a URL that names which of several servers to use,
// as in libpq.
const targetParameter = "target_session_attrs"

// Target is the role of the servers that a connection may lead to.
type Target string

// Any accepts every server.
const Any Target = ""

const (
	readWrite     Target = "read-write"
	readOnly      Target = "read-only"
	primary       Target = "primary"
	standbyOnly   Target = "standby"
	preferStandby Target = "prefer-standby"
)

// readTarget reads the value of target_session_attrs.
func readTarget(text string) (Target, error) {
	targets := []string{"any", string(readWrite), string(readOnly), string(primary), string(standbyOnly), string(preferStandby)}
	switch {
	case text == "", text == "any":
		return "", nil
	case slices.Contains(targets, text):
		return Target(text), nil
	}
	return "", fmt.Errorf("%s is not one of %s", targetParameter, strings.Join(targets, ", "))
}

// Single reports whether at most one server fits at a time. If another server fits, the
// earlier one fits no longer.
func (t Target) Single() bool { return t == readWrite || t == primary }

// Passes returns the targets to look for, in this order, until a server fits one.
func (t Target) Passes() []Target {
	if t == preferStandby {
		return []Target{standbyOnly, Any}
	}
	return []Target{t}
}

// Check returns an error if a server is not the target. A primary that only reads has
// default_transaction_read_only on.
func (t Target) Check(standby, readsOnly bool) error {
	fits := map[Target]bool{Any: true, readWrite: !standby && !readsOnly, readOnly: standby || readsOnly, primary: !standby, standbyOnly: standby}
	if fits[t] {
		return nil
	}
	is := "a primary"
	switch {
	case standby:
		is = "a standby"
	case readsOnly:
		is = "a primary with default_transaction_read_only on"
	}
	return fmt.Errorf("sqldb: the server is %s, and %s wants %s", is, targetParameter, t)
}
