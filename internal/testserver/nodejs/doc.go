// Package nodejs finds Node.js for tests of clients in TypeScript or JavaScript.
//
// Tests call [NPM]. It returns the path of npm on the machine. If there is none, the test
// fails and states what to install; it is never skipped.
package nodejs
