package online

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt"
	"mtt/costgen"
)

// This file tests what becomes of targets that are missed for long.

// passers are targets on their way through a picture, thirty frames in a second: one detection in
// twenty is missed, and now and then all are for up to a second. It says of each detection of whom
// it is.
func passers(seed uint64, targets, frames int) (scans []mtt.Scan, who map[mtt.Hit]int) {
	rng := rand.New(rand.NewPCG(seed, 30))
	who = make(map[mtt.Hit]int)
	hidden, x, v := make([]int, targets), make([]float64, targets), make([]float64, targets)
	for i := range v {
		x[i], v[i] = 1000*rng.Float64(), 2+2*rng.Float64()
	}
	for f := range frames {
		s := mtt.Scan{Frame: f, Time: float64(f) / 30, Dim: 2}
		for i := range targets {
			v[i] += 0.06 * rng.NormFloat64()
			x[i] += v[i]
			if hidden[i]--; hidden[i] < 0 && f > 25 && rng.Float64() < 0.012 {
				hidden[i] = 2 + rng.IntN(30)
			}
			if hidden[i] > 0 || rng.Float64() < 0.05 {
				continue
			}
			who[mtt.Hit{Frame: f, Det: s.Len()}] = i
			s.Pos = append(s.Pos, x[i]+3*rng.NormFloat64(), 80*float64(i)+3*rng.NormFloat64())
		}
		scans = append(scans, s)
	}
	return scans, who
}

// TestLasting: tracks outlast runs of misses of many kinds, at a lag of a tenth of a second, and
// the window has little of old scans. In the second scene it is said how often targets are
// detected, which says nothing of how long they are missed.
func TestLasting(t *testing.T) {
	t.Parallel()
	const targets = 12
	ctx := context.Background()
	for seed := range uint64(2) {
		scans, who := passers(seed, targets, 400)
		opts := &Options{}
		if seed == 1 {
			opts.Rates = &costgen.Rates{Detect: float64(len(who)) / float64(targets*len(scans))}
		}
		k, err := NewTracker(opts)
		if err != nil {
			t.Fatal(err)
		}
		for s := range scans {
			if err := k.Step(ctx, &scans[s]); err != nil {
				t.Fatal(err)
			}
			held := 0
			for u := range k.w.Len() {
				held += k.w.Scan(u).Len()
			}
			if most := targets * (k.whole() + 12); held > most {
				t.Fatalf("after scan %d the window has %d detections of %d scans, want at most %d", s, held, k.w.Len(), most)
			}
			if len(k.Targets(nil)) > 3*targets {
				t.Fatalf("after scan %d %d targets are believed to be there", s, len(k.Targets(nil)))
			}
		}
		if err := k.Flush(ctx); err != nil {
			t.Fatal(err)
		}
		wrong, tracks := 0, slices.Collect(k.Tracks())
		for _, tr := range tracks {
			for h := range len(tr.Hits) - 1 {
				if who[tr.Hits[h]] != who[tr.Hits[h+1]] {
					wrong++
				}
			}
		}
		if len(tracks) > targets+2 || wrong > 2 {
			t.Errorf("seed %d: %d targets are %d tracks with %d wrong links", seed, targets, len(tracks), wrong)
		}
		if l := k.Model().Levels.Lasting; l.Share <= 0 || l.Share > 0.6 || l.Long < 0.8 {
			t.Errorf("seed %d: runs of misses are %+v", seed, l)
		}
	}
}

// TestLapses: of many runs the older ones count half, whatever their lengths; those over a silence
// of the sensor do not count.
func TestLapses(t *testing.T) {
	var l lapses
	for from := range 2*remembered - 40 {
		l.add(from, from+2)
	}
	for misses := range 40 {
		l.add(0, misses+12)
	}
	brief, long := l.runs[0], 0
	for _, of := range l.runs[1:] {
		long += of
	}
	if l.n != remembered || brief != remembered-20 || long != 20 {
		t.Errorf("%d brief and %d long runs of %d are remembered, want %d and %d", brief, long, l.n, remembered-20, 20)
	}
	l.blank = 5
	if l.add(4, 6); l.n != remembered {
		t.Errorf("a run over a silence counts")
	}
}
