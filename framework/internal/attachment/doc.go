// Package attachment stores, sends and deletes the files of rows, and deletes contents that no
// row names. It connects rows of the database with the storages of package files.
package attachment
