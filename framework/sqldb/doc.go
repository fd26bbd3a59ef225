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
// # Waiting together
//
// Outside a transaction, requests that wait at the same time need not wait one
// after the other. None is answered with less than what was committed before it
// asked, nothing is answered before it is committed, and none is given another's
// rows or errors:
//
//   - [Session.Read]: equal statements with equal values have one execution.
//   - [Session.ReadBy]: reads of one [Lookup] by different keys are one statement.
//   - [Session.Write]: writes of different rows are one statement and one commit
//     (PostgreSQL), or one transaction (SQLite).
//   - [Session.Count]: a number is made anew only if something was committed
//     (PostgreSQL, outside a standby).
//
// Each steps aside where it is not sure of that: for statements that lock, or that
// call what it does not know; for keys of which two may be one to the database; in
// transactions; with [Options.NoPrepare]. A [Template] is a statement that is built
// once, for any of them.
//
// # Reading from a replica
//
// A standby of PostgreSQL, [Options.Replica], may answer the reads of a
// [Session.Replica], and answers none of them with less than what was committed
// before it asked, through whichever process. What it cannot answer at once the
// primary does.
//
// # A server that is away
//
// A PostgreSQL server from which nothing comes any more, as one that is frozen or
// cut off, is noticed within three seconds, whatever the deadlines; where no
// connection is open, when making one takes ten. What waits for it ends, and what is
// asked of it meanwhile fails at once, as of one that refuses connections. Both are
// [Unavailable]. It is found again by itself; [DB.ObserveAway] tells.
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
