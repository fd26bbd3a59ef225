package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
)

// healthPatience is how long the server may take to answer /readyz.
const healthPatience = 3 * time.Second

// NewHealthCommand returns the command health.
func NewHealthCommand(run *command.Run) *cobra.Command {
	c := run.New(cobra.Command{
		Use:   "health [flags]",
		Short: "Check whether the server on this machine is ready",
		Long: `Health requests /readyz at the server's own address, which it reads from the
settings. It waits at most 3 seconds. It is for containers, which have no other
program to send requests. The exit code is 0 if the server is ready, and 1 if it is
not.`,
	}, func(cmd *cobra.Command, args []string) error { return runHealth(run, cmd, args) })
	run.AddSettings(c.Flags(), true)
	return c
}

func runHealth(run *command.Run, cmd *cobra.Command, _ []string) error {
	c, _, err := run.Settings(cmd.Flags())
	if err != nil {
		return err
	}
	address, err := findOwnAddress(c)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), healthPatience)
	defer cancel()
	answer, err := requestReady(ctx, c, address)
	if err != nil {
		return err
	}
	return run.Print(answer)
}

// findOwnAddress returns the address at which this machine reaches the server. Port 0 is an
// error.
func findOwnAddress(c config.Config) (string, error) {
	host, port, err := net.SplitHostPort(c.Addr)
	switch {
	case err != nil:
		return "", err
	case port == "0":
		return "", exit.Misused("the server takes whatever port is free, so it cannot be found; set %s to a port", c.Program.Text("{PROGRAM}_ADDR"))
	case host == "":
		host = "127.0.0.1"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = map[bool]string{true: "127.0.0.1", false: "::1"}[ip.To4() != nil]
	}
	return net.JoinHostPort(host, port), nil
}

// requestReady returns the answer of /readyz if its status is 200, and else an error.
func requestReady(ctx context.Context, c config.Config, address string) (string, error) {
	scheme, transport := "http://", &http.Transport{DisableKeepAlives: true}
	if c.HasTLS() {
		var err error
		if transport.TLSClientConfig, err = trustOwnCertificate(c.TLSCert); err != nil {
			return "", err
		}
		scheme = "https://"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, scheme+address+"/readyz", nil)
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return "", fmt.Errorf("the server at %s does not answer: %v", address, err) //nolint:errorlint // if it were wrapped, it would count as a fault of the database
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	said := strings.TrimSpace(string(text))
	if answer.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server at %s is not ready: %s: %s", address, answer.Status, said)
	}
	return said, nil
}

// trustOwnCertificate trusts the certificates in the file, and the authorities of the system,
// because the server may still use an older certificate. The server's certificate must have
// the name that [findName] finds in the file; the address of the server does not matter.
func trustOwnCertificate(file string) (*tls.Config, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the server's certificate cannot be read: %w", err)
	}
	name, err := findName(content)
	if err != nil {
		return nil, fmt.Errorf("%s is no certificate in PEM: %w", file, err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	roots.AppendCertsFromPEM(content)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots, ServerName: name}, nil
}

// findName returns the first DNS name of the first certificate in a file, or else its first IP
// address. In a wildcard name it replaces the * by a word.
func findName(content []byte) (string, error) {
	block, _ := pem.Decode(content)
	if block == nil {
		return "", errors.New("it holds none")
	}
	leaf, err := x509.ParseCertificate(block.Bytes)
	switch {
	case err != nil:
		return "", err
	case len(leaf.DNSNames) > 0:
		return strings.Replace(leaf.DNSNames[0], "*", "any", 1), nil
	case len(leaf.IPAddresses) > 0:
		return leaf.IPAddresses[0].String(), nil
	}
	return "", errors.New("it is for no host")
}
