// Package restore restores rows that are deleted softly.
package restore
