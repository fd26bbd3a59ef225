// Package s3 stores files in a service with the API of Amazon S3, such as S3 itself, MinIO or
// Ceph. It is a package of its own, so that only programs that use it contain its client.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"trestle.example/framework/files"
)

// Options are the settings of a storage.
type Options struct {
	// Endpoint is the URL of the service without a path: "https://s3.eu-central-1.amazonaws.com".
	// http:// sends the contents without encryption. Required.
	Endpoint string
	// Region is the region of the bucket. Defaults to "us-east-1".
	Region string
	// Bucket is the bucket of the contents. It must exist. Required.
	Bucket string
	// Prefix is put before every key, so that several storages can share a bucket: "shop/". Each
	// database needs a bucket or a prefix of its own. Defaults to none.
	Prefix string
	// AccessKey and SecretKey are the credentials. Required.
	AccessKey, SecretKey string
	// PartSize is how many bytes of a content are in memory and sent at once. A content has at
	// most 10,000 parts. The least and the default are 5 MiB, for contents of at most 48 GiB.
	PartSize int64
	// Uploads is how many calls of Put may run at once; a further one is [files.ErrBusy]. It
	// limits the memory to Uploads times PartSize. Defaults to 64.
	Uploads int
	// Transport sends the requests. Defaults to a transport of its own.
	Transport http.RoundTripper
}

const (
	leastPart    = 5 << 20
	usualUploads = 64
)

// A Storage is a [files.Storage] in a bucket. It is safe for concurrent use.
type Storage struct {
	client *minio.Core
	o      Options
	slots  chan struct{} // one for each call of Put
}

// Open makes a storage, and checks that the bucket exists and that the credentials may read it.
// The error says which option is wrong. It never has the secret key.
func Open(ctx context.Context, o Options) (*Storage, error) {
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/") != "" || u.User != nil:
		return nil, errors.New("s3: Endpoint must be https:// or http:// and a host, without a path and credentials")
	case o.Bucket == "" || o.AccessKey == "" || o.SecretKey == "":
		return nil, errors.New("s3: Bucket, AccessKey and SecretKey are required")
	case o.Prefix != "" && (!strings.HasSuffix(o.Prefix, "/") || files.CheckKey(strings.TrimSuffix(o.Prefix, "/")) != nil):
		return nil, fmt.Errorf("s3: Prefix is %q; it must end with / and have lower-case letters, digits, -, _ and / only", o.Prefix)
	case o.PartSize != 0 && o.PartSize < leastPart:
		return nil, fmt.Errorf("s3: PartSize is %d; it must be at least %d", o.PartSize, leastPart)
	case o.Uploads < 0:
		return nil, fmt.Errorf("s3: Uploads is %d; it must be above zero, or 0 for %d", o.Uploads, usualUploads)
	}
	o.PartSize, o.Uploads, o.Region = cmp.Or(o.PartSize, leastPart), cmp.Or(o.Uploads, usualUploads), cmp.Or(o.Region, "us-east-1")
	client, err := minio.NewCore(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Secure: u.Scheme == "https", Region: o.Region, Transport: o.Transport,
	})
	if err != nil {
		return nil, fmt.Errorf("s3: the endpoint %s: %w", u.Host, err)
	}
	s := &Storage{client, o, make(chan struct{}, o.Uploads)}
	exists, err := client.BucketExists(ctx, o.Bucket)
	switch {
	case err != nil:
		return nil, fmt.Errorf("s3: the bucket %q at %s cannot be used: %w", o.Bucket, u.Host, err)
	case !exists:
		return nil, fmt.Errorf("s3: there is no bucket %q at %s, or the credentials may not read it; make it first", o.Bucket, u.Host)
	}
	return s, nil
}

// Put implements [files.Storage]. It sends the content in parts. If it fails, also because the
// context ends, it aborts the upload.
func (s *Storage) Put(ctx context.Context, key string, body io.Reader, mediaType string) error {
	if err := files.CheckKey(key); err != nil {
		return err
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	default:
		return fmt.Errorf("%w: %d uploads to S3 are under way", files.ErrBusy, s.o.Uploads)
	}
	// The client aborts an upload by its context, which must not have ended then: the reader ends
	// instead.
	lasting := context.WithoutCancel(ctx)
	_, err := s.client.Client.PutObject(lasting, s.o.Bucket, s.o.Prefix+key, files.WithContext(ctx, body), -1, minio.PutObjectOptions{
		ContentType: mediaType, PartSize: uint64(s.o.PartSize), //nolint:gosec // Open checked that it is positive
	})
	return err
}

// Get implements [files.Storage].
func (s *Storage) Get(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if err := files.CheckKey(key); err != nil {
		return nil, err
	}
	if length == 0 {
		return io.NopCloser(strings.NewReader("")), nil
	}
	o := minio.GetObjectOptions{}
	if from > 0 || length > 0 {
		end := int64(0) // to the end of the content
		if length > 0 {
			end = from + length - 1
		}
		if from == 0 && end == 0 {
			o.Set("Range", "bytes=0-0") // the client takes 0, 0 for the whole content
		} else if err := o.SetRange(from, end); err != nil {
			return nil, err
		}
	}
	content, _, _, err := s.client.GetObject(ctx, s.o.Bucket, s.o.Prefix+key, o)
	switch minio.ToErrorResponse(err).Code {
	case minio.NoSuchKey:
		return nil, fmt.Errorf("%w: %s", files.ErrNotFound, key)
	case minio.InvalidRange:
		return io.NopCloser(strings.NewReader("")), nil
	}
	return content, err
}

// Delete implements [files.Storage].
func (s *Storage) Delete(ctx context.Context, key string) error {
	if err := files.CheckKey(key); err != nil {
		return err
	}
	return s.client.RemoveObject(ctx, s.o.Bucket, s.o.Prefix+key, minio.RemoveObjectOptions{})
}

// List implements [files.Storage].
func (s *Storage) List(ctx context.Context, prefix string) iter.Seq2[files.Object, error] {
	return func(yield func(files.Object, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		defer stop()
		for object := range s.client.ListObjectsIter(ctx, s.o.Bucket, minio.ListObjectsOptions{Prefix: s.o.Prefix + prefix, Recursive: true}) {
			key := strings.TrimPrefix(object.Key, s.o.Prefix)
			if object.Err == nil && files.CheckKey(key) != nil {
				continue // another program stored it
			}
			if !yield(files.Object{Key: key, Size: object.Size, Modified: object.LastModified}, object.Err) || object.Err != nil {
				return
			}
		}
	}
}

// DeleteUnfinished implements [files.Storage]. It aborts uploads in parts below the prefix.
func (s *Storage) DeleteUnfinished(ctx context.Context, before time.Time) (deleted int, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // ends the listing after an error
	for upload := range s.client.Client.ListIncompleteUploads(ctx, s.o.Bucket, s.o.Prefix, true) {
		if upload.Err != nil {
			return deleted, upload.Err
		}
		if !upload.Initiated.Before(before) {
			continue
		}
		if err := s.client.AbortMultipartUpload(ctx, s.o.Bucket, upload.Key, upload.UploadID); err != nil {
			return deleted, err
		}
		deleted++
	}
	return deleted, nil
}
