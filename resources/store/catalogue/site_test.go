package catalogue_test

import (
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/storetest"
)

// A site is the whole store, with the helpers of this package.
type site struct{ *storetest.Site }

// fields are a body.
type fields = map[string]any

// on returns the site in a subtest.
func (s *site) on(tb testing.TB) *site {
	tb.Helper()
	return &site{s.On(tb)}
}

// open migrates a database and serves it.
func open(tb testing.TB, db *sqldb.DB) *site {
	tb.Helper()
	return &site{storetest.Open(tb, db)}
}

// both runs a test on both databases, each with a fresh site.
func both(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	storetest.Both(t, func(t *testing.T, s *storetest.Site) { test(t, &site{s}) })
}
