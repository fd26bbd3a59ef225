package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestRegression against figures worked out by hand.
func TestRegression(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		ys            []float64
		slope, margin float64
	}{
		"a line":     {[]float64{1, 3, 5, 7, 9, 11, 13}, 2, 0},
		"what stays": {[]float64{4, 4, 4, 4, 4, 4, 4}, 0, 0},
		// Residuals of +1 and -1 in turn around a slope of 2: their squares come
		// to 7 less what the line takes of them, 28 is the sum of the squares of
		// the times, and Student's t of 5 degrees is 2.571.
		"noise around a line": {[]float64{2, 2, 6, 6, 10, 10, 14}, 2, 2.571 * math.Sqrt((7-1.0/7)/5/28)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slope, margin := regression([]float64{0, 1, 2, 3, 4, 5, 6}, test.ys)
			if math.Abs(slope-test.slope) > 1e-9 || math.Abs(margin-test.margin) > 0.005*test.margin+1e-9 {
				t.Errorf("the slope is %v within %v; want %v within %v", slope, margin, test.slope, test.margin)
			}
		})
	}
}

// TestALeakIsSeenInASoak of half an hour. The heap keeps less than one byte for each
// request, and collections make it go up and down. The seed is always the
// same, because the test would find growth in one of forty runs without a leak.
func TestALeakIsSeenInASoak(t *testing.T) {
	t.Parallel()
	const seed = 1
	for name, test := range map[string]struct {
		leak  float64 // MiB an hour
		grows bool
	}{"a leak": {1, true}, "a heap that shrinks": {-6, false}, "none": {0, false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dice := rand.New(rand.NewPCG(seed, 0))
			s := soak{lasts: 30 * time.Minute}
			for at := time.Duration(0); at < s.lasts; at += 5 * time.Second {
				warm := 2 * math.Exp(-at.Minutes()) // it comes to rest in the first minutes
				s.samples = append(s.samples, sample{at: at, heap: (8 - warm + test.leak*at.Hours() + dice.Float64()) * (1 << 20)})
			}
			hours, mebibytes := s.leasts()
			slope, margin := regression(hours, mebibytes)
			if len(hours) != 24 || grows(slope, margin) != test.grows {
				t.Errorf("of %d minutes the slope is %.2f MiB/h within %.2f", len(hours), slope, margin)
			}
		})
	}
}

// TestMediansOfQuarters.
func TestMediansOfQuarters(t *testing.T) {
	t.Parallel()
	s := soak{lasts: 100 * time.Second}
	for at := range 100 {
		s.samples = append(s.samples, sample{at: time.Duration(at) * time.Second, files: float64(at)})
	}
	files := func(m sample) float64 { return m.files }
	if early, late := s.median(0.25, 0.5, files), s.median(0.75, 1, files); early != 37 || late != 87 {
		t.Errorf("the medians are %v and %v; want 37 and 87", early, late)
	}
}
