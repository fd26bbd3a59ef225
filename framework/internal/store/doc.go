// Package store inserts, changes and restores rows of a resource. It sets their times, owners and versions, checks quotas and reserved
// values, records each change, and says which row broke a constraint.
package store
