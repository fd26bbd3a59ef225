// Package hashers reads and writes password hashes: Argon2id in the form of Trestle, the
// formats of Django, and bcrypt as Rails and Devise store it.
//
//	read, err := hashers.Read(stored, hashers.ReadOptions{})
//	ok := read.Matches(password)
//	if ok && !format.IsCurrent(read) {
//		stored, err = format.New(password)
//	}
//
// Read rejects a hash whose work or memory exceeds the bounds in bounds.go, before any work.
// Matches and New take as long as the cost of the hash; the caller must limit how many run at
// once. No error repeats a hash or a password.
//
// Everything in this package is safe for concurrent use.
package hashers
