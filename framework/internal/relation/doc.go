// Package relation has the relations of viewsets: their names, the viewsets whose scopes narrow
// them, and the paths that lead over them to columns. It writes the conditions and the joins of
// such paths.
package relation
