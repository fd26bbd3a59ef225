// Package redisthrottle keeps the counts of package throttle in Redis, version
// 5 or newer, so that all processes of a service share one limit.
//
//	store, err := redisthrottle.Open(os.Getenv("REDIS_URL"), redisthrottle.Options{})
//
// One script counts a request in one atomic step, by Redis's own clock. Keys are
// hashed: no address and no e-mail is kept in Redis. Each key goes when its
// window has passed.
//
// When Redis does not answer within a quarter of a second, nothing fails: the
// limits go on in each process, the log says so once, and Redis is tried again
// each second until it answers, which the log says too.
package redisthrottle
