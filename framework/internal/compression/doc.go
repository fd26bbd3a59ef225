// Package compression compresses answers by gzip or zstd for clients that accept it.
package compression
