// Package describe describes a checked API to clients: what each endpoint takes, answers
// and rejects, and what it is to a caller.
package describe
