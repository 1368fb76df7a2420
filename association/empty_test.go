package association

import (
	"testing"

	"mtt"
)

// TestNoScans: of no scans there are no tracks, and no panic.
func TestNoScans(t *testing.T) {
	for _, scans := range [][]mtt.Scan{nil, {}} {
		r, err := Track(t.Context(), scans, nil)
		if err != nil || len(r.Tracks) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
