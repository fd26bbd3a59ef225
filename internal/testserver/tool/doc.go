// Package tool finds the programs that a server is deployed with, for tests that run
// them as they are: proxies, and Prometheus with its checker.
//
// [Tool.Path] is the path of the program on this machine, and [Install] installs what
// is missing.
package tool
