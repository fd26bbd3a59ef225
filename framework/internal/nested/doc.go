// Package nested serves viewsets below the rows of another viewset: it binds their parents, and
// finds the parent's row that the path of a request names.
package nested
