package framework_test

import (
	"bytes"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// signedURL uploads a photo as Ada and returns its path and query, as the view of the row shows
// it.
func signedURL(c *client, at string) string {
	c.tb.Helper()
	ada := c.as("ada")
	ada.upload(at+"photo/", "image/png", pngOf(1, 1)).is(200)
	link, _ := ada.get(at).is(200).object()["photo"].(map[string]any)["url"].(string)
	if !strings.HasPrefix(link, at+"photo/?expires=") {
		c.tb.Fatalf("the URL is %q", link)
	}
	return link
}

// TestSignedURLs: a signed URL needs no credentials until it expires. A URL that was changed is
// 403, for a row that exists and for one that does not.
func TestSignedURLs(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		c := fileConfig(db)
		c.Now = func() time.Time { return now }
		api := serveFiles(t, c, peopleWith(disk(t)))
		at := newPerson(api)
		link := signedURL(api, at)
		path, query, _ := strings.Cut(link, "?")
		sent, _ := url.ParseQuery(query)
		expires, signature := sent.Get("expires"), sent.Get("signature")
		if want := strconv.FormatInt(now.Add(time.Hour).Unix(), 10); expires != want {
			t.Errorf("it expires at %s, want %s", expires, want)
		}

		if read := api.get(link).is(200).head("Cross-Origin-Resource-Policy", "cross-origin"); read.body != string(pngOf(1, 1)) {
			t.Error("the content differs")
		}
		api.with("Range", "bytes=0-3").get(link).is(206)
		api.do("HEAD", link, nil).is(200)
		api.as("bob").get(link).is(200)
		api.as("nobody").get(link).is(200)

		flipped := []byte(signature)
		flipped[0] ^= 1
		for name, changed := range map[string]string{
			"another time":           path + "?expires=" + expires + "0&signature=" + signature,
			"another signature":      path + "?expires=" + expires + "&signature=" + string(flipped),
			"a short signature":      path + "?expires=" + expires + "&signature=" + signature[1:],
			"an empty signature":     path + "?expires=" + expires + "&signature=",
			"no time":                path + "?signature=" + signature,
			"two times":              path + "?expires=" + expires + "&expires=" + expires + "&signature=" + signature,
			"two signatures":         path + "?expires=" + expires + "&signature=" + signature + "&signature=" + signature,
			"a time that is no time": path + "?expires=x&signature=" + signature,
			"another row":            "/api/people/00000000-0000-7000-8000-000000000001/photo/?" + query,
		} {
			t.Run(name, func(t *testing.T) {
				api.in(t).get(changed).refuses(403, "invalid_signature")
				api.in(t).as("ada").get(changed).refuses(403, "invalid_signature")
			})
		}
		api.get(path+"?expires="+expires).refuses(401, "authentication_required")
		api.get(at+"letter/?"+query).refuses(401, "authentication_required")
		api.get(at+"?"+query).refuses(401, "authentication_required")
		for _, method := range []string{"PUT", "DELETE"} {
			api.do(method, link, nil).refuses(401, "authentication_required")
		}

		now = now.Add(time.Hour - time.Second)
		api.get(link).is(200)
		now = now.Add(time.Second)
		api.get(link).refuses(403, "invalid_signature").says("The URL has expired.")
	})
}

// TestSignedURLsAfterAChange: the row decides what a valid URL shows: its new file, or nothing.
func TestSignedURLsAfterAChange(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		api := serveFiles(t, fileConfig(db), peopleWith(disk(t)))
		at := newPerson(api)
		link := signedURL(api, at)
		api.as("ada").upload(at+"photo/", "image/png", pngOf(2, 2)).is(200)
		if read := api.get(link).is(200); read.body != string(pngOf(2, 2)) {
			t.Error("the content is not the new one")
		}
		api.as("ada").delete(at + "photo/").is(204)
		api.get(link).refuses(404, "not_found")
		api.as("ada").delete(at).is(204)
		api.get(link).refuses(404, "not_found")
	})
}

// TestSignedURLsOfAnotherAPI: a URL is valid at one API, also if two have the same keys: the same
// path may be another resource there.
func TestSignedURLsOfAnotherAPI(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		first := serveFiles(t, fileConfig(db), peopleWith(storage))
		link := signedURL(first, newPerson(first))
		c := fileConfig(db)
		c.Prefix = "/v2"
		second := serveFiles(t, c, peopleWith(storage))
		second.get(strings.Replace(link, "/api/", "/v2/", 1)).refuses(403, "invalid_signature")
		at, _, _ := strings.Cut(strings.Replace(link, "/api/", "/v2/", 1), "photo/")
		own, _ := second.as("ada").get(at).is(200).object()["photo"].(map[string]any)["url"].(string)
		second.get(own).is(200)
		first.get(strings.Replace(own, "/v2/", "/api/", 1)).refuses(403, "invalid_signature")
	})
}

// TestFileKeysAreReplaced: URLs of an old key are valid as long as it is listed.
func TestFileKeysAreReplaced(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		with := func(keys ...string) *client {
			c := config(db)
			for _, key := range keys {
				c.FileKeys = append(c.FileKeys, bytes.Repeat([]byte(key), 32))
			}
			return serveFiles(t, c, peopleWith(storage))
		}
		before := with("a")
		link := signedURL(before, newPerson(before))
		with("b", "a").get(link).is(200)
		with("b").get(link).refuses(403, "invalid_signature")
	})
}

// TestSignedURLsBelowAGuard: a guard of the path still applies, and so do the throttles.
func TestSignedURLsBelowAGuard(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		open := serveFiles(t, fileConfig(db), peopleWith(storage))
		link := signedURL(open, newPerson(open))
		c := fileConfig(db)
		c.Guards = []framework.Guard{{Under: "people", Permission: framework.Staff()}}
		api := serveFiles(t, c, peopleWith(storage))
		api.get(link).refuses(401, "authentication_required")
		api.as("eve").get(link).is(200)
	})
}
