package framework_test

import (
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestFiles: a client stores a photo, reads it, replaces it and deletes it.
func TestFiles(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := serveFiles(t, fileConfig(db), peopleWith(storage), pets())
		ada, at := api.as("ada"), newPerson(api)
		ada.get(at+"photo/").refuses(404, "not_found")
		ada.get(at).is(200).says(`"photo":null`)

		photo := pngOf(3, 2)
		sent := ada.with("Content-Disposition", `attachment; filename*=UTF-8''%C3%84nn.png`).upload(at+"photo/", "image/png", photo)
		if got := sent.is(200).object(); got["name"] != "Änn.png" || got["type"] != "image/png" || got["size"] != float64(len(photo)) {
			t.Errorf("the answer is %v", got)
		}
		if keys := keysIn(t, storage); len(keys) != 1 || !strings.HasPrefix(keys[0], "people/photo/") {
			t.Errorf("the keys are %q", keys)
		} else {
			sent.lacks(keys[0], "sha256")
		}

		read := ada.get(at + "photo/").is(200)
		if read.body != string(photo) {
			t.Error("the content differs")
		}
		read.head("Content-Type", "image/png").head("Content-Disposition", `inline; filename*=utf-8''%C3%84nn.png`).
			head("X-Content-Type-Options", "nosniff").head("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'").
			head("Cache-Control", "private, no-cache").head("Accept-Ranges", "bytes")
		tag := read.header.Get("Etag")
		ada.with("If-None-Match", tag).get(at+"photo/").is(304).head("Content-Disposition", `inline; filename*=utf-8''%C3%84nn.png`)
		ada.with("If-Match", `"other"`).get(at+"photo/").refuses(412, "precondition_failed")
		if head := ada.do("HEAD", at+"photo/", nil).is(200); head.body != "" || head.header.Get("Content-Length") != read.header.Get("Content-Length") {
			t.Errorf("HEAD has %q, %v", head.body, head.header)
		}

		jpg := jpegOf(5, 5)
		ada.upload(at+"photo/", "application/octet-stream", jpg).is(200).says(`"type":"image/jpeg"`, `"name":"photo.jpg"`)
		if read := ada.with("If-None-Match", tag).get(at + "photo/").is(200); read.body != string(jpg) {
			t.Error("the content is not the new one")
		}
		stores(t, storage, 1)

		ada.delete(at + "photo/").is(204)
		ada.get(at+"photo/").refuses(404, "not_found")
		ada.delete(at+"photo/").refuses(404, "not_found")
		stores(t, storage, 0)
	})
}

// TestRangesOfFiles: one range is a part of the file; a range beyond the end is 416.
func TestRangesOfFiles(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		api := serveFiles(t, fileConfig(db), peopleWith(disk(t)))
		ada, at := api.as("ada"), newPerson(api)+"letter/"
		tag := ada.upload(at, "text/plain", []byte("0123456789")).is(200).says(`"name":"letter.txt"`)
		etag := ada.get(at).is(200).head("Content-Disposition", "attachment; filename=letter.txt").
			head("Content-Type", "text/plain; charset=utf-8").header.Get("Etag")
		tag.lacks(etag)
		for sent, want := range map[string]struct {
			status int
			body   string
			part   string
		}{
			"bytes=2-4":             {206, "234", "bytes 2-4/10"},
			"bytes=7-":              {206, "789", "bytes 7-9/10"},
			"bytes=-2":              {206, "89", "bytes 8-9/10"},
			"bytes=0-100":           {206, "0123456789", "bytes 0-9/10"},
			"bytes=0-0,-1":          {200, "0123456789", ""},
			"bytes=0-0,1-1,2-2,3-3": {200, "0123456789", ""},
			"Bytes=2-4":             {206, "234", "bytes 2-4/10"},
			"lines=1-2":             {200, "0123456789", ""},
			"bytes=-0":              {416, "", "bytes */10"},
			"bytes= -00":            {416, "", "bytes */10"},
			"bytes=10-":             {416, "", "bytes */10"},
			"bytes=9-2":             {416, "", "bytes */10"},
		} {
			got := ada.with("Range", sent).get(at).is(want.status)
			if want.status == 416 {
				got.refuses(416, "range_not_satisfiable").head("Etag", "").head("Content-Disposition", "")
			} else if got.body != want.body {
				t.Errorf("%s: the body is %q", sent, got.body)
			}
			if part := got.header.Get("Content-Range"); part != want.part && sent != "bytes=9-2" {
				t.Errorf("%s: Content-Range is %q, want %q", sent, part, want.part)
			}
		}
		ada.with("Range", "bytes=1-1").with("If-Range", etag).get(at).is(206)
		ada.with("Range", "bytes=1-1").with("If-Range", `"old"`).get(at).is(200)
	})
}

