package cart_test

import (
	"testing"

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

// shop runs a test on both databases, where it is noon in India.
func shop(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	storetest.Shop(t, func(t *testing.T, s *storetest.Site) { test(t, &site{s}) })
}
