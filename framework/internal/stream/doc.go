// Package stream sends answers that are not one JSON value: the elements of an iterator as
// NDJSON, CSV or server-sent events, and bytes of any media type, such as stored files. It chooses
// the media type of a function's answer by the header Accept.
package stream
