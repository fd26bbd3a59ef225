// Package wire writes JSON as the API sends it, and ordered documents as JSON and YAML.
package wire
