// Package throttle limits how often an API may be used: by anybody, by each
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
// What is known only after the body was read, such as the account that somebody
// signs in to, is limited inside the function with a [Limiter]:
//
//	if err := perAccount.Allow(c, account, throttle.Address(c)); err != nil {
//		return out, err // 429 with Retry-After
//	}
//
// # How requests are counted
//
// A rate such as 100/min is a sliding window: of any minute, whenever it
// begins, at most 100 requests pass. It is a log of the times at which requests
// passed, exact for limits up to 100. A larger limit shares a hundred slots of
// the window, so that a key stays small; a request is then forgotten up to one
// hundredth of the window late, never early. A refused request is not counted:
// who keeps trying waits no longer than who does not.
//
// Counts live in a [Store], outside the database: a request that is refused and
// rolled back has been counted all the same. [Memory] keeps them in the process;
// package redisthrottle keeps them in Redis, for several processes together.
//
// # What the client is told
//
// Each throttle that counted a request adds itself to the headers
// RateLimit-Policy and RateLimit, in the form of
// draft-ietf-httpapi-ratelimit-headers-10:
//
//	RateLimit-Policy: "login";q=5;w=60
//	RateLimit: "login";r=3;t=48
//
// Five requests in 60 seconds; three remain, and 48 seconds from now there will
// be more. On a 429 t is the same as Retry-After.
package throttle
