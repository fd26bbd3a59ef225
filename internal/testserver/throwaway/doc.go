// Package throwaway has the common parts of the private servers of tests: a keeper
// process that ends its server when this process ends in any way, and the installation of
// packages of a distribution.
package throwaway
