// Package pgbouncer gives tests a real pgbouncer in transaction mode, as between a
// program and PostgreSQL in production.
//
// Tests call [Pooled]. It returns the URL of a database through a pooler that belongs to
// the test and runs the installed program. If there is none, the test fails and states
// what to install.
//
// A pooler listens on 127.0.0.1 only and uses the password of the server. It gives a
// connection of the server to each transaction. It has four of them for each database;
// that of [Narrow] has one. It ends with the process that started it, even after kill -9.
// It needs a Unix-like system.
package pgbouncer
