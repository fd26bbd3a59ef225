// Package files stores the files of rows: photos, documents and other contents that clients
// upload. A model has a [File] as one column. A [Storage] stores the contents, outside of the
// database: a [Disk] in a folder of the machine, package s3 in a service with the API of
// Amazon S3.
//
// A declaration connects both: see FileField of package framework.
package files
