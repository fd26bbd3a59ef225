// Package view turns rows into what clients see: it selects columns, loads relations and
// writes JSON.
package view