// TestFilesOfOthers: a caller without the row gets 404 for every method, and nothing is
// stored. Without credentials it is 401, without the permission 403.
func TestFilesOfOthers(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := serveFiles(t, fileConfig(db), peopleWith(storage))
		at := newPerson(api) + "photo/"
		api.as("ada").upload(at, "image/png", pngOf(1, 1)).is(200)
		for _, caller := range []string{"bob", "eve"} {
			for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
				api.as(caller).do(method, at, nil).is(404)
			}
			api.as(caller).upload(at, "image/png", pngOf(2, 2)).refuses(404, "not_found")
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			api.do(method, at, nil).refuses(401, "authentication_required")
			api.as("ada").do(method, "/api/people/00000000-0000-7000-8000-000000000001/photo/", nil).refuses(404, "not_found")
			api.as("ada").do(method, "/api/people/x/photo/", nil).refuses(404, "not_found")
		}
		api.as("root").get(at).is(200)
		api.as("ada").post(at, "").refuses(405, "method_not_allowed").head("Allow", "GET, HEAD, PUT, DELETE, OPTIONS")
		stores(t, storage, 1)
	})
}

// TestUploadsThatAreRejected is a table of uploads, each with its error. Nothing is left of
// them, and the row keeps its file.
func TestUploadsThatAreRejected(t *testing.T) {
	photo := pngOf(2, 2)
	kind := func(name string, parts ...formPart) [3]string {
		kind, body := form(parts...)
		return [3]string{name, kind, string(body)}
	}
	many := make([]formPart, 10_000)
	for i := range many {
		many[i] = filePart("a.png", photo)
	}
	rejected := map[[3]string]struct {
		status int
		code   string
		says   string
	}{
		{"a text as an image", "image/png", "hello"}:                                                                                             {415, "unsupported_file_type", "The content is text/plain; allowed are image/png, image/jpeg, image/gif."},
		{"SVG as an image", "image/png", `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`}:                                          {415, "unsupported_file_type", "The content is image/svg+xml"},
		{"SVG without a namespace", "image/png", `<svg onload=alert(1)>`}:                                                                        {415, "unsupported_file_type", "allowed are image/png"},
		{"HTML as an image", "image/png", "<!doctype html><script>x</script>"}:                                                                   {415, "unsupported_file_type", "The content is text/html"},
		{"a GIF with a script", "image/gif", "GIF89a=1;alert(1)"}:                                                                                {415, "unsupported_file_type", "begins as image/gif, but is not a valid image"},
		{"a GIF that ends", "image/gif", "GIF89a"}:                                                                                               {415, "unsupported_file_type", "not a valid image"},
		{"a PNG without a size", "image/png", "\x89PNG\r\n\x1a\n"}:                                                                               {415, "unsupported_file_type", "not a valid image"},
		{"a JPEG that ends", "image/jpeg", string(jpegOf(9, 9)[:30])}:                                                                            {415, "unsupported_file_type", "not a valid image"},
		{"a PDF", "application/pdf", "%PDF-1.4"}:                                                                                                 {415, "unsupported_file_type", "The content is application/pdf"},
		{"a PNG that is called a JPEG", "image/jpeg", string(photo)}:                                                                             {415, "unsupported_file_type", "The content is image/png, but Content-Type says image/jpeg"},
		{"a Content-Type with a verb of Go", "image/%s%d", string(photo)}:                                                                        {415, "unsupported_file_type", "Content-Type says image/%s%d; allowed are"},
		{"a body of curl -d", "application/x-www-form-urlencoded", string(photo)}:                                                                {415, "unsupported_file_type", "Content-Type says application/x-www-form-urlencoded"},
		{"a Content-Type that is none", "image", string(photo)}:                                                                                  {415, "unsupported_file_type", "Content-Type says image"},
		{"a Content-Type in disorder", "image/png;;=", string(photo)}:                                                                            {415, "unsupported_file_type", "Content-Type is not a media type"},
		{"parts that are no form", "multipart/mixed; boundary=x", "--x--"}:                                                                       {415, "unsupported_file_type", "must be multipart/form-data"},
		{"no body", "image/png", ""}:                                                                                                             {400, "invalid_upload", "The file is empty."},
		{"too large by 1 byte", "image/png", string(padded(photo, mostPhoto+1))}:                                                                 {413, "file_too_large", "The file has more than 65536 bytes."},
		{"no boundary", "multipart/form-data", "x"}:                                                                                              {400, "invalid_upload", "Content-Type has no boundary"},
		{"a boundary that is not there", "multipart/form-data; boundary=x", "abc"}:                                                               {400, "invalid_upload", ""},
		{"no part", "multipart/form-data; boundary=x", "--x--\r\n"}:                                                                              {400, "invalid_upload", "The body has no part; send one part, named \\\"file\\\"."},
		{"a part without an end", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=file\r\n\r\n" + string(photo)}: {400, "invalid_upload", "nothing was stored"},
		{"headers without an end", "multipart/form-data; boundary=x", "--x\r\nA: " + strings.Repeat("a", 1<<16)}:                                 {400, "invalid_upload", "headers of the first part are too long"},
		kind("two files", filePart("a.png", photo), filePart("b.png", photo)):                                                                    {400, "invalid_upload", "The body has several parts"},
		kind("10,000 parts", many...):                                                                                                            {413, "file_too_large", "65536 bytes"},
		kind("100 parts", many[:100]...):                                                                                                         {400, "invalid_upload", "The body has several parts"},
		kind("a part of another name", formPart{`form-data; name="photo"`, "image/png", photo}):                                                  {400, "invalid_upload", `The first part is named \"photo\"`},
		kind("an empty part", filePart("a.png", nil)):                                                                                            {400, "invalid_upload", "The file is empty."},
		kind("a part too large by 1 byte", filePart("a.png", padded(photo, mostPhoto+1))):                                                        {413, "file_too_large", "65536 bytes"},
		kind("a part of another type", filePart("a.png", []byte("hello"))):                                                                       {415, "unsupported_file_type", "text/plain"},
		kind("a name with a folder", filePart("../../etc/passwd", photo)):                                                                        {400, "invalid_upload", "without a folder"},
		kind("a name with a folder of Windows", filePart(`C:\\boot.png`, photo)):                                                                 {400, "invalid_upload", "without a folder"},
		kind("a name that is a folder", filePart("..", photo)):                                                                                   {400, "invalid_upload", "without a folder"},
		kind("a name that turns the direction", filePart("a\u202egnp.exe", photo)):                                                               {400, "invalid_upload", "not shown"},
		kind("a long name", filePart(strings.Repeat("a", 256), photo)):                                                                           {400, "invalid_upload", "has 256 bytes; it may have 255"},
		kind("a name with a line break", formPart{`form-data; name="file"; filename*=UTF-8''a%0Ab.png`, "image/png", photo}):                     {400, "invalid_upload", "not shown"},
	}
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := serveFiles(t, fileConfig(db), peopleWith(storage))
		ada, at := api.as("ada"), newPerson(api)+"photo/"
		ada.upload(at, "image/png", photo).is(200)
		for sent, want := range rejected {
			t.Run(sent[0], func(t *testing.T) {
				ada.in(t).upload(at, sent[1], []byte(sent[2])).refuses(want.status, want.code).says(want.says)
				stores(t, storage, 1)
			})
		}
		ada.with("Content-Encoding", "gzip").upload(at, "image/png", photo).refuses(415, "unsupported_file_type").says("Content-Encoding is not supported")
		ada.with("Content-Range", "bytes 0-9/100").upload(at, "image/png", photo).refuses(400, "invalid_upload").says("send the whole content")
		ada.with("If-Match", `"1"`).upload(at, "image/png", photo).refuses(412, "precondition_unsupported")
		if read := ada.get(at).is(200); read.body != string(photo) {
			t.Error("the row lost its file")
		}
	})
}

