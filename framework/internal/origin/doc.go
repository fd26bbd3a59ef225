// Package origin knows where clients reach the API: its host, its scheme, its prefix, and
// which headers of proxies are trusted.
package origin
