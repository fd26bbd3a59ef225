// Package httpserver serves a handler within limits: what clients hold of the server,
// in connections, time and memory, has an end.
//
//	server := httpserver.New(handler, httpserver.Options{Limits: httpserver.Limits{Conns: 1000}})
//	err := server.Serve(ctx, listener) // until ctx ends
//
// # Connections
//
// There is room for [Limits].Conns connections. At the limit a new one takes the
// place of the one that matters least: the one that was idle between requests for
// longest; else the one whose request has been arriving for longest, bytes or
// none, head or body; else the one whose client has not taken its answer for
// longest. A connection whose handler works is never closed, so that clients who
// send slowly, however many, keep out nobody who does not. The limit is lowered to
// what the process's limit of open files leaves, and a listener that runs out of
// files nevertheless closes a connection by the same rule.
//
// By HTTP/2, where one connection has many requests, its first has the connection's
// place. Beside those there are places for Conns more, of which one connection may have
// as many as it leaves to others, for 100 requests at most; one for which there is none
// is answered 503 by its head alone, as when ten connections or more ask for that many. The client that leaves one answer lying has not
// taken its answer. An answer is sent when its handler ends, so that it has no
// Content-Length unless the handler sets one.
//
// # Bodies
//
// A body that brings no byte for [Limits].Stall, or falls behind [Limits].Pace, is
// not waited for: the handler's Read fails with an error that is
// [os.ErrDeadlineExceeded], to answer with 408. What a handler leaves unread
// is waited for no longer than that either. The time that a handler takes between
// two reads is not counted, save that by HTTP/2 the body ends if the pause is longer
// than Stall: read it in one go.
//
// # Requests
//
// The connections bound the requests that are under way. The handler bounds what they
// share, as package sqldb bounds the connections to the database. /livez and /readyz
// answer on every connection, by HTTP/2 to the first request of one at least.
//
// # What net/http answers by itself
//
// A request that net/http cannot read never reaches a handler, and nothing can be
// hooked there: it answers 400, 431 (a head that is too large), 501 (a transfer
// coding that it does not know) or 505 (a version that it does not speak) in a line
// of plain text and closes the connection. That line is made of constants: nothing
// that the client sent, and nothing of the server but that it refused, is in it. By
// HTTP/2 it answers 400 in words of its own and 431 as a line of HTML, and goes on with
// the connection; such a request has no place, and [Limits].Write bounds its answer.
//
// The package needs nothing but the standard library.
package httpserver
