// Package wire writes JSON as the API sends it. It also reads JSON documents in their order, and
// writes them as JSON and YAML.
package wire
