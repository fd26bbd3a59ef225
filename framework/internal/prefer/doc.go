// Package prefer reads the header Prefer (RFC 7240), by which a client chooses whether the answer to a write has a body.
package prefer
