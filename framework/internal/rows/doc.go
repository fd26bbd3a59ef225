// Package rows finds and stores rows for the functions of declarations, in the scope of a viewset:
// Find, FindOne, Each, Save and Insert of package framework.
package rows
