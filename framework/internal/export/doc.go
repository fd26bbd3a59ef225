// Package export has the formats beside JSON in which a list sends all of its rows: CSV and NDJSON. It chooses
// the format of a request, and lets a caller have one export at a time. Package rowtext writes the rows.
package export
