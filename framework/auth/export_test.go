package auth

import (
	"sync/atomic"

	"trestle.example/framework/internal/fair"
)

// CountHashes counts how often a service hashes a password from now on. Call it
// before the service is used.
func CountHashes(s *Service) *atomic.Int64 {
	count, derive := new(atomic.Int64), s.Users.hasher.derive
	s.Users.hasher.derive = func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte {
		count.Add(1)
		return derive(password, salt, passes, memory, threads, keyLen)
	}
	return count
}

// WhileHashing lets fn run inside every hash from now on: between the moment at
// which a user was read and the one at which the password is known to hold.
func WhileHashing(s *Service, fn func()) {
	derive := s.Users.hasher.derive
	s.Users.hasher.derive = func(password, salt []byte, passes, memory uint32, threads uint8, keyLen uint32) []byte {
		fn()
		return derive(password, salt, passes, memory, threads, keyLen)
	}
}

// FillQueue has as many passwords of an address wait to be hashed as may wait, until
// release is called.
func FillQueue(s *Service, address string) (release func()) {
	var turns []*fair.Turn
	for range hashSlots + hashQueue {
		turns = append(turns, s.Users.hasher.slots.Enter(fair.Client{Anonymous: true, Address: address, Resource: "/auth"}))
	}
	return func() {
		for _, turn := range turns {
			turn.End()
		}
	}
}
