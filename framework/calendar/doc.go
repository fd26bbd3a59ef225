// Package calendar has dates, times of day and durations, for columns and for clients.
//
//	| type      | in JSON                             | PostgreSQL | SQLite |
//	|-----------|-------------------------------------|------------|--------|
//	| Date      | 2026-01-31 (RFC 3339 full-date)     | date       | date   |
//	| TimeOfDay | 09:30:00 (RFC 3339 partial-time)    | time       | time   |
//	| Duration  | PT1H30M (ISO 8601, without months)  | bigint     | bigint |
//
// Values of each type are integers: they are compared by < and ==, and are keys of maps. The types
// have no zone. For a moment, use [time.Time].
//
// A rule of a tag validate has its bound as clients write it: `validate:"min=2020-01-01"`.
package calendar