// TestUploadsThatAreAccepted: every form of a body, and what is kept of it.
func TestUploadsThatAreAccepted(t *testing.T) {
	kind := func(name string, parts ...formPart) [3]string {
		kind, body := form(parts...)
		return [3]string{name, kind, string(body)}
	}
	photo := pngOf(2, 2)
	accepted := map[[3]string]string{
		{"an image of exactly the limit", "image/png", string(padded(photo, mostPhoto))}:                 `"size":65536`,
		{"a GIF", "image/gif", string(gifOf(2, 2))}:                                                      `"type":"image/gif"`,
		{"bytes of no type", "application/octet-stream", string(photo)}:                                  `"type":"image/png"`,
		{"a type with a parameter", "image/png; x=y", string(photo)}:                                     `"type":"image/png"`,
		kind("a form", filePart("me.png", photo)):                                                        `"name":"me.png"`,
		kind("a form of exactly the limit", filePart("me.png", padded(photo, mostPhoto))):                `"size":65536`,
		kind("a part without a type", formPart{`form-data; name="file"; filename="a b.png"`, "", photo}): `"name":"a b.png"`,
	}
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := serveFiles(t, fileConfig(db), peopleWith(storage))
		ada, at := api.as("ada"), newPerson(api)
		for sent, want := range accepted {
			t.Run(sent[0], func(t *testing.T) {
				ada.in(t).upload(at+"photo/", sent[1], []byte(sent[2])).is(200).says(want)
				stores(t, storage, 1)
			})
		}
		ada.upload(at+"letter/", "text/markdown", []byte("# Dear Bob")).is(200).says(`"type":"text/markdown"`)
		ada.upload(at+"letter/", "text/html", []byte("<html>Dear Bob")).is(200).says(`"type":"text/plain"`)
		ada.get(at+"letter/").is(200).head("Content-Type", "text/plain; charset=utf-8").head("Content-Disposition", "attachment; filename=letter.txt")
	})
}

