// Package audit records who read which rows, before the answer is sent, and shows the entries of one row.
package audit
