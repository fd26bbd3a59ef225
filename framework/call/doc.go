// Package call defines what a request carries through the framework: the [Call], its
// [Caller], and the parts of an access check, [Authenticator], [Permission] and [Throttle].
// Package framework has an alias of each name that a program needs.
package call
