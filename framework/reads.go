package framework

import "trestle.example/framework/internal/declare"

// Reads declares that each read of a row is recorded: who was shown the row, when, and by which request. An entry is committed before
// the answer is sent; if that fails, the answer is an error, and shows nothing. GET {path}/{id}/reads/ shows the entries of a row,
// the newest first, to callers who may see the row and have Permission.
//
// It records reads of the table by every endpoint of the API whose answer shows its rows: objects, lists, exports, histories, files, answers of
// writes, rows that functions find by [Find], [FindOne] and [Each], and views of other viewsets that show the rows by a relation.
// Totals of their values, and lists without rows, have an entry that names no row. What statements of a function's own read is not
// recorded, and neither is what an error, a count, a function such as max(visits.fee) or an expression of SQL reveals about a row. One
// viewset of a table declares it.
//
// A caller needs the permission of Retrieve too. Entries cannot be changed or deleted; [ForgetHistory] removes the paths
// of the requests. It needs the tables of [Migrations].
type Reads struct {
	// Permission says who may see who read a row. Without it, nothing is recorded.
	Permission Permission
}

func (r Reads) declare() declare.Reads { return declare.Reads(r) }
