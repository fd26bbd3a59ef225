package framework_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework/files"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"

	"trestle.example/framework"
)

// mostHeap is how much the heap may grow during an upload and a download.
const mostHeap = 64 << 20

// TestFilesAreStreamed uploads and downloads 64 MiB, or as many MiB as TEST_FILE_MIB says, and
// expects the heap to stay small. make files sends 1 GiB.
func TestFilesAreStreamed(t *testing.T) {
	size := int64(64)
	if text := os.Getenv("TEST_FILE_MIB"); text != "" {
		var err error
		if size, err = strconv.ParseInt(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	size <<= 20
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		v := peopleWith(disk(t))
		v.Files[1].MaxBytes, v.Files[1].Types = size, []string{"application/octet-stream"}
		api := framework.New(fileConfig(db))
		api.Register(v)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		server := &client{Client: frameworktest.New(t, handler), tb: t}
		at := server.URL() + newPerson(server) + "letter/"

		heap := newHeap(t)
		sent := sha256.New()
		answer := exchange(t, http.MethodPut, at, io.TeeReader(io.LimitReader(&numbers{heap: heap}, size), sent))
		if _, err := io.ReadAll(answer); err != nil {
			t.Fatal(err)
		}
		var stored files.File
		if err := db.QueryRow("SELECT letter FROM people").Scan(&stored); err != nil {
			t.Fatal(err)
		}
		if stored.Size != size || stored.SHA256 != hex.EncodeToString(sent.Sum(nil)) {
			t.Errorf("the row has %+v", stored)
		}
		read := sha256.New()
		if n, err := io.Copy(io.MultiWriter(read, heap), exchange(t, http.MethodGet, at, nil)); n != size || err != nil {
			t.Fatalf("%d bytes are read, error %v", n, err)
		}
		if hex.EncodeToString(read.Sum(nil)) != stored.SHA256 {
			t.Error("the content differs")
		}
		t.Logf("the heap grew by %d KiB at most", (heap.most-heap.idle)>>10)
		if heap.most > heap.idle+mostHeap {
			t.Errorf("the heap grew by %d MiB; want %d at most", (heap.most-heap.idle)>>20, mostHeap>>20)
		}
	})
}

// TestLongHeadersOfImages: the header of an image is in memory while it is decoded. One address
// holds only a share of the memory for bodies by such headers, and the share is returned after the
// upload.
func TestLongHeadersOfImages(t *testing.T) {
	db := sqlite(t)
	if err := db.Migrate(t.Context(), nil, peopleSchema); err != nil {
		t.Fatal(err)
	}
	v := peopleWith(disk(t))
	v.Files[0].MaxBytes = 2 << 20
	api := serve(t, fileConfig(db), v)
	at := newPerson(api) + "photo/"
	photo := jpegWithHeader(15) // nearly 1 MiB
	for range 40 {
		api.as("ada").upload(at, "image/jpeg", photo).is(200)
	}
	answers := make(chan string, 40)
	for range cap(answers) {
		conn := dialUpload(t, api.url, at, len(photo), photo[:len(photo)-1000]) // its header never ends
		go func() {
			answer := make([]byte, 1000)
			n, _ := conn.Read(answer)
			answers <- string(answer[:n])
		}()
	}
	// net/http sends an answer after the rest of a short body, so an upload that is late may be answered first.
	for range cap(answers) {
		if answer := <-answers; strings.HasPrefix(answer, "HTTP/1.1 503 ") && strings.Contains(answer, "overloaded") {
			return
		}
	}
	t.Error("no upload is answered 503 overloaded")
}

// jpegWithHeader is an image whose header has a number of comments of 64 KiB before its size.
func jpegWithHeader(comments int) []byte {
	image := jpegOf(1, 1)
	const length = 1<<16 - 1
	comment := append([]byte{0xff, 0xfe, length >> 8, length & 0xff}, make([]byte, length-2)...)
	return slices.Concat(image[:2], bytes.Repeat(comment, comments), image[2:])
}

// exchange sends a request as Ada, expects 200, and returns the body of the answer.
func exchange(t *testing.T, method, at string, body io.Reader) io.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(context.Background(), method, at, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Name ada")
	r.Header.Set("Content-Type", "application/octet-stream")
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		t.Fatalf("%s is answered %d %s", method, answer.StatusCode, text)
	}
	return answer.Body
}

// A heapMeter measures the memory of the process, every few MiB that pass.
type heapMeter struct{ idle, most, passed uint64 }

// newHeap measures the idle heap. Until the test ends, the collector keeps the heap near that
// size where it can.
func newHeap(t *testing.T) *heapMeter {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := debug.SetMemoryLimit(int64(m.Sys) + 16<<20)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	return &heapMeter{idle: m.HeapAlloc, most: m.HeapAlloc}
}

// Write counts bytes, and measures after each 4 MiB.
func (h *heapMeter) Write(p []byte) (int, error) {
	const step = 4 << 20
	before := h.passed / step
	if h.passed += uint64(len(p)); h.passed/step > before {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	return len(p), nil
}

// numbers are endless bytes that no type has.
type numbers struct {
	at   uint64
	heap *heapMeter
}

func (n *numbers) Read(p []byte) (int, error) {
	for i := range p {
		n.at = n.at*6364136223846793005 + 1442695040888963407
		p[i] = byte(n.at >> 56)
	}
	return n.heap.Write(p)
}
