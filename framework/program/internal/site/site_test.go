package site

import (
	"testing"

	"trestle.example/framework"
)

// TestFurtherAPIsHaveTheObservers of the program's API, so that the metrics count their requests.
func TestFurtherAPIsHaveTheObservers(t *testing.T) {
	s := openSite(t, "", map[string]string{})
	if got := s.Configure(framework.Config{}).Observers; len(got) != 0 {
		t.Errorf("before there is an API, the observers are %v", got)
	}
	s.API(struct{ framework.Observer }{})
	if got := s.Configure(framework.Config{}).Observers; len(got) != 1 {
		t.Errorf("the observers are %v; want that of the API", got)
	}
}
