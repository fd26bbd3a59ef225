// Package auth keeps users, groups, permissions and credentials, and recognises
// callers by them.
//
//   - [Users] is where accounts are made and changed.
//   - [Token], [Sessions] and [JWT] are the schemes that a framework.API is
//     given: opaque tokens for scripts, cookies with CSRF protection for
//     browsers, signed tokens that expire and are refreshed.
//   - [Migrations] are the tables.
//
// Passwords are hashed with argon2id (RFC 9106) and never kept or printed.
// Tokens are 256 random bits of which only a SHA-256 is kept. A permission is
// a text "<resource>.<right>", with the rights add, change, delete and view
// for what the framework itself asks for; a user holds their own and those of
// their groups.
//
// Each scheme is one file that ends in _scheme.go.
package auth
