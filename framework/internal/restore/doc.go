// Package restore binds the declaration of soft deletion, and restores rows that are deleted softly.
package restore
