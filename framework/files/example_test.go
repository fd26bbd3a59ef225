package files_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"trestle.example/framework/files"
)

// A storage stores contents by keys. A declaration does this for clients; a program can use it
// too, such as in a job.
func ExampleOpenDisk() {
	folder, err := os.MkdirTemp("", "files")
	must(err)
	defer os.RemoveAll(folder)
	storage, err := files.OpenDisk(folder)
	must(err)
	defer storage.Close()

	ctx, key := context.Background(), files.NewKey("patients/photo")
	must(storage.Put(ctx, key, strings.NewReader("0123456789"), "text/plain"))
	part, err := storage.Get(ctx, key, 2, 3)
	must(err)
	text, err := io.ReadAll(part)
	must(err)
	must(part.Close())
	fmt.Println(string(text))
	must(storage.Delete(ctx, key))
	// Output: 234
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
