//go:build unix

package association_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtt"
	"mtt/association"
	"mtt/internal/nightly"
)

// This file tests how soon Track ends after its context.

// processor is the time that the process has had of the processor.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestEndsSoon ends Track at moments all over its work on scenes that are large or crowded: 100 ms
// of one processor later it has returned.
func TestEndsSoon(t *testing.T) {
	if !nightly.Is() {
		t.Skip("takes minutes")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const most = 100 * time.Millisecond
	for _, tt := range []struct {
		name              string
		detections, scans int
		place             func(rng *rand.Rand, i int) float64
		seconds           float64 // of the processor, in which it ends
	}{
		{"one place", 3000, 3, func(rng *rand.Rand, i int) float64 { return 5 }, 4},
		{"nearly one place", 1000, 5, func(rng *rand.Rand, i int) float64 { return rng.NormFloat64() }, 4},
		{"many scans", 1, 40_000, func(rng *rand.Rand, i int) float64 { return float64(i % 997) }, 4},
		{"large scans", 30_000, 4, func(rng *rand.Rand, i int) float64 { return 1000 * rng.Float64() }, 4},
		{"many targets", 2500, 50, nil, 12},
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		scans := make([]mtt.Scan, tt.scans)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for range 2 * tt.detections {
				if tt.place != nil {
					scans[f].Pos = append(scans[f].Pos, tt.place(rng, f))
				}
			}
		}
		if tt.place == nil { // straight on, one in twenty missed
			for range tt.detections {
				x, y, vx, vy := 500*rng.Float64(), 500*rng.Float64(), rng.NormFloat64(), rng.NormFloat64()
				for f := range scans {
					if t := float64(f); rng.Float64() > 0.05 {
						scans[f].Pos = append(scans[f].Pos, x+t*vx+0.1*rng.NormFloat64(), y+t*vy+0.1*rng.NormFloat64())
					}
				}
			}
		}
		var worst time.Duration
		for k := range nightly.Trials(20) {
			ctx, cancel := context.WithCancel(t.Context())
			moment := time.Duration(tt.seconds * rng.Float64() * float64(time.Second))
			var ended time.Duration
			done, found := make(chan bool), make(chan string, 1)
			began := processor(t)
			go func() {
				for processor(t)-began < moment {
					select {
					case <-done:
						return
					case <-time.After(2 * time.Millisecond):
					}
				}
				ended = processor(t)
				cancel()
				for {
					select {
					case <-done:
						return
					case <-time.After(time.Millisecond):
					}
					if processor(t)-ended > most {
						stack := make([]byte, 1<<16)
						found <- string(stack[:runtime.Stack(stack, true)])
						return
					}
				}
			}()
			_, err := association.Track(ctx, scans, nil)
			late := processor(t) - ended
			close(done)
			if err == nil {
				cancel()
				continue
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", tt.name, err)
			}
			worst = max(worst, late)
			if late > most {
				var list []string
				select {
				case s := <-found:
					for line := range strings.Lines(s) {
						if strings.HasPrefix(line, "mtt/") && len(list) < 9 {
							list = append(list, line[:min(len(line), 100)])
						}
					}
				default:
				}
				t.Errorf("%s: moment %d: %v after %v\n%s", tt.name, k, late, moment, strings.Join(list, "\n"))
			}
		}
		t.Logf("%s: %v at most", tt.name, worst)
	}
}
