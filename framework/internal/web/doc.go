// Package web routes HTTP requests, writes the answers and logs them. No other package uses
// echo.
package web
