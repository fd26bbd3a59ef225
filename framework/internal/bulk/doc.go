// Package bulk creates, changes and deletes several rows of a viewset by one request, which does all of it or
// nothing.
package bulk
