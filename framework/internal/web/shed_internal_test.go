package web

import (
	"testing"
	"time"
)

// TestShedCount: every request is counted; the log is due once a second.
func TestShedCount(t *testing.T) {
	var s shedCount
	start := time.Now()
	for i, test := range []struct {
		after time.Duration
		due   bool
	}{
		{0, true},
		{0, false},
		{999 * time.Millisecond, false},
		{time.Second, true},
		{1999 * time.Millisecond, false},
		{time.Minute, true},
	} {
		total, due := s.add(start.Add(test.after))
		if total != int64(i+1) || due != test.due {
			t.Errorf("request %d after %s: the total is %d, due: %t; want due: %t", i+1, test.after, total, due, test.due)
		}
	}
}
