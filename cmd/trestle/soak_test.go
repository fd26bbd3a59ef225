package main

import (
	"cmp"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"trestle.example/internal/proving"
)

// mostApart is how many goroutines or open files a server without clients may
// have more or less than before they came.
const mostApart = 2

// TestSoak: a server that works for long answers nothing with 5xx, and its resources do not
// grow. With TRESTLE_PROVE=1 it works for half an hour, or for the time
// in TRESTLE_SOAK, at 70 % of its capacity, or at TRESTLE_SOAK_RATE
// requests a second. Otherwise it works for five seconds, and only its resources after that
// are checked.
func TestSoak(t *testing.T) {
	if !proving.On() {
		t.Parallel()
		p := openPractice(t, "TRESTLE_DB_CONNS=2")
		before := p.atRest(t)
		t.Log(merged(ended(p.in(t.Context(), 100, 4*time.Second))...).check(t))
		p.comesBack(t, before)
		return
	}
	p := openPractice(t)
	rate := p.soakRate(t)
	before := p.atRest(t)
	s := p.soak(t, rate, lasting(t, "TRESTLE_SOAK", 30*time.Minute))
	t.Logf("FIGURE soak: %s", s.all.check(t))
	figure(t, s.faults() == 0, "answers of 5xx, or none: %d of %d (bound 0)", s.faults(), s.all.offered)
	s.flat(t, "goroutines beside those of connections", func(m sample) float64 { return m.goroutines - m.clients })
	s.flat(t, "open files beside those of connections", func(m sample) float64 { return m.files - m.clients })
	s.heap(t)
	p.comesBack(t, before)
}

// soakRate is what the server can do for long.
func (p *practice) soakRate(t *testing.T) float64 {
	t.Helper()
	text := os.Getenv("TRESTLE_SOAK_RATE")
	if text == "" {
		return 0.7 * p.knee(3*time.Second)
	}
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || rate <= 0 {
		t.Fatalf("TRESTLE_SOAK_RATE is %q; it must be a number of requests a second, such as 500", text)
	}
	return rate
}

// atRest returns the least memory and other resources of the server after its first use,
// when its clients have disconnected.
func (p *practice) atRest(t *testing.T) sample {
	t.Helper()
	p.stream.run(t.Context(), 50, time.Second).wait().check(t)
	p.stream.close()
	least, same := p.sample(), 0
	untilSo(t, "what a server without clients holds becomes no less", func() bool {
		now := p.sample()
		if same++; now.goroutines < least.goroutines || now.files < least.files {
			same = 0
		}
		least.goroutines, least.files = min(least.goroutines, now.goroutines), min(least.files, now.files)
		return same == 25
	})
	return least
}

// comesBack checks that the server, when its clients have disconnected, has no more
// resources than before they connected.
func (p *practice) comesBack(t *testing.T, before sample) {
	t.Helper()
	p.stream.close()
	after, looks := p.sample(), time.NewTicker(20*time.Millisecond)
	defer looks.Stop()
	for end := time.Now().Add(waitLimit); !after.near(before) && time.Now().Before(end); after = p.sample() {
		<-looks.C
	}
	figure(t, after.near(before), "without clients: %.0f goroutines and %.0f open files before the load, %.0f and %.0f after the last (bound: %d apart)",
		before.goroutines, before.files, after.goroutines, after.files, mostApart)
	if !after.near(before) && !proving.On() {
		t.Errorf("%s after the last request the server still holds more or less than before the load", waitLimit)
	}
}

// near reports whether a server holds as much as at another time.
func (m sample) near(other sample) bool {
	return math.Abs(m.goroutines-other.goroutines) <= mostApart && math.Abs(m.files-other.files) <= mostApart
}

// A sample is what a server holds at one time. How many connections there are is the
// clients' choice, who keep more after a moment in which answers were late.
type sample struct {
	at                               time.Duration
	goroutines, files, clients, heap float64
}

// sample reads the server's metrics. Its heap is what was in use after the last collection.
func (p *practice) sample() sample {
	p.t.Helper()
	m := p.metrics()
	heap := m["go_gc_heap_live_bytes"]
	if heap == 0 {
		p.t.Fatal("the metrics do not tell what is in use of the heap")
	}
	return sample{goroutines: m["go_goroutines"], files: cmp.Or(p.files(), m["process_open_fds"]), clients: p.clients(), heap: heap}
}

// A soak is what was measured in a long time.
type soak struct {
	lasts   time.Duration
	all     *phase
	samples []sample
}

