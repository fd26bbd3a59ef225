// Package sqldb opens a SQLite or PostgreSQL database from a URL and hides
// what differs between the two: how values are bound, how statements are
// prepared and bounded in time, what an error means, how text is searched and
// how the schema is migrated.
//
// Statements are built with bun. A [Session] runs them as prepared
// statements from a bounded cache. It sends texts, times, binary values and
// each [Param] beside the text; [Session.Query] lists the exceptions.
// [DB.InTx] runs a function in one transaction and repeats it when the
// database requires that.
//
// # Waiting together
//
// Outside a transaction, requests that wait at the same time need not wait one after the
// other. Each answer includes everything that was committed before its request began. A
// write is answered after its commit. No request gets the rows of another. Requests that
// share an execution share its error only if the database is too slow or unavailable, or if
// the outcome of a write is unknown. These methods share executions:
//
//   - [Session.Read]: equal statements with equal values have one execution.
//   - [Session.ReadBy]: reads of one [Lookup] by different keys are one statement.
//   - [Session.Write]: writes of different rows are one statement and one commit
//     (PostgreSQL), or one transaction (SQLite).
//   - [Session.Count]: a number that is at most two seconds old is repeated if nothing was
//     committed since it was counted.
//
// Statements that lock, or that call an unknown function, run by themselves. So do lookups
// and writes by a key of a type that [Session.ReadBy] does not share, and statements in
// transactions. With [Options.NoPrepare] only equal reads share an execution. A [Template]
// is a statement that is built once, for any of these methods.
//
// # Reading from a replica
//
// A standby of PostgreSQL, [Options.Replica], may answer the reads of a [Session.Replica].
// Each answer includes everything that was committed before the read began, in any process.
// If the standby is more than 50 ms behind, or fails, the primary answers;
// [Session.Replica] lists the exceptions.
//
// # A server that is away
//
// A PostgreSQL server from which no data arrives, because it is frozen or cut off, is
// noticed within three seconds, independently of the deadlines. If no connection is open,
// it is noticed when making one takes longer than connect_timeout, ten seconds by default.
// Statements that wait for the server end, and new statements fail at once, as with a
// closed port. Both errors are [Unavailable]. The DB itself finds out when the server
// answers again; [DB.ObserveAway] reports both.
//
// # Waiting for a connection
//
// Statements and transactions wait for a connection in a fair queue. The client that used
// the database least goes first: use is the time for which its connections were held, and
// half of it is forgotten each second. The client of a request is its caller, or its
// address while no caller is known; package framework sets it. A statement without a client
// belongs to the program, which counts as one more client.
//
// A request waits for [Options.QueueTimeout] at most, in all its waits together, and less
// if too many wait. Then its statement fails and was not run: see [IsOverloaded]. A
// statement of a request that already holds a connection does not wait in the queue. SQLite
// has a second queue for its one writer.
//
// Both drivers are wrapped in one place, so deadlines, cancellation and
// [DB.Observe] hold for every statement, whichever way it was sent.
package sqldb
