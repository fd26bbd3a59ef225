package config

import (
	"testing"
	"time"
)

// TestLimitSettings as the server gets them.
func TestLimitSettings(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		c     Config
		delay time.Duration
	}{
		"by default":               {Config{limitConfig: limitConfig{drainDelay: -1}}, 0},
		"by default in production": {Config{Production: true, limitConfig: limitConfig{drainDelay: -1}}, 3 * time.Second},
		"as it is set":             {Config{Production: true, limitConfig: limitConfig{drainDelay: time.Second}}, time.Second},
	} {
		if got := test.c.Delay(); got != test.delay {
			t.Errorf("%s: a delay of %s; want %s", name, got, test.delay)
		}
	}
}
