package s3_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"trestle.example/framework/files"
	"trestle.example/framework/files/s3"
	"trestle.example/framework/frameworktest"
	"trestle.example/internal/testserver/throwaway"
)

// gateway starts an S3 server over a folder of the test, and returns the options of a bucket.
// TEST_VERSITYGW is the path of its program; make files builds it.
func gateway(t *testing.T) s3.Options {
	t.Helper()
	program := os.Getenv("TEST_VERSITYGW")
	if program == "" {
		t.Skip("it needs an S3 server: run make files")
	}
	port, err := throwaway.FreePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	cmd := exec.Command(program, "--port", address, "--quiet", "posix", t.TempDir())
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=access", "ROOT_SECRET_KEY=secret-of-the-test")
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
			break
		}
		if t.Context().Err() != nil || cmd.ProcessState != nil {
			t.Fatal("the S3 server does not start:", err)
		}
	}
	o := bucketAt("http://" + address)
	client, err := minio.New(address, &minio.Options{Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Region: "us-east-1"})
	if err == nil {
		err = client.MakeBucket(t.Context(), o.Bucket, minio.MakeBucketOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// bucketAt returns the options of the bucket of the tests, at the URL of an S3 server.
func bucketAt(endpoint string) s3.Options {
	return s3.Options{Endpoint: endpoint, Bucket: "files", Prefix: "test/", AccessKey: "access", SecretKey: "secret-of-the-test", PartSize: 5 << 20}
}

// TestStorage: a bucket satisfies the contract of a storage, and another prefix of the bucket
// stays as it is.
func TestStorage(t *testing.T) {
	o := gateway(t)
	other := o
	other.Prefix = "other/"
	beside, err := s3.Open(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	if err := beside.Put(t.Context(), "a/b", strings.NewReader("beside"), "text/plain"); err != nil {
		t.Fatal(err)
	}
	s, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	frameworktest.TestStorage(t, s)
	n := 0
	for object, err := range beside.List(t.Context(), "") {
		if n++; err != nil || object.Key != "a/b" {
			t.Errorf("beside it is %+v, error %v", object, err)
		}
	}
	if n != 1 {
		t.Errorf("beside it are %d contents, want 1", n)
	}
}

// TestUnfinishedUploads: an upload in parts that a crash interrupted is aborted when it is old
// enough.
func TestUnfinishedUploads(t *testing.T) {
	o := gateway(t)
	s, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	core, err := minio.NewCore(strings.TrimPrefix(o.Endpoint, "http://"), &minio.Options{Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, "")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := core.NewMultipartUpload(t.Context(), o.Bucket, o.Prefix+"a/b", minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if n, err := s.DeleteUnfinished(t.Context(), time.Now().Add(time.Hour)); n != want || err != nil {
			t.Errorf("%d uploads are aborted, error %v; want %d", n, err, want)
		}
	}
}

// TestUploadsAtOnce: an upload beyond the limit is an error at once, and succeeds later.
func TestUploadsAtOnce(t *testing.T) {
	o := gateway(t)
	o.Uploads = 1
	s, err := s3.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	body, client := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Put(t.Context(), "a/1", body, "text/plain") }()
	if _, err := client.Write([]byte("begun")); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(t.Context(), "a/2", strings.NewReader("x"), "text/plain"); !errors.Is(err, files.ErrBusy) {
		t.Errorf("the error is %v; want files.ErrBusy", err)
	}
	_ = client.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Put(t.Context(), "a/2", strings.NewReader("x"), "text/plain"); err != nil {
		t.Error(err)
	}
}

// TestOptionsThatAreWrong is a table of options; no error shows the secret key.
func TestOptionsThatAreWrong(t *testing.T) {
	right := s3.Options{Endpoint: "http://127.0.0.1:1", Bucket: "files", AccessKey: "access", SecretKey: "secret-of-the-test"}
	for want, change := range map[string]func(*s3.Options){
		"Endpoint must be https:// or http:// and a host": func(o *s3.Options) { o.Endpoint = "s3.example.org" },
		"without a path and credentials":                  func(o *s3.Options) { o.Endpoint = "https://u:p@s3.example.org/x" },
		"Bucket, AccessKey and SecretKey are required":    func(o *s3.Options) { o.Bucket = "" },
		`Prefix is "a"; it must end with /`:               func(o *s3.Options) { o.Prefix = "a" },
		"PartSize is 1; it must be at least 5242880":      func(o *s3.Options) { o.PartSize = 1 },
		"Uploads is -1; it must be above zero":            func(o *s3.Options) { o.Uploads = -1 },
		`the bucket "files" at 127.0.0.1:1 cannot be`:     func(o *s3.Options) { o.Transport = refusing{} },
	} {
		o := right
		change(&o)
		_, err := s3.Open(context.Background(), o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), o.SecretKey) {
			t.Errorf("want %q: %v", want, err)
		}
	}
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) { return nil, net.ErrClosed }

// TestServerThatRejects: a wrong secret key and a missing bucket are errors at Open.
func TestServerThatRejects(t *testing.T) {
	o := gateway(t)
	wrong := o
	wrong.SecretKey = "another-secret"
	if _, err := s3.Open(t.Context(), wrong); err == nil || strings.Contains(err.Error(), wrong.SecretKey) {
		t.Errorf("with a wrong secret key the error is %v", err)
	}
	absent := o
	absent.Bucket = "absent"
	if _, err := s3.Open(t.Context(), absent); err == nil || !strings.Contains(err.Error(), `"absent"`) {
		t.Errorf("without the bucket the error is %v", err)
	}
}

var _ files.Storage = (*s3.Storage)(nil)
