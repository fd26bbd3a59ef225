// Package httpserver serves a handler within limits: it bounds the connections, the time
// and the memory that clients can use.
//
//	server := httpserver.New(handler, httpserver.Options{Limits: httpserver.Limits{Conns: 1000}})
//	err := server.Serve(ctx, listener) // until ctx ends
//
// # Connections
//
// At most [Limits].Conns connections are open. If a new connection exceeds the limit, the
// server closes another one to make room:
//
//   - the connection that has been idle between requests for longest,
//   - else the one whose request, head or body, has been arriving for longest,
//   - else the one whose client has left its answer unread for longest, at least a second.
//
// To make room the server never closes a connection whose handler works. If it can close
// none, the new connection waits. So slow clients, however many, do not keep fast clients
// out. The limit is lower if the process may open too few files. If the listener runs out of
// files anyway, it closes a connection by the same rule.
//
// With HTTP/2 one connection has many requests. The first request of a connection needs
// no room of its own. All connections together may have Conns further requests. One
// connection may have at most 100 requests, and at most as many further requests as remain
// for the others. A request without room is answered 503 without a body. If a client leaves
// one of its answers unread, its connection counts as one with an unread answer. The server
// flushes each answer, so it has no Content-Length unless the handler sets one.
//
// # Bodies
//
// If a body pauses for longer than [Limits].Stall, falls behind [Limits].Pace after
// [Limits].Grace, or takes longer than [Limits].Read, the handler's Read fails with
// [os.ErrDeadlineExceeded]. The handler should answer 408. With HTTP/1 the server reads at
// most 256 KiB of a body that the handler leaves unread, for at most Stall. The time that the
// handler takes between two reads does not count. With HTTP/2, however, the limit of the last
// read still runs: the body ends if that time exceeds Stall, or sooner if less time was left
// of another limit. So read a body without long pauses.
//
// # Requests
//
// The limit of connections bounds the requests under way. The handler bounds the
// resources that they share; package sqldb, for example, bounds the connections to the
// database. /livez and /readyz answer on every connection; with HTTP/2 the first request
// of a connection always has room.
//
// # Answers of net/http
//
// A request that net/http cannot read never reaches a handler. net/http answers 400, 431
// (the head is too large), 501 (an unknown transfer coding) or 505 (an unknown version)
// with one line of plain text and closes the connection. The line consists of constants:
// it repeats nothing from the request and discloses nothing about the server. For an unknown
// value of Expect it answers 417 without a body and closes the connection. With HTTP/2
// net/http answers 400 with its own text and 431 with one line of HTML, and keeps the
// connection. Such a request does not count as one under way; [Limits].Write bounds its
// answer.
//
// The package uses the standard library only.
package httpserver
