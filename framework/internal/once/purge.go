package once

import (
	"context"
	"fmt"
	"time"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/table"
)

// A Keyring deletes the idempotency keys that are older than their lifetime, for one API.
type Keyring struct{ *table.Registry }

// NewKeyring makes the keyring of a registry.
func NewKeyring(a *table.Registry) Keyring { return Keyring{a} }

const (
	purgeEvery  = 60   // minutes
	purgeAtOnce = 1000 // rows in one statement
)

// Run deletes expired keys every hour, the first time after a minute, until ctx ends. Each time it
// also calls the functions in also. It calls report for each error, panics included, except after
// ctx has ended.
func (a Keyring) Run(ctx context.Context, report func(error), also ...func(context.Context) error) {
	ticker := time.NewTicker(time.Minute)
	defer ticker.Stop()
	a.runAt(ctx, ticker.C, report, also...)
}

// runAt is Run with a channel that receives a value every minute.
func (a Keyring) runAt(ctx context.Context, minutes <-chan time.Time, report func(error), also ...func(context.Context) error) {
	for turn := 0; ; turn++ {
		select {
		case <-ctx.Done():
			return
		case <-minutes:
			if turn%purgeEvery != 0 {
				continue
			}
			for _, work := range append([]func(context.Context) error{a.purged}, also...) {
				if err := work(ctx); err != nil && ctx.Err() == nil {
					report(err)
				}
			}
		}
	}
}

// purged runs Purge and turns a panic into an error: a panic in this goroutine would end the
// process.
func (a Keyring) purged(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("framework: deleting old idempotency keys ended in a %w", fault.Panicked(p))
		}
	}()
	_, err = a.Purge(ctx)
	return err
}

// Purge deletes the keys whose lifetime is over, at most 1000 in one statement, and returns their
// number. With an error, it returns the number of keys that it deleted before the error. An API that stores no keys
// has none to delete, and needs no table.
func (a Keyring) Purge(ctx context.Context) (int64, error) {
	if a.Config.IdempotencyKeys < 0 {
		return 0, nil
	}
	for total := int64(0); ; {
		n, err := a.purgeSome(ctx, purgeAtOnce)
		if err != nil {
			return total, fmt.Errorf("framework: old idempotency keys could not be deleted, after %d: %w", total, err)
		}
		if total += n; n < purgeAtOnce {
			return total, nil
		}
	}
}

// purgeSome deletes the oldest keys whose lifetime is over, up to the number most. It checks
// created_at twice: the subquery may still return a key that another request has claimed again
// in the meantime.
func (a Keyring) purgeSome(ctx context.Context, most int) (n int64, err error) {
	over := a.Config.Now().UTC().Add(-limits.KeyLife)
	s := a.DB.Session()
	err = a.DB.Retry(ctx, func() error {
		result, err := s.Exec(ctx, s.IDB().NewRaw(`
			DELETE FROM idempotency_keys WHERE created_at <= ? AND (caller, route, key) IN (
				SELECT caller, route, key FROM idempotency_keys WHERE created_at <= ? ORDER BY created_at LIMIT ?)`, over, over, most))
		if err != nil {
			return err
		}
		n, err = result.RowsAffected()
		return err
	})
	return n, err
}
