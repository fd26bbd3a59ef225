// Command rename changes the module path of this repository. The path is the module line of
// go.mod; the command replaces it there, and in every other text file: imports, comments,
// documents, settings of tools, and the go.mod files of the examples.
//
//	go run ./cmd/rename example.org/trestle
//
// It runs in the root of the repository, and prints each file that it changed. It then prints
// each line that still has the old path as a part of another name, such as an e-mail address.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "rename: name the new module path: make rename MODULE=example.org/trestle")
		os.Exit(2)
	}
	root, err := os.OpenRoot(".")
	if err == nil {
		err = rename(root, os.Args[1], os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rename:", err)
		os.Exit(1)
	}
}
