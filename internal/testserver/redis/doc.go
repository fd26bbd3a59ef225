// Package redis gives tests a real Redis without asking anybody to set one up.
//
// [Server] is what a test calls: the URL of a server that is its process's own,
// started once from the program found on the machine, or of the one that the
// environment variable TEST_REDIS_URL names. A machine without Redis fails the
// test and says what to install; nothing is ever skipped.
//
// A private server listens on 127.0.0.1 only, has a random password, keeps
// nothing on disk, and ends with the process that started it, kill -9 included.
// It needs a Unix-like system. Elsewhere set TEST_REDIS_URL.
package redis
