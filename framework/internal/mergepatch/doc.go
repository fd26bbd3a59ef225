// Package mergepatch knows the media type of JSON Merge Patch (RFC 7396), which PATCH takes beside JSON.
package mergepatch
