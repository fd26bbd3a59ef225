// Package throttle limits how often an API may be used: by anonymous callers, by each
// caller, and by scope, such as logging in.
//
//	store := new(throttle.Memory)
//	rates, err := throttle.ParseRates("login=5/min,user=1000/min,anon=60/min", "login", "user", "anon")
//
//	api := framework.New(framework.Config{
//		Throttles: []framework.Throttle{
//			throttle.Anonymous(store, rates["anon"]),
//			throttle.User(store, rates["user"]),
//		},
//		Authentication: throttle.Failures(throttle.New(store, "credentials", failures), auth.Token{}),
//	})
//	login := framework.OnCollection("POST", "login", signIn).
//		Throttle(throttle.Scoped(store, "login", rates["login"], throttle.ByAddress()))
//
// If the key is known only after the body was read, such as the account of a sign-in, use
// a [Limiter] inside the function:
//
//	if err := perAccount.Allow(c, account, throttle.Address(c)); err != nil {
//		return out, err // 429 with Retry-After
//	}
//
// # How requests are counted
//
// A rate such as 100/min is a sliding window: in any minute, whenever it begins, at most
// 100 requests pass. The store keeps a log of the times of these requests. For limits up
// to 100 the log is exact. For larger limits the window has 100 slots, so that a key
// stays small. Then a request counts up to one hundredth of the window too long, never
// too short. A rejected request does not count: a client that keeps trying waits no
// longer than one that does not.
//
// Counts are in a [Store] outside the database, so a request still counts if its
// transaction is rolled back. [Memory] keeps the counts in the process. Package
// redisthrottle keeps them in Redis, shared by several processes.
//
// # Response headers
//
// Each throttle that counted or rejected a request adds itself to the headers
// RateLimit-Policy and RateLimit, in the form of draft-ietf-httpapi-ratelimit-headers-10:
//
//	RateLimit-Policy: "login";q=5;w=60
//	RateLimit: "login";r=3;t=48
//
// The limit is five requests in 60 seconds. Three requests remain, and in 48 seconds
// there will be more. With a 429, t equals Retry-After.
package throttle
