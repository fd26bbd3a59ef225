package sqltext

import (
	"errors"
	"testing"
)

// TestIsWrite: a statement that writes is recognised whatever follows its first word.
func TestIsWrite(t *testing.T) {
	for text, want := range map[string]bool{
		"INSERT INTO a VALUES (1)":      true,
		"insert\ninto a values (1)":     true,
		"\n\tUPDATE\ta SET b = 1":       true,
		"(DELETE\r\nFROM a)":            true,
		"REPLACE INTO a VALUES (1)":     true,
		"SELECT 1":                      false,
		"updates":                       false,
		"WITH a AS (SELECT 1) SELECT 1": false,
		"":                              false,
	} {
		if got := IsWrite(text); got != want {
			t.Errorf("IsWrite(%q) is %t; want %t", text, got, want)
		}
	}
}

// TestCheckRendered: the mark of bun is found wherever it is outside of quotes.
func TestCheckRendered(t *testing.T) {
	for text, sent := range map[string]bool{
		"SELECT 1":                true,
		"SELECT '?!(a)'":          true,
		"SELECT ?!(a)":            false,
		"SELECT '?!(a)', ?!(b)":   false,
		`SELECT "?!(a)", '?!(b)'`: true,
		"SELECT 'it''s ?!(a)', 1": true,
		"SELECT 'it''s', ?!(b":    false,
	} {
		if err := CheckRendered(text); (err == nil) != sent || err != nil && !errors.Is(err, ErrUnrendered) {
			t.Errorf("CheckRendered(%q) is %v; want it sent: %t", text, err, sent)
		}
	}
}
