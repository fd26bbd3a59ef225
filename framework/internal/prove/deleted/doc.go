// Package deleted shows that a row that is deleted softly is as one that was never made, and that only permitted callers see
// and restore it.
package deleted
