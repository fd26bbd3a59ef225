package order_test

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

// both runs a test on both databases, each with a fresh site.
func both(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	storetest.Both(t, func(t *testing.T, s *storetest.Site) { test(t, &site{s}) })
}

// shop runs a test on both databases, where it is noon in India.
func shop(t *testing.T, test func(t *testing.T, s *site)) {
	t.Helper()
	storetest.Shop(t, func(t *testing.T, s *storetest.Site) { test(t, &site{s}) })
}

// race runs a test on both databases, round by round, as [storetest.Race] does.
func race(t *testing.T, usual, proved int, prepare func(s *site) func(s *site, round int)) {
	t.Helper()
	storetest.Race(t, usual, proved, func(s *storetest.Site) func(*storetest.Site, int) {
		run := prepare(&site{s})
		return func(s *storetest.Site, round int) { run(&site{s}, round) }
	})
}
