// Package sqldb opens a SQLite or PostgreSQL database from a URL and hides
// what differs between the two: how values are bound, how statements are
// prepared and bounded in time, what an error means, how text is searched and
// how the schema is migrated.
//
// Statements are built with bun. A [Session] runs them with every value sent
// beside the text, never in it, as prepared statements from a bounded cache;
// [DB.InTx] runs a function in one transaction and repeats it when the
// database requires that.
//
// # Waiting together
//
// Outside a transaction, requests that wait at the same time need not wait one
// after the other. Each answer includes everything that was committed before its request
// began. A write is answered after its commit. No request gets the rows or errors of another:
//
//   - [Session.Read]: equal statements with equal values have one execution.
//   - [Session.ReadBy]: reads of one [Lookup] by different keys are one statement.
//   - [Session.Write]: writes of different rows are one statement and one commit
//     (PostgreSQL), or one transaction (SQLite).
//   - [Session.Count]: a number that is at most two seconds old is repeated if nothing was
//     committed since it was counted.
//
// Statements that lock, or that call an unknown function, run by themselves. So do keys
// that the database may consider equal, and statements in transactions. With
// [Options.NoPrepare] only equal statements of [Session.Read] share an execution. A [Template] is a statement that is built once, for any of
// these methods.
//
// # Reading from a replica
//
// A standby of PostgreSQL, [Options.Replica], may answer the reads of a
// [Session.Replica]. Each answer includes everything that was committed before the read
// began, in any process. If the standby cannot answer at once, the primary does.
//
// # A server that is away
//
// A PostgreSQL server from which no data arrives, because it is frozen or cut off, is
// noticed within three seconds, independently of the deadlines. If no connection is open,
// it is noticed when making one takes ten seconds. Statements that wait for the server
// end, and new statements fail at once, as with a closed port. Both
// errors are [Unavailable]. The database finds the server again by itself;
// [DB.ObserveAway] reports it.
//
// # Waiting for a connection
//
// Statements and transactions wait for a connection in a fair queue. The client that
// used the database least goes first: use is the time for which its connections were
// held, and half of it is forgotten each second. The client of a request is its caller,
// or its address until the caller is known; package framework sets it. A statement
// without a client belongs to the program, which counts as one more client.
//
// A request waits for [Options.QueueTimeout] at most, in all its waits together. Then
// its statement fails and was not run: see [IsOverloaded]. A statement of a request
// that already holds a connection does not wait in the queue. SQLite has a second queue
// for its one writer.
//
// Both drivers are wrapped in one place, so deadlines, cancellation and
// [DB.Observe] hold for every statement, whichever way it was sent.
package sqldb
