// Package stream sends answers that are not one JSON value: the elements of an iterator as
// NDJSON, CSV or server-sent events, and bytes of any media type. It chooses the media type by
// the header Accept.
package stream
