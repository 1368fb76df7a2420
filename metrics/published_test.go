package metrics_test

import (
	"math"
	"testing"

	"mtt/metrics"
)

// This file checks the scores of public tracker results against published and
// independently computed values.

// rounded is whether got prints like want, at want's number of decimals.
func rounded(got, want, step float64) bool { return math.Abs(got-want) <= step/2+1e-9 }

// Values published by the py-motmetrics project, which gives the same ones for
// the MATLAB development kit of MOTChallenge.
func TestPublishedTUD(t *testing.T) {
	for _, tt := range []struct {
		name                       string
		idf1, idp, idr, rcll, prcn float64
		mt, pt, ml, fp, fn         int
		idsw, frag                 int
		mota, motp                 float64
	}{
		{"TUD-Campus", 55.8, 73.0, 45.1, 58.2, 94.1, 1, 6, 1, 13, 150, 7, 7, 52.6, 0.277},
		{"TUD-Stadtmitte", 64.5, 82.0, 53.1, 60.9, 94.0, 5, 4, 1, 45, 452, 7, 6, 56.4, 0.346},
	} {
		truth := boxTracks(readMOT(t, "data/mot15/"+tt.name+"/gt/gt.txt", false), nil)
		tracks := boxTracks(readMOT(t, "data/mot15/"+tt.name+"/res/res.txt", false), nil)
		r, err := metrics.Score(truth, tracks, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []struct {
			key             string
			got, want, step float64
		}{
			{"idf1", r.IDF1, tt.idf1, 0.1}, {"idp", r.IDP, tt.idp, 0.1}, {"idr", r.IDR, tt.idr, 0.1},
			{"recall", r.Recall, tt.rcll, 0.1}, {"precision", r.Precision, tt.prcn, 0.1},
			{"mota", r.MOTA, tt.mota, 0.1}, {"motp", r.MOTP, tt.motp, 0.001},
			{"mt", float64(r.MT), float64(tt.mt), 0}, {"pt", float64(r.PT), float64(tt.pt), 0},
			{"ml", float64(r.ML), float64(tt.ml), 0}, {"fp", float64(r.FP), float64(tt.fp), 0},
			{"fn", float64(r.FN), float64(tt.fn), 0}, {"idsw", float64(r.IDSW), float64(tt.idsw), 0},
			{"frag", float64(r.Frag), float64(tt.frag), 0},
		} {
			if !rounded(v.got, v.want, v.step) {
				t.Errorf("%s: %s = %v, want %v", tt.name, v.key, v.got, v.want)
			}
		}
	}
}
