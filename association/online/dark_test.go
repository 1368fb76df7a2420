package online

import (
	"context"
	"slices"
	"testing"

	"mtt"
)

// This file tests a sensor that is silent.

// TestDark: targets keep their numbers over more scans without any detection than a track survives
// without one of its own; few that are gone for so long are not waited for.
func TestDark(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, tt := range []struct{ targets, from, to, tracks int }{
		{20, 30, 70, 20},  // a silence
		{20, 30, 34, 20},  // a short one
		{2, 30, 70, 4},    // two people have left, and others come
		{20, 30, 170, 40}, // too long
	} {
		scans, truth := walkers(tt.targets, tt.to+20, 0)
		for s := tt.from; s < tt.to; s++ {
			scans[s].Pos = nil
		}
		k, err := NewTracker(nil)
		if err != nil {
			t.Fatal(err)
		}
		most := 0
		for s := range scans {
			if err := k.Step(ctx, &scans[s]); err != nil {
				t.Fatal(err)
			}
			most = max(most, k.w.Len())
			if at := k.w.Scan(k.w.Len() - 1).Time; at != scans[s].Time {
				t.Fatalf("after the scan at %g s targets are those of %g s", scans[s].Time, at)
			}
		}
		if err := k.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		tracks := slices.DeleteFunc(slices.Collect(k.Tracks()), func(tr mtt.Track) bool { return len(tr.Hits) < 10 })
		if len(tracks) != tt.tracks || most > 40 {
			t.Errorf("%d targets, no detections in scans %d to %d: %d tracks, want %d; a window of %d scans", len(truth), tt.from, tt.to, len(tracks), tt.tracks, most)
		}
	}
}
