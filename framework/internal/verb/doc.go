// Package verb runs requests: the six verbs, and functions of declarations.
package verb
