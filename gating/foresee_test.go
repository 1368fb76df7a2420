package gating

// This file tests that gates which keep far too much are refused before they take memory
// or time, and that whatever is going on ends with its context.

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"mtt"
)

// crowds are scans of n detections each in the unit square.
func crowds(frames, n int) []mtt.Scan {
	r := rand.New(rand.NewPCG(1, 1))
	scans := make([]mtt.Scan, frames)
	for t := range scans {
		scans[t] = mtt.Scan{Frame: t, Time: float64(t), Dim: 2}
		for range 2 * n {
			scans[t].Pos = append(scans[t].Pos, r.Float64())
		}
	}
	return scans
}

// TestRefusal takes a few megabytes to refuse what would take hundreds of gigabytes, and the gate that it
// names fits.
func TestRefusal(t *testing.T) {
	scans := crowds(6, 2500)
	opts := &Options{Budget: Budget{Bytes: 25e6}}
	for name, call := range map[string]func(g Gate) error{
		"Chain":   func(g Gate) error { _, err := Chain(t.Context(), scans, g, opts); return err },
		"Check":   func(g Gate) error { _, err := Check(t.Context(), scans, g, opts); return err },
		"Foresee": func(g Gate) error { return Foresee(t.Context(), scans, g, opts) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := call(Ball{Radius: 10})
		runtime.ReadMemStats(&after)
		large, ok := errors.AsType[*TooLargeError](err)
		if !ok || large.Fits == nil || math.Abs(float64(large.Arcs)-31.25e6) > 0.5e6 || math.Abs(float64(large.Triplets)-6.25e10) > 1.25e9 {
			t.Fatalf("%s: error %+v", name, err)
		}
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 60 {
			t.Errorf("%s: %d MB were taken to refuse", name, mb)
		}
		if size, err := Check(t.Context(), scans, large.Fits, opts); err != nil || opts.Budget.Need(size.Arcs, size.Triplets) < opts.Budget.Bytes/3 {
			t.Errorf("%s: %v, which is to fit, keeps %+v, %v", name, large.Fits, size, err)
		}
		if err := call(Ball{Radius: 0.01}); err != nil {
			t.Errorf("%s: a small gate: %v", name, err)
		}
	}
}

// TestEnds cancels the context while one large pattern is in the making, listed, capped or
// counted.
func TestEnds(t *testing.T) {
	scans := crowds(3, 60000)
	for name, opts := range map[string]*Options{"listed": {}, "capped": {K: 5}, "counted": nil} {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(50*time.Millisecond, cancel)
		var err error
		if opts == nil {
			_, err = Check(ctx, scans, Ball{Radius: 10}, nil)
		} else {
			_, err = Chain(ctx, scans, Ball{Radius: 10}, opts)
		}
		if timer.Stop(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
		cancel()
	}
}

// TestNeedSaturates: what no number holds is too large, not too small.
func TestNeedSaturates(t *testing.T) {
	if need := (Budget{}).Need(1, math.MaxInt); need != math.MaxInt64 {
		t.Errorf("Need = %d", need)
	}
	if !(Budget{Bytes: 1}).exceeded(Size{Triplets: math.MaxInt / 2}) {
		t.Error("a vast size keeps the budget")
	}
}

// Who does not ask for a gate that fits is not kept waiting for it.
func TestNoFit(t *testing.T) {
	for _, k := range []int{0, 3} {
		opts := &Options{K: k, Budget: Budget{Bytes: 100_000}}
		for _, opts.NoFit = range []bool{false, true} {
			_, err := Chain(t.Context(), crowds(3, 1000), Ball{Radius: 0.2}, opts)
			e, ok := errors.AsType[*TooLargeError](err)
			if !ok || (e.Fits == nil) != opts.NoFit || e.Bytes <= e.Limit {
				t.Errorf("cap %d, NoFit %v: %v", k, opts.NoFit, err)
			}
		}
	}
}
