// Package chromium finds a real browser without a screen for tests of what
// people see.
//
// [Program] is what a test calls: the path of the browser found on the machine,
// or of the one that the environment variable TEST_BROWSER names. A machine
// without fails the test and says what to install; nothing is ever skipped.
package chromium
