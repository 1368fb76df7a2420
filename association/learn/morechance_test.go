package learn

import (
	"context"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/gating"
)

// A neighbourly pilot links each detection to the first one left within three standard deviations of the noise in the next scan, and notes the largest rate of false alarms that it was told.
type neighbourly struct{ most float64 }

func (p *neighbourly) Track(_ context.Context, scans []mtt.Scan, m *Model) (tracks []mtt.Track, cost float64, err error) {
	reach := 0.1
	if m.Levels != nil {
		reach = 3 * m.Levels.Sigma
		p.most = max(p.most, m.Levels.Rates.Clutter)
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

// TestMoreByChance: where nothing turns, as many false alarms as counts speak for are tried if chance makes most links, as with a noise as large as
// detections are apart, and not if links are of targets.
func TestMoreByChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 28))
	const targets, alarms, side = 8, 30, 30.0
	scans := make([]mtt.Scan, 30)
	for f := range scans {
		scans[f] = mtt.Scan{Frame: f, Time: float64(f), Dim: 2}
		for k := range targets {
			scans[f].Pos = append(scans[f].Pos, 3*float64(k)+1, 2*float64(k)+0.001*float64(f))
		}
		for range alarms/2 + rng.IntN(alarms+1) { // they vary a little more than a Poisson process does
			scans[f].Pos = append(scans[f].Pos, side*rng.Float64(), side*rng.Float64())
		}
	}
	for _, c := range []struct {
		noise float64
		tried bool
	}{{1.5, true}, {0.01, false}} {
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
			t.Errorf("with a noise of %v more false alarms are tried: %v, want %v (%v at most)", c.noise, tried, c.tried, p.most)
		}
	}
}
