package standby

import (
	"errors"
	"testing"
)

// TestProgress: what was replayed holds a position, or not.
func TestProgress(t *testing.T) {
	for name, c := range map[string]struct {
		at, lsn      uint64
		timeline     int64
		behind, fork bool
	}{
		"the same place": {at: 0x5000128, lsn: 0x5000128},
		"further":        {at: 0x5000130, lsn: 0x5000128},
		"a byte short":   {at: 0x5000127, lsn: 0x5000128, behind: true},
		"the end of a page, and behind the next header": {at: 0x5002000, lsn: 0x5002018},
		"the end of a file, and behind the next header": {at: 0x6000000, lsn: 0x6000028},
		"the end of a page, and more than a header":     {at: 0x5002000, lsn: 0x5002030, behind: true},
		"no end of a page, and as short as a header":    {at: 0x5002010, lsn: 0x5002028, behind: true},
		"nothing at all":   {at: 0, lsn: 0x18, behind: true},
		"another timeline": {at: 0x5000130, lsn: 0x5000128, timeline: 1, fork: true},
		"much more than a number without a sign may say": {at: 1, lsn: 1 << 63, behind: true},
	} {
		t.Run(name, func(t *testing.T) {
			err := progress{lsn: c.at, timeline: c.timeline}.reaches(Position{lsn: c.lsn})
			if got := errors.Is(err, ErrBehind); got != c.behind || (err != nil) != (c.behind || c.fork) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestParseLSN(t *testing.T) {
	for text, want := range map[string]uint64{"0/0": 0, "16/B374D848": 0x16B374D848, "FFFFFFFF/FFFFFFFF": 1<<64 - 1} {
		if got, err := parseLSN(text); err != nil || got != want {
			t.Errorf("%s is %x, %v; want %x", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "/", "x/1", "1/x", "1/1FFFFFFFF", "-1/0"} {
		if _, err := parseLSN(text); err == nil {
			t.Errorf("%q is a place in the log", text)
		}
	}
}
