package framework

import "trestle.example/framework/internal/declare"

// SoftDelete declares that DELETE marks rows as deleted, and that marked rows can be restored and seen. The model has the column
// of the mark, tagged `bun:",soft_delete,nullzero"`. At least one of the permissions is set.
//
// Every read, filter, count, relation and reference leaves deleted rows out, as for every model with the tag. SoftDelete adds:
//
//   - POST {path}/{id}/restore/ for callers with Restore, for the rows that they could delete. A value that another row has
//     meanwhile is 409, and so is a reference to a row that is deleted.
//   - The parameter deleted=true of Retrieve, List, [Lists] and the [History] for callers with Deleted: it has the deleted rows in scope, and no others.
//     For other callers it is 403 forbidden, or 401.
//   - A row to which rows refer that are not deleted stays: 409 still_referenced, as for a DELETE that the database rejects. That holds for the table, so
//     for its other viewsets, requests for several rows, lists of rows in inputs, and [Remove] too. Rows that refer to it by a foreign
//     key with ON DELETE CASCADE, SET NULL or SET DEFAULT do not keep it, and stay as they are.
//
// Unique indexes of the table need the condition that the row is not deleted, or else the values of a deleted row cannot be used again:
// [API.WideUniques] lists those without it.
type SoftDelete struct {
	// Restore is the permission to restore rows. Defaults to none: no row can be restored.
	Restore Permission
	// Deleted is the permission to see deleted rows. Defaults to none: no caller sees one.
	Deleted Permission
}

func (s SoftDelete) declare() declare.SoftDelete { return declare.SoftDelete(s) }
