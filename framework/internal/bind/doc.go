// Package bind turns declarations into endpoints, and reports every mistake in them.
package bind
