//go:build unix

package throwaway

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestDeclineServices(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "policy-rc.d")
	restore, err := declineServices(file)
	if err != nil {
		t.Fatal(err)
	}
	var refused *exec.ExitError
	if err := exec.Command(file).Run(); !errors.As(err, &refused) || refused.ExitCode() != 101 {
		t.Errorf("the policy ends with %v; want 101, which forbids", err)
	}
	again, err := declineServices(file)
	if err != nil || again() != nil {
		t.Fatalf("with an existing policy: %v", err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("an existing policy was removed: %v", err)
	}
	if err := restore(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("the policy is still there")
	}
}
