// Package storetest serves the whole store to the tests of its packages, and has the
// helpers that they share: bodies of requests, rows stored past the API, requests at
// the same time, and audits of the tables.
package storetest
