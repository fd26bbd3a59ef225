// Package caching says how caches may keep answers: the headers Cache-Control and Vary of the reads that a viewset declares.
package caching
