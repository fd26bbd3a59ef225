// Package view represents rows as clients see them: it selects columns, loads relations and
// writes JSON.
package view
