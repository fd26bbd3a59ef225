// Package table has resources: viewsets bound to the columns of their tables. A resource
// narrows statements by its scope, reads rows, and stores them.
package table
