// Package page has the usual pagination classes: [Number] (?page=2, the
// envelope count, next, previous, results), [Offset] (?limit=20&offset=40, the
// same envelope), [Screen] (?page=2&limit=20, an envelope that counts pages)
// and [Bare] (one plain array).
//
// Classes are plain values without state; one may serve a whole API and any
// number of requests at once. The example shows how to write another.
package page
