// Package bulk creates, changes and deletes several rows of a viewset by one request, which does all of it or
// nothing, or does each item by itself and answers with their results.
package bulk
