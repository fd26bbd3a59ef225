// Package describe describes a checked API to clients: what each endpoint takes, answers and
// rejects, and which callers may use it. It makes the plain data of package spec.
package describe
