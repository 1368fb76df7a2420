package cuda

import (
	"path/filepath"
	"testing"

	"mtt/internal/cuda/layout"
	"mtt/internal/golden"
)

// TestLayout compares kernels/layout.h with layout.go; -update writes it.
func TestLayout(t *testing.T) {
	header, err := layout.Header("dualascent/cuda", "layout.go", nil,
		model{}, passTask{}, matchTask{}, strideTask{}, generateTask{}, cubeTask{})
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, filepath.Join("..", "kernels", "layout.h"), header)
}
