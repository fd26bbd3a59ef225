// Package auth keeps users, groups, permissions and credentials, and recognises
// callers by them.
//
//   - [Service] is all of it for one API: the schemes in turn, the endpoints
//     below /auth, their rates and the audit. Begin there.
//   - [Users] is where accounts are made and changed.
//   - [Tokens], [Sessions] and [JWT] are the schemes, each of use by itself:
//     opaque tokens for scripts, cookies with CSRF protection for browsers,
//     signed tokens that expire and are refreshed.
//   - [Migrations] are the tables.
//
// Passwords are hashed with argon2id (RFC 9106) and never kept or printed.
// Tokens are 256 random bits of which only a SHA-256 is kept. A permission is
// a text "<resource>.<right>", with the rights add, change, delete and view
// for what the framework itself asks for; a user holds their own and those of
// their groups.
//
// Each scheme is one file that ends in _scheme.go; how callers sign in with it
// is one that begins with signin_.
package auth
