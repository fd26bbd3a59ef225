// Package haproxy finds HAProxy for tests of servers that stand behind a proxy.
//
// [Program] is the path of the program found on the machine. A test that can do
// without says in its own words what it leaves out.
package haproxy
