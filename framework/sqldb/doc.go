// Package sqldb opens a SQLite or PostgreSQL database from a URL and hides
// what differs between the two: how values are bound, how statements are
// prepared and bounded in time, what an error means, how text is searched and
// how the schema is migrated.
//
// Statements are built with bun. A [Session] runs them with every value sent
// beside the text, never in it, as prepared statements from a bounded cache;
// [DB.InTx] runs a function in one transaction and repeats it whole when the
// database asks for that.
//
// Both drivers are wrapped in one place, so deadlines, cancellation and
// [DB.Observe] hold for every statement, whichever way it was sent.
package sqldb
