package apicheck

import (
	"net"
	"net/url"
	"strings"
	"time"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/keyset"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/origin"
	"trestle.example/framework/internal/signature"
	"trestle.example/framework/problem"
)

// mostRows is the highest value of Config.MaxRows.
const mostRows = 1_000_000

// CheckConfig reports the mistakes in the settings of the API.
func (k Checker) CheckConfig() {
	c := k.API.Config
	fault := func(place, format string, args ...any) {
		k.Fault("framework.Config", place, naming.Sentence(format, args...))
	}
	if u, err := url.Parse(c.PublicURL); c.PublicURL != "" && (err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http") {
		fault("PublicURL", "%q must begin with https:// or http:// and a host", c.PublicURL)
	}
	for _, host := range c.Hosts {
		if _, _, err := net.SplitHostPort(host); host == "" || strings.ContainsAny(host, "/ @") || err == nil {
			fault("Hosts", "%q must be a name or an address without a scheme and a port, such as api.example.org", host)
		}
	}
	for _, origin := range c.CORS {
		if !naming.IsOrigin(origin) {
			fault("CORS", "%q must be an origin as browsers send it: a scheme and a host in lower case, without a path, a usual port or *", origin)
		}
	}
	access.CheckPermission(c.Permission, func(err error) { fault("Permission", "%w", err) })
	access.CheckListed(c.Authentication, "authenticator", func(err error) { fault("Authentication", "%w", err) })
	access.CheckListed(c.Throttles, "throttle", func(err error) { fault("Throttles", "%w", err) })
	k.checkNumbers(fault)
	k.checkOwnCodes(fault)
	k.checkOwnRules(fault)
	k.checkGuards(fault)
	checkKeys("FileKeys", k.API.Config.FileKeys, signature.LeastKey, fault)
	checkKeys("CursorKeys", k.API.Config.CursorKeys, keyset.LeastKey, fault)
	if err := c.Console.Check(c.Prefix); err != nil {
		fault("Console", "%w", err)
	}
	k.checkDocs()
}

func (k Checker) checkNumbers(fault func(place, format string, args ...any)) {
	c := k.API.Config
	if c.MaxRows < 0 || c.MaxRows > mostRows {
		fault("MaxRows", "%d must be 1 to %d", c.MaxRows, mostRows)
	}
	if c.HSTS < 0 || c.HSTS%time.Second != 0 {
		fault("HSTS", "%s must be whole seconds, 0 for none", c.HSTS)
	}
}

// checkKeys reports secret keys that are too short. It does not print them.
func checkKeys(place string, keys [][]byte, least int, fault func(place, format string, args ...any)) {
	for i, key := range keys {
		if len(key) < least {
			fault(place, "the key at place %d has %d bytes; it needs at least %d random bytes", i+1, len(key), least)
		}
	}
}

// checkDocs reports each viewset at or below the path of the pages of error codes or, if the API
// is documented, of the documentation page.
func (k Checker) checkDocs() {
	for _, d := range k.Declared {
		if origin.Below(strings.Trim(problem.ErrorPages, "/"), d.Path()) {
			k.Fault(d.Path(), "", naming.Sentence("the pages of error codes are at %q; choose another name", k.API.Config.Prefix+problem.ErrorPages))
		}
		if !k.API.Config.Undocumented && origin.Below(strings.Trim(describe.DocsPath, "/"), d.Path()) {
			k.Fault(d.Path(), "", naming.Sentence("the page of the reference is at %q; choose another name, or set framework.Config.Undocumented", k.API.Config.Prefix+describe.DocsPath))
		}
	}
}
