// Package postgres gives tests a real PostgreSQL that needs no setup.
//
// Tests call [Database]. It returns a fresh, empty database, which is dropped when the
// test ends. The database is on the server that the environment variable
// TEST_DATABASE_URL names. If the variable is unset, it is on a private [Cluster], which
// is started once for the test process from the installed PostgreSQL programs. Without
// them the test fails and states what to install; it is never skipped.
//
// A cluster belongs to the process that started it. A small shell program, the keeper,
// owns the server and its folder, and ends both when its standard input closes. The
// system closes it when the process ends in any way, even after kill -9, so no server is
// left behind.
//
// Clusters need a Unix-like system. On other systems set TEST_DATABASE_URL.
package postgres
