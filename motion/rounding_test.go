package motion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"mtt"
)

// This file tests filters where variances differ so much that little is left of their differences.

// TestRounding: at steps of a microsecond to eleven days no filter is surer of a position than what
// measures it, expects more exactly than it is measured, or says what is no number.
func TestRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for n := range 300 {
		for _, m := range []Model{Velocity{}, Walk{}, Reverting{}, Swaying{}, Turn{}, Singer{}} {
			p := params(rng, m, 2, n%2 == 0)
			p.Sigma, p.SigmaV, p.Accel = spread(rng, -4, 1), spread(rng, -4, 1), spread(rng, -9, 0)
			p.ManoeuvreAccel, p.Sway = p.Accel, p.Accel
			if p.SpeedStd > 0 {
				p.SpeedStd = spread(rng, -3, 3)
			}
			p.TurnStd, p.TurnWalk, p.AccelStd, p.AccelRevert = spread(rng, -6, -2), spread(rng, -9, -3), spread(rng, -6, -1), spread(rng, -6, -1)
			path := &path{p: p}
			now, x, v := 0.0, []float64{0, 0}, []float64{p.SpeedStd * rng.NormFloat64(), p.SpeedStd * rng.NormFloat64()}
			for k := range 6 {
				s := mtt.Scan{Frame: k, Time: now, Dim: 2, Pos: []float64{x[0] + p.Sigma*rng.NormFloat64(), x[1] + p.Sigma*rng.NormFloat64()}}
				if !p.PositionsOnly {
					s.Vel = []float64{v[0] + p.SigmaV*rng.NormFloat64(), v[1] + p.SigmaV*rng.NormFloat64()}
				}
				path.scans, path.kind = append(path.scans, s), append(path.kind, Smooth)
				dt := spread(rng, -6, 6)
				now += dt
				x[0], x[1] = x[0]+dt*v[0], x[1]+dt*v[1]
			}
			name := fmt.Sprintf("%d, %s, positions only %v", n, p.Name(), p.PositionsOnly)
			switch {
			case p.Triple():
				rounded(t, name+", triple", NewTriple(p), path)
			case p.Wheel():
				rounded(t, name+", wheel", NewWheel(p), path)
			case m != Model(Turn{}):
				rounded(t, name+", axes", NewAxes(p), path)
			}
			rounded(t, name+", full", NewFull(p), path)
		}
	}
}

// spread draws a power of ten.
func spread(rng *rand.Rand, lo, hi float64) float64 {
	return math.Pow(10, lo+(hi-lo)*rng.Float64())
}

func rounded[S, E any](t *testing.T, name string, f Filter[S, E], p *path) {
	t.Helper()
	var s S
	var e E
	var est Estimate
	least := 4 * math.Log(p.p.Sigma)
	if !p.p.PositionsOnly {
		least += 4 * math.Log(p.p.SigmaV)
	}
	least += math.Log(2*math.Pi) * float64(len(p.scans[0].Pos)+len(p.scans[0].Vel))
	f.Start(&s, &p.scans[0], 0)
	for k := 1; k < len(p.scans); k++ {
		dt := p.scans[k].Time - p.scans[k-1].Time
		e = gather(f, p, k, len(p.scans))
		f.Predict(&s, dt, Smooth)
		if x := f.Ratio(&s); math.IsNaN(x) || math.IsInf(x, 1) {
			t.Fatalf("%s: scan %d: the ratio is %v", name, k, x)
		}
		if x := f.Join(&s, &e); !(x.D2 >= 0) || math.IsNaN(x.Base) || math.IsInf(x.D2+x.Base, 0) {
			t.Fatalf("%s: scan %d joins by %+v", name, k, x)
		}
		if x := f.Open(&e); math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%s: scan %d opens by %v", name, k, x)
		}
		fit := f.Innovation(&s, &p.scans[k], 0)
		if !(fit.D2 >= 0) || math.IsInf(fit.D2, 0) || !(fit.Base >= least-1e-6) || math.IsInf(fit.Base, 0) {
			t.Fatalf("%s: scan %d fits by %+v, and nothing by less than %v", name, k, fit, least)
		}
		f.Update(&s, &p.scans[k], 0)
		f.Estimate(&est, &s, nil)
		for d := range 2 {
			at, of := est.P[packed(d, d)], est.P[packed(2+d, 2+d)]
			if !(at >= 0) || !(at <= p.p.Sigma*p.p.Sigma*(1+1e-4)) || !(of >= 0) {
				t.Fatalf("%s: after scan %d the variances are %v, %v; it is measured with %v", name, k, at, of, p.p.Sigma*p.p.Sigma)
			}
		}
	}
}

// TestRoundedInformation: information that was carried over half a day, of which rounding has left parts
// below 0, joins and opens by numbers all the same.
func TestRoundedInformation(t *testing.T) {
	a := NewTriple(&Params{Model: Singer{}, Dim: 2, Sigma: 6.3e-4, PositionsOnly: true, Accel: 2e-7, SpeedStd: 0.33, AccelStd: 0.06, AccelRevert: 1.5e-6})
	s := TripleState{P: triangle{2.3037561442778216, 0.6101550551109088, 0.17606278507356912, 0.033329207108470586, 0.015593412308891226, 0.0036477769028268286}}
	e := TripleInformation{L: triangle{2.511681298122275e+06, 6.92853719975678e-10, 7.109907870457942e-06, -1.9615554542701158e-05, -1.0859925814986056, -42989.259680550706}}
	if x := a.Join(&s, &e); math.IsNaN(x.Base) || math.IsInf(x.Base, 0) || math.IsNaN(x.D2) {
		t.Errorf("joins by %+v", x)
	}
	f := NewFull(&Params{Model: Turn{}, Dim: 2, Sigma: 1.3e-3, PositionsOnly: true, Accel: 5.7e-9, SpeedStd: 67, TurnStd: 3.25e-6, TurnWalk: 2.4e-7})
	var l FullInformation
	copy(l.L[:], []float64{1.204719187054264e+06, -0.11599115829952669, 1.2047191938407004e+06, 85.67810533436523, 640.3980310914416, 2463.3212028862945, 1282.8931163195823,
		2329.804324851967, -1323.2097984571744, 725.0492449648352, 2.6514725895966973e+09, -6.583184477445527e+08, 3.1724973855516148e+09, -1.7070405145103588e+09, 4.071277140096088e+15})
	copy(l.H[:], []float64{-160726.72582868696, -298180.8862680054, -280.97595714823365, -1994.5964256702273, -5.19509459602136e+07})
	if x := f.Open(&l); math.IsNaN(x) || math.IsInf(x, 0) {
		t.Errorf("opens by %v", x)
	}
}
