// Package web is HTTP in and out: it routes requests, writes answers and logs them. No
// other package knows echo.
package web
