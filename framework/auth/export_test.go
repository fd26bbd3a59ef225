package auth

import (
	"context"
	"sync/atomic"

	"trestle.example/framework/auth/internal/hashers"
	"trestle.example/framework/internal/fair"
)

// CheapHashes are hashes of Argon2id at the lowest cost, for tests that do not test hashes.
func CheapHashes() HashFormat {
	return HashFormat{hashers.Argon2id{Memory: 64, Passes: 1, Threads: 1}}
}

// CountHashes counts the hashes of a service from now on. Call it before the service is
// used.
func CountHashes(s *Service) *atomic.Int64 {
	count, run := new(atomic.Int64), s.Users.passwords.hasher.run
	s.Users.passwords.hasher.run = func(work func()) {
		count.Add(1)
		run(work)
	}
	return count
}

// WhileHashing runs fn inside every hash from now on: after the user was read and before
// the password is checked.
func WhileHashing(s *Service, fn func()) {
	run := s.Users.passwords.hasher.run
	s.Users.passwords.hasher.run = func(work func()) {
		fn()
		run(work)
	}
}

// FillQueue fills the queue for hashes with passwords of one address, until release is
// called.
func FillQueue(s *Service, address string) (release func()) {
	var turns []*fair.Turn
	for range hashSlots + hashQueue {
		turns = append(turns, s.Users.passwords.hasher.slots.Enter(fair.Client{Anonymous: true, Address: address, Resource: "/auth"}))
	}
	return func() {
		for _, turn := range turns {
			turn.End()
		}
	}
}

// WaitForMail waits until the outbox of a service has sent every mail.
func WaitForMail(ctx context.Context, s *Service) error { return s.outbox.Wait(ctx) }
