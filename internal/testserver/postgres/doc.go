// Package postgres gives tests a real PostgreSQL without asking anybody to set
// one up.
//
// [Database] is what a test calls: a fresh, empty database, dropped when the
// test ends. It lives on the server that the environment variable
// TEST_DATABASE_URL names or, when that is unset, on a private [Cluster] which
// is started once for the test process from the PostgreSQL programs found on
// the machine. A machine without them fails the test and says what to install;
// nothing is ever skipped.
//
// A cluster belongs to the process that started it. A small shell program, the
// keeper, holds the server and its folder and ends both when its standard input
// closes; the system closes it however the process ends, kill -9 included, so
// no server is left behind.
//
// Clusters need a Unix-like system. Elsewhere set TEST_DATABASE_URL.
package postgres