// soak works for a while, and takes a sample every five seconds.
func (p *practice) soak(t *testing.T, rate float64, lasts time.Duration) soak {
	t.Helper()
	s := soak{lasts: lasts}
	began, told := time.Now(), time.Duration(0)
	for time.Since(began) < lasts {
		one := merged(ended(p.in(t.Context(), rate, 5*time.Second))...)
		if s.all == nil {
			s.all = one
		} else {
			s.all = merged(s.all, one)
		}
		m := p.sample()
		m.at = time.Since(began)
		s.samples = append(s.samples, m)
		if m.at-told >= time.Minute {
			told = m.at
			t.Logf("%s: %.0f goroutines, %.0f files, %.0f connections, heap %.2f MiB; %s", m.at.Round(time.Second), m.goroutines, m.files, m.clients, m.heap/(1<<20), one)
		}
	}
	return s
}

// faults counts the answers of 5xx, those that report overload included, and the
// requests without an answer.
func (s soak) faults() (n int) {
	for what, times := range s.all.counts {
		if what.status == 0 || what.status >= http.StatusInternalServerError {
			n += times
		}
	}
	return n
}

// flat compares, under load, the last quarter of the time with the second.
func (s soak) flat(t *testing.T, what string, of func(sample) float64) {
	t.Helper()
	early, late := s.median(0.25, 0.5, of), s.median(0.75, 1, of)
	margin := max(5, 0.02*early)
	figure(t, math.Abs(late-early) <= margin, "%s under load: %.0f in the second quarter, %.0f in the last (bound: %.0f apart)", what, early, late, margin)
}

// median of the samples of a part of the time.
func (s soak) median(from, to float64, of func(sample) float64) float64 {
	var all []float64
	for _, m := range s.samples {
		if part := m.at.Seconds() / s.lasts.Seconds(); part >= from && part < to {
			all = append(all, of(m))
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// heap checks that the heap does not grow after the first fifth of the time, by
// the least of each minute: the interval of its slope holds 0, or is below. Of a
// heap that does not grow, one in forty such intervals is above.
func (s soak) heap(t *testing.T) {
	t.Helper()
	hours, mebibytes := s.leasts()
	if len(hours) < 5 {
		t.Errorf("%d blocks of samples are too few for a slope", len(hours))
		return
	}
	slope, margin := regression(hours, mebibytes)
	figure(t, !grows(slope, margin), "heap: %.2f MiB at the end, slope %+.2f MiB/h, 95 %% interval %+.2f to %+.2f (bound: it holds 0, or is below)",
		mebibytes[len(mebibytes)-1], slope, slope-margin, slope+margin)
}

// grows reports whether a slope is above 0 by more than chance.
func grows(slope, margin float64) bool { return slope-margin > 0 }

// leasts are the blocks of samples after the warm-up: the middle of each in
// hours, and its least heap. A block is a minute, and shorter if the soak is.
func (s soak) leasts() (hours, mebibytes []float64) {
	block := min(time.Minute, s.lasts/25)
	for start := s.lasts / 5; start+block <= s.lasts; start += block {
		least := math.Inf(1)
		for _, m := range s.samples {
			if m.at >= start && m.at < start+block {
				least = min(least, m.heap/(1<<20))
			}
		}
		if !math.IsInf(least, 1) {
			hours = append(hours, (start + block/2).Hours())
			mebibytes = append(mebibytes, least)
		}
	}
	return hours, mebibytes
}

// regression is the slope of a line through points, and how far its 95 %
// confidence interval reaches to either side. There are three points at least.
func regression(xs, ys []float64) (slope, margin float64) {
	n := float64(len(xs))
	var meanX, meanY, xx, xy, rest float64
	for i := range xs {
		meanX += xs[i] / n
		meanY += ys[i] / n
	}
	for i := range xs {
		xx += (xs[i] - meanX) * (xs[i] - meanX)
		xy += (xs[i] - meanX) * (ys[i] - meanY)
	}
	slope = xy / xx
	for i := range xs {
		off := ys[i] - meanY - slope*(xs[i]-meanX)
		rest += off * off
	}
	return slope, studentT(n-2) * math.Sqrt(rest/(n-2)/xx)
}

// studentT is how many standard errors hold 95 % of Student's distribution, by
// the expansion around the normal one: within 1 % from three degrees of freedom.
func studentT(freedom float64) float64 {
	const z = 1.959964
	z2 := z * z
	return z * (1 + (z2+1)/(4*freedom) + ((5*z2+16)*z2+3)/(96*freedom*freedom) +
		(((3*z2+19)*z2+17)*z2-15)/(384*freedom*freedom*freedom))
}
