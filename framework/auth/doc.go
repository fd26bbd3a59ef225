// Package auth stores users, groups, permissions and credentials, and authenticates
// callers.
//
//   - [Service] is the complete service for one API: all schemes, the endpoints below
//     /auth, their rates and the audit log. Begin there.
//   - [Users] creates and changes accounts. [AccountOptions] lets users do that themselves,
//     and [Profile] adds columns of the program.
//   - [Passwords] hashes and checks passwords for a program with a table of its own.
//   - [Tokens], [Sessions] and [JWT] are the schemes. Each also works alone: opaque
//     tokens for scripts, cookies with CSRF protection for browsers, signed tokens that
//     expire and are refreshed.
//   - [Migrations] create the tables.
//
// Passwords are never stored or printed; their hashes are stored, Argon2id by default (RFC
// 9106). [HashOptions] lists the formats that are read. Opaque tokens are 256
// random bits; only their SHA-256 and their first 8 characters are stored. A permission is a
// text "<resource>.<right>". The framework itself requires the rights add, change, delete and
// view. A user holds their own permissions and the permissions of their groups. A superuser
// holds every permission.
//
// Each scheme is in a file whose name ends in _scheme.go. The code that signs callers in
// with it is in a file whose name begins with signin_.
package auth
