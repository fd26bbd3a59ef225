package s3_test

import (
	"context"
	"fmt"

	"trestle.example/framework/files/s3"
)

// A mistake in the options is one sentence.
func ExampleOpen() {
	_, err := s3.Open(context.Background(), s3.Options{Endpoint: "s3.eu-central-1.amazonaws.com", Bucket: "clinic", AccessKey: "access", SecretKey: "secret"})
	fmt.Println(err)
	// Output: s3: Endpoint must be https:// or http:// and a host, without a path and credentials
}
