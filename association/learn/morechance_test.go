package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/gating"
)

// A neighbourly pilot links each detection to the first one left within three standard deviations
// of the noise in the next scan, and notes the largest rate of false alarms that it was told, and
// the last.
type neighbourly struct{ most, last float64 }

func (p *neighbourly) Track(_ context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error) {
	reach := 0.1
	if m.Levels != nil {
		reach = 3 * m.Levels.Sigma
		p.last = m.Levels.Rates.Clutter
		p.most = max(p.most, p.last)
	}
	at := make([]int, scans[0].Len()) // of the detections of a scan: 1 more than their track
	for t := 1; t < len(scans); t++ {
		next := make([]int, scans[t].Len())
		for i := range scans[t-1].Len() {
			for j := range next {
				if next[j] > 0 || distance(scans[t-1].At(i), scans[t].At(j)) > reach {
					continue
				}
				if at[i] == 0 {
					tracks = append(tracks, mtt.Track{ID: len(tracks) + 1, Dim: 2})
					at[i] = len(tracks)
					tracks[at[i]-1].Append(&scans[t-1], i)
				}
				tracks[at[i]-1].Append(&scans[t], j)
				next[j] = at[i]
				break
			}
		}
		at = next
	}
	return tracks, 0, nil
}

func (p *neighbourly) Sum(ctx context.Context, scans []mtt.Scan, m *Model) ([]mtt.Track, float64, error) {
	return p.Track(ctx, scans, m)
}

func (p *neighbourly) Fits(context.Context, []mtt.Scan, gating.Gate, int) (bool, error) {
	return true, nil
}

// TestMoreByChance: where nothing turns, as many false alarms as counts speak for are tried if
// chance makes most links, as with a noise as large as detections are apart, and not if links are
// of targets, unless counts vary far more than by what was learnt. From there rates are counted in
// tracks: what is left over of a scan is alarms.
func TestMoreByChance(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 28))
	const targets, alarms, side = 8, 30, 30.0
	for _, c := range []struct {
		noise  float64
		varies int // how many more or fewer alarms than the mean there are in a scan at most
		tried  bool
	}{{1.5, 10, true}, {0.01, 10, false}, {0.01, 15, true}} {
		scans := make([]mtt.Scan, 30)
		for f := range scans {
			scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
			for k := range targets {
				scans[f].Pos = append(scans[f].Pos, 3*float64(k)+1, 2*float64(k)+0.001*float64(f))
			}
			for range alarms - c.varies + rng.IntN(2*c.varies+1) {
				scans[f].Pos = append(scans[f].Pos, side*rng.Float64(), side*rng.Float64())
			}
		}
		p := &neighbourly{}
		l := newLearner(scans, &Options{}, p, false)
		g := *l.levels
		g.Sigma, g.ManoeuvreProb = c.noise, 0
		g.Rates.Detect, g.Rates.Survive, g.Rates.Births, g.Rates.Targets, g.Rates.Clutter = 0.8, 0.9, 1, 25, 10
		l.levels = &g
		l.tracks, _, _ = p.Track(t.Context(), l.part, l.model(l.levels))
		if err := l.more(t.Context(), scans); err != nil {
			t.Fatal(err)
		}
		if tried := p.most > 2*g.Rates.Clutter; tried != c.tried {
			t.Errorf("with a noise of %v and %d alarms more or fewer, more are tried: %v, want %v (%v at most)", c.noise, c.varies, tried, c.tried, p.most)
		}
		if c.varies > 10 && math.Abs(p.last-alarms) > 3 {
			t.Errorf("%v false alarms in the end, want about %v", p.last, alarms)
		}
	}
}
