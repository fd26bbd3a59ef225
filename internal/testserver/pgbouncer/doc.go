// Package pgbouncer gives tests a real pgbouncer that pools transactions: what a
// program meets that reaches PostgreSQL by a pooler.
//
// [Pooled] is what a test calls: the URL of its database by way of a pooler that
// is the test's own, started from the program found on the machine. A machine
// without it fails the test and says what to install.
//
// A pooler listens on 127.0.0.1 only and takes the server's own password. It gives
// a connection of the server to each transaction, and has four of them for each
// database; that of [Narrow] has one. It ends with the process that started it, kill -9 included, and needs
// a Unix-like system.
package pgbouncer
