package framework

import "trestle.example/framework/internal/declare"

// Quota limits how many rows of the table one owner has. The owner is that of an [Own] in Scope or, if Scope is no Own, in Writers.
//
// A request that would add one row too many is the error 409 quota_exceeded, and stores nothing: a create, creates and upserts of several
// rows, rows that a body lists, a [Toggle], a restore, [Insert], and a write that gives a row to another owner. It says the limit and, if
// the caller is the owner, how many rows the owner has. With Bulk.Each, the items for which there is room are stored.
//
// The limit is that of the owner of a row, whichever caller stores it: staff with all rows in scope cannot exceed it for a user. It
// holds for every viewset of the table; one of them declares it, and some endpoint of the API must add rows. It is exact under
// concurrency: requests that add rows of one owner wait for each other. Rows that are deleted softly do not count. Rows
// that a program stores by statements of its own are not checked, but count.
//
// If the limit becomes smaller than the number of rows that an owner has, these rows stay, and can be changed.
type Quota struct {
	// Rows is the number of rows that an owner may have. Defaults to 0: no limit.
	Rows int
}

func (q Quota) declare() declare.Quota { return declare.Quota(q) }
