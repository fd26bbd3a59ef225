// Package redisthrottle stores the counts of package throttle in Redis, version 5 or
// newer, so that all processes of a service share one limit.
//
//	store, err := redisthrottle.Open(os.Getenv("REDIS_URL"), redisthrottle.Options{})
//
// One script counts a request in one atomic step, by the clock of Redis. Keys are hashed,
// so Redis stores no address and no e-mail. Each key expires with its window.
//
// If Redis returns an error or does not answer within [Options].Timeout, requests do not
// fail: each process counts by itself, and the log reports it once. Then at most one request
// per second and process tries Redis again until it answers, and the log reports that too.
package redisthrottle
