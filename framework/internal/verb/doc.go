// Package verb answers requests: it runs the six verbs, and the functions of declarations.
package verb