// TestFilesOfDeletedRows: the contents are deleted with their row, after the commit.
func TestFilesOfDeletedRows(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		api := serveFiles(t, fileConfig(db), peopleWith(storage), pets())
		ada, at := api.as("ada"), newPerson(api)
		ada.upload(at+"photo/", "image/png", pngOf(1, 1)).is(200)
		ada.upload(at+"letter/", "text/plain", []byte("Dear Bob")).is(200)
		insert := "INSERT INTO pets (id, person_id) SELECT 1, id FROM people"
		if _, err := db.Exec(insert); err != nil {
			t.Fatal(err)
		}
		ada.delete(at).refuses(409, "still_referenced")
		stores(t, storage, 2)
		ada.get(at + "photo/").is(200)
		if _, err := db.Exec("DELETE FROM pets"); err != nil {
			t.Fatal(err)
		}
		api.as("bob").delete(at).refuses(404, "not_found")
		stores(t, storage, 2)
		ada.delete(at).is(204)
		stores(t, storage, 0)
	})
}

// TestFilesBesideFunctions: a function that received the row before an upload, and stores
// another field after it, keeps the new file.
func TestFilesBesideFunctions(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		v, during := peopleWith(disk(t)), func() {}
		v.Actions = []framework.Action[Person]{
			framework.Post("rename", func(c *framework.Call, p *Person, in PersonInput) (PersonView, error) {
				during()
				p.Name = in.Name
				err := c.InTx(func(c *framework.Call) error { return framework.Save(c, p) })
				return PersonView{ID: p.ID, Name: p.Name, Photo: p.Photo}, err
			}).Untransacted(),
		}
		api := serveFiles(t, fileConfig(db), v)
		ada, at := api.as("ada"), newPerson(api)
		ada.upload(at+"photo/", "image/png", pngOf(1, 1)).is(200)
		during = func() { ada.upload(at+"photo/", "image/png", pngOf(2, 2)).is(200) }
		ada.post(at+"rename/", map[string]any{"name": "Anna"}).is(200).says(`"url":"` + at + "photo/?expires=")
		if read := ada.get(at + "photo/").is(200); read.body != string(pngOf(2, 2)) {
			t.Error("the content is not the new one")
		}
		ada.get(at).is(200).says(`"name":"Anna"`)
	})
}

