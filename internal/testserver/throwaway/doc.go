// Package throwaway has what the private servers of tests have in common: a
// keeper process that ends its server however this process ends, and the
// installation of a distribution's packages.
package throwaway
