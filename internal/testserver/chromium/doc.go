// Package chromium finds a headless browser for tests of pages.
//
// Tests call [Program]. It returns the path of the browser on the machine, or the browser
// that the environment variable TEST_BROWSER names. If there is none, the test fails and
// states what to install; it is never skipped.
package chromium
