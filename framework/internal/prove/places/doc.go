// Package places finds the places of a request where a proof puts a value of another caller's row: a member of the
// body, or a UUID in the body or the query.
package places
