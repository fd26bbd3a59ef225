package main

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"trestle.example/internal/testserver/postgres"
	"trestle.example/internal/testserver/redis"
)

const redisAway = "Redis does not answer"

// TestTwoServersShareTheirLimits through one Redis, and go on by themselves
// without it.
func TestTwoServersShareTheirLimits(t *testing.T) {
	t.Parallel()
	program, database := buildProgram(t), postgres.Database(t)
	// Redis has a quarter of a second to answer. If the machine is too busy for
	// that, the servers say so and count apart, and the test says nothing.
	for range 10 {
		if twoServersShare(t, program, database) || t.Failed() {
			return
		}
		t.Log("Redis was too slow; once more")
	}
	t.Error("Redis was too slow each time")
}

// twoServersShare reports whether Redis answered both, so that the test holds.
func twoServersShare(t *testing.T, program, database string) bool {
	t.Helper()
	counters, err := redis.Start(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = counters.Stop() }()
	env := []string{"REDIS_URL=" + counters.URL(), "TRESTLE_RATES=anon=50/hour,login=5/hour"}
	servers := []*served{startProgram(t, program, database, env...), startProgram(t, program, database, env...)}
	defer func() {
		for i := 0; i < len(servers) && t.Failed(); i++ {
			t.Logf("server %d: %s", i+1, servers[i].stderr)
		}
	}()
	visitors := make([]visitor, len(servers))
	for i, s := range servers {
		visitors[i] = visit(t, s.base(t), nil)
		defer func() {
			visitors[i].client.CloseIdleConnections() // a server waits for connections that were never used
			s.stop(t)
		}()
	}

	reads := atOnce(t, 100, visitors, "GET /api/auth/session", "")
	logins := atOnce(t, 20, visitors, "POST /api/auth/login", wrongPassword(0))
	for _, s := range servers {
		if strings.Contains(s.stderr.String(), redisAway) {
			return false
		}
	}
	limited(t, reads, http.StatusOK, 50, `"anon";q=50;w=3600`)
	limited(t, logins, http.StatusUnauthorized, 5, `"login";q=5;w=3600`)

	if err := counters.Stop(); err != nil {
		t.Fatal(err)
	}
	for i, s := range servers {
		one := visitors[i : i+1]
		limited(t, atOnce(t, 60, one, "GET /api/auth/session", ""), http.StatusOK, 50, `"anon";q=50;w=3600`)
		limited(t, atOnce(t, 10, one, "POST /api/auth/login", wrongPassword(0)), http.StatusUnauthorized, 5, `"login";q=5;w=3600`)
		if n := strings.Count(s.stderr.String(), redisAway); n != 1 {
			t.Errorf("server %d says %d times that Redis is away", i+1, n)
		}
		if password, _, _ := strings.Cut(strings.TrimPrefix(counters.URL(), "redis://:"), "@"); strings.Contains(s.stderr.String(), password) {
			t.Errorf("the log of server %d has the password of Redis", i+1)
		}
	}
	return true
}

// atOnce sends a request many times, to the visitors in turn.
func atOnce(t *testing.T, times int, to []visitor, request, body string) []answer {
	t.Helper()
	answers := make([]answer, times)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = to[i%len(to)].send(t, request, body) })
	}
	all.Wait()
	return answers
}

// limited checks that exactly as many passed as the rate lets pass, and the answers to
// the clients.
func limited(t *testing.T, answers []answer, passing, limit int, policy string) {
	t.Helper()
	statuses := map[int]int{}
	for _, got := range answers {
		statuses[got.status]++
		if told := strings.Join(got.header["Ratelimit-Policy"], ", "); !strings.Contains(told, policy) {
			t.Errorf("RateLimit-Policy is %q; want %q", told, policy)
		}
		scope, _, _ := strings.Cut(policy, ";")
		left := strings.Join(got.header["Ratelimit"], ", ")
		if !strings.Contains(left, scope+";r=") || got.status == http.StatusTooManyRequests && !strings.Contains(left, scope+";r=0;t="+got.header.Get("Retry-After")) {
			t.Errorf("RateLimit of a %d is %q, Retry-After %q", got.status, left, got.header.Get("Retry-After"))
		}
		if got.status == http.StatusTooManyRequests {
			got.is(t, http.StatusTooManyRequests, `"rate_limited"`)
			if wait, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || wait < 1 || wait > 3600 {
				t.Errorf("Retry-After is %q", got.header.Get("Retry-After"))
			}
		}
	}
	if statuses[passing] != limit || statuses[http.StatusTooManyRequests] != len(answers)-limit {
		t.Errorf("the answers are %v; want %d times %d, and 429", statuses, limit, passing)
	}
}
