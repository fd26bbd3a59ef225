// Package scan reads the rows of statements: as models, as the JSON that clients see, or as one number. A window limits them.
package scan
