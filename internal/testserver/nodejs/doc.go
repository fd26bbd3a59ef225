// Package nodejs finds Node.js for tests of clients that are written in
// TypeScript or JavaScript.
//
// [NPM] is what a test calls: the path of npm found on the machine. A machine
// without fails the test and says what to install; nothing is ever skipped.
package nodejs
