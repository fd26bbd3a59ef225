// Package origin has the addresses at which clients reach the API, and finds the address and
// the scheme of a request behind trusted proxies.
package origin
