// Package redis gives tests a real Redis that needs no setup.
//
// Tests call [Server]. It returns the URL of a server. If the environment variable
// TEST_REDIS_URL is set, it is that one; else it is a private server, started once for
// the process from the installed program. Without Redis the test fails and states what to
// install; it is never skipped.
//
// A private server listens on 127.0.0.1 only, has a random password, and stores nothing
// on disk. It ends with the process that started it, even after kill -9. It needs a
// Unix-like system. On other systems set TEST_REDIS_URL.
package redis
