// Package page has the usual pagination classes: [Number] (?page=2, with the envelope
// count, next, previous, results), [Offset] (?limit=20&offset=40, with the same
// envelope), [Cursor] (?cursor=..., for long lists and feeds), [Screen] (?page=2&limit=20, with an envelope that counts pages) and [Bare]
// (one plain array).
//
// Classes are plain values without state. One may serve a whole API, and they are safe
// for concurrent use. The example shows how to write your own.
package page
