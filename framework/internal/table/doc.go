// Package table has resources: viewsets bound to the columns of their tables, and their endpoints. A resource narrows statements by
// its scope, and reads rows. Package store stores them.
package table
