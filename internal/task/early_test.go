package task

import (
	"context"
	"slices"
	"testing"
)

// TestCompareEarly: gates that are compared while a scene is tracked are those that are compared
// afterwards; and who gives up waits for the comparison.
func TestCompareEarly(t *testing.T) {
	t.Chdir(t.TempDir())
	s := newSession(t)
	s.Common.Quiet, s.Common.Workers = true, 2
	c, folder, sc, track, score := simulated(t, s, map[string]string{"targets": "8", "frames": "10", "scene": "arena"})
	defer folder.Discard()
	stop := CompareEarly(t.Context(), s, score, track, folder, sc)
	solved, err := Track(t.Context(), s, c, track, folder, sc, 0)
	if err != nil {
		t.Fatal(err)
	}
	early := score.early
	if early == nil {
		t.Fatal("nothing is compared while the scene is tracked")
	}
	taken, err := score.gates(t.Context(), s, track, folder, sc, solved.Result)
	if err != nil || len(taken) == 0 || &taken[0] != &early.rows[0] {
		t.Errorf("%d rows, %v, not those made meanwhile", len(taken), err)
	}
	score.early = nil
	fresh, err := score.gates(t.Context(), s, track, folder, sc, solved.Result)
	if err != nil || &fresh[0] == &early.rows[0] {
		t.Errorf("rows made meanwhile again, %v", err)
	}
	for _, rows := range [][]GateRow{taken, fresh} {
		for k := range rows {
			rows[k].Seconds = 0
		}
	}
	if !slices.Equal(taken, fresh) {
		t.Errorf("%v while the scene is tracked, %v afterwards", taken, fresh)
	}
	stop()

	ctx, cancel := context.WithCancel(t.Context())
	stop = CompareEarly(ctx, s, score, track, folder, sc)
	track.learnt(solved.Result)
	done := score.early.done
	cancel()
	stop()
	select {
	case <-done:
	default:
		t.Error("gates are compared after the end")
	}
	s.Common.Workers = 1
	if CompareEarly(t.Context(), s, score, track, folder, sc); track.learnt != nil {
		t.Error("one worker, and gates beside the scene")
	}
}