// TestFilesInViews: every view shows a file by name, type, size and URL, in lists and within
// other rows too.
func TestFilesInViews(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		c := fileConfig(db)
		c.PublicURL = "https://api.example.org"
		api := serveFiles(t, c, peopleWith(disk(t)), pets())
		ada, at := api.as("ada"), newPerson(api)
		letter := `"letter":{"name":"letter.txt","type":"text/plain","size":8,"url":"https://api.example.org` + at + `letter/"}`
		ada.upload(at+"letter/", "text/plain", []byte("Dear Bob")).is(200).says(strings.TrimPrefix(letter, `"letter":`))
		ada.upload(at+"photo/", "image/png", pngOf(1, 1)).is(200)
		ada.get(at).is(200).says(letter)
		ada.get("/api/people/").is(200).says(letter)
		ada.patch(at, map[string]any{"name": "Anna"}).is(200).says(letter)
		ada.put(at, map[string]any{"name": "Anna"}).is(200).says(letter)
		if _, err := db.Exec("INSERT INTO pets (id, person_id) SELECT 1, id FROM people"); err != nil {
			t.Fatal(err)
		}
		photo := `"person":{"photo":{"name":"photo.png","type":"image/png","size":`
		ada.get("/api/pets/").is(200).says(photo, "https://api.example.org"+at+"photo/?expires=")
		api.as("bob").get("/api/pets/").is(200).says(`"person":null`).lacks("expires")
		ada.get(at).lacks("people/photo", "sha256", "key")
	})
}

// TestFilesForPagesOfOtherOrigins: a page may send the headers of files, and read them.
func TestFilesForPagesOfOtherOrigins(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		c := fileConfig(db)
		c.CORS = []string{"https://app.example.org"}
		api := serve(t, c, peopleWith(disk(t)))
		at := newPerson(api) + "photo/"
		page := api.with("Origin", "https://app.example.org")
		asked := page.with("Access-Control-Request-Method", "PUT").do("OPTIONS", at, nil).is(204).header.Get("Access-Control-Allow-Headers")
		for _, want := range []string{"Content-Disposition", "Content-Type", "If-None-Match", "If-Range", "Range"} {
			if !strings.Contains(asked, want) {
				t.Errorf("a page may not send %s: %s", want, asked)
			}
		}
		page.as("ada").upload(at, "image/png", pngOf(1, 1)).is(200)
		read := page.as("ada").get(at).is(200).header.Get("Access-Control-Expose-Headers")
		for _, want := range []string{"Content-Disposition", "Content-Range", "ETag"} {
			if !strings.Contains(read, want) {
				t.Errorf("a page may not read %s: %s", want, read)
			}
		}
	})
}

// TestFilesOfALookup: the URL of a file has the key of the path, also in a view of a viewset that
// is registered before.
func TestFilesOfALookup(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		v := peopleWith(disk(t))
		v.Lookup, v.Slash = "name", framework.WithoutSlash
		api := serveFiles(t, fileConfig(db), pets(), v)
		ada := api.as("ada")
		ada.post("/api/people", map[string]any{"name": "Ann Å"}).is(201).says(`"photo":null`)
		at := "/api/people/Ann%20%C3%85/photo"
		ada.upload(at, "image/png", pngOf(1, 1)).is(200).says(`"url":"` + at + "?expires=")
		if _, err := db.Exec("INSERT INTO pets (id, person_id) SELECT 1, id FROM people"); err != nil {
			t.Fatal(err)
		}
		link := ada.get("/api/pets/1/").is(200).object()["person"].(map[string]any)["photo"].(map[string]any)["url"].(string)
		if !strings.HasPrefix(link, at+"?expires=") {
			t.Errorf("the URL is %s", link)
		}
		api.get(link).is(200)
		ada.do("OPTIONS", at, nil).is(200).says(`"PUT"`, "Upload the photo of a person")
	})
}
