package redisthrottle

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"trestle.example/framework/throttle"
)

//go:embed take.lua
var takeScript string

// Options are the settings of a [Store].
type Options struct {
	// Prefix begins every key. Defaults to "trestle:throttle:".
	Prefix string
	// Timeout is the longest time that one request waits for Redis in total. Defaults to
	// 250 milliseconds.
	Timeout time.Duration
	// Fallback counts while Redis does not answer or returns errors. Defaults to a [throttle.Memory].
	Fallback throttle.Store
	// Log receives a line when Redis begins to fail and when it answers again. Defaults to
	// slog.Default.
	Log *slog.Logger
}

// A Store is a [throttle.Store] in Redis, safe for concurrent use.
type Store struct {
	client   *redis.Client
	take     *redis.Script
	prefix   string
	timeout  time.Duration
	fallback throttle.Store
	log      *slog.Logger
	breaker  breaker
}

var _ throttle.Store = (*Store)(nil)

// Open makes a store for the Redis at an address such as
// redis://user:password@localhost:6379/0, rediss:// for TLS, or unix:///run/redis.sock.
// It does not connect, so it succeeds even if Redis does not answer. A malformed address is
// an error, which does not repeat the address. Close the store when it is no longer used.
func Open(url string, o Options) (*Store, error) {
	settings, err := redis.ParseURL(url)
	if err != nil {
		// The error repeats neither the address nor the cause: they may contain a
		// password.
		return nil, errors.New("this is not the address of a Redis server: it should look like redis://:password@localhost:6379/0")
	}
	if o.Prefix == "" {
		o.Prefix = "trestle:throttle:"
	}
	if o.Timeout <= 0 {
		o.Timeout = 250 * time.Millisecond
	}
	if o.Fallback == nil {
		o.Fallback = new(throttle.Memory)
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Store{
		client: newClient(settings, o.Timeout), take: redis.NewScript(takeScript),
		prefix: o.Prefix, timeout: o.Timeout, fallback: o.Fallback, log: o.Log,
	}, nil
}

// Close closes the connections.
func (s *Store) Close() error { return s.client.Close() }

// Take implements [throttle.Store]. It returns an error only for an invalid rate, or if
// the fallback fails.
func (s *Store) Take(ctx context.Context, key string, rate throttle.Rate) (throttle.Quota, error) {
	if err := rate.Check(); err != nil {
		return throttle.Quota{}, err
	}
	ask, probing := s.breaker.pass()
	if !ask {
		return s.fallback.Take(ctx, key, rate)
	}
	q, err := s.ask(ctx, key, rate)
	if err != nil {
		if s.breaker.fail(probing) {
			s.log.WarnContext(ctx, "Redis does not answer: throttles count in this process until it is back", "error", err)
		}
		return s.fallback.Take(ctx, key, rate)
	}
	if s.breaker.succeed(probing) {
		s.log.InfoContext(ctx, "Redis is back: throttles count there again")
	}
	return q, nil
}

// ask counts in Redis. If the client disconnects, the request still counts, and Redis
// does not count as failed.
func (s *Store) ask(ctx context.Context, key string, rate throttle.Rate) (throttle.Quota, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
	defer cancel()
	answer, err := s.take.Run(ctx, s.client, []string{s.redisKey(key, rate)},
		rate.Limit, rate.Per.Microseconds(), max(1, rate.Grain().Microseconds())).Int64Slice()
	if err != nil {
		return throttle.Quota{}, err
	}
	if len(answer) != 3 {
		return throttle.Quota{}, fmt.Errorf("the script answers with %d numbers, not 3", len(answer))
	}
	return quota(rate, answer[0] == 1, int(answer[1]), time.Duration(answer[2])*time.Microsecond), nil
}

func quota(rate throttle.Rate, passes bool, used int, reset time.Duration) throttle.Quota {
	q := throttle.Quota{Limit: rate.Limit, Remaining: max(0, rate.Limit-used), Reset: reset}
	if !passes {
		q.Wait = reset
	}
	return q
}

// redisKey returns the key for Redis. It cannot be reversed, but a guess can be checked
// against it. So Redis contains no secrets, but must not be public.
func (s *Store) redisKey(key string, rate throttle.Rate) string {
	sum := sha256.Sum256([]byte(rate.String() + " " + key))
	return s.prefix + base64.RawURLEncoding.EncodeToString(sum[:])
}
