// Package tool finds the programs with which a server is deployed, for tests that run
// them: proxies, and Prometheus with its checker.
//
// [Tool.Path] returns the path of the program on this machine, and [Install] installs
// missing programs.
package tool
