// Package exchange has the callers and endpoints of a proof, the requests that a caller sends to an endpoint, and the answers. It
// knows no rows.
package exchange
