// Package export has the formats beside JSON in which a list sends all of its rows: CSV and NDJSON. It makes
// the columns of a view, chooses the format of a request, and lets a caller have one export at a time.
package export
