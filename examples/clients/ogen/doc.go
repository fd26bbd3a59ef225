// Package ogenclient calls a Trestle server with a client that ogen generates from the
// server's OpenAPI document. The client is not committed: it is 8 MB of code. The command
// "make generators" generates it into the folder api and runs the flow of this package,
// which has the build tag ogen.
package ogenclient
