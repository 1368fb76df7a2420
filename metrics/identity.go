package metrics

import (
	"context"
	"fmt"
)

// This file computes the identity scores.

// IdentityScores are the identity scores.
//
// Each target is given at most one track, and each track at most one target,
// for the whole sequence, so that IDTP is greatest: the number of frames in
// which target and track are within the threshold, over all pairs chosen [1].
// That is the minimum of IDFN + IDFP, with IDFN = true hits − IDTP and
// IDFP = track hits − IDTP, and
//
//	IDP = 100·IDTP/(IDTP+IDFP)   IDR = 100·IDTP/(IDTP+IDFN)   IDF1 = 100·2·IDTP/(2·IDTP+IDFP+IDFN)
//
// The assignment problem has an entry only where target and track met.
//
// [1] Ristani, Solera, Zou, Cucchiara, Tomasi. Performance measures and a data
// set for multi-target, multi-camera tracking. ECCV workshops 2016.
type IdentityScores struct {
	IDF1 float64 `json:"idf1"` // %
	IDP  float64 `json:"idp"`  // %
	IDR  float64 `json:"idr"`  // %
	IDTP int     `json:"idtp"`
	IDFP int     `json:"idfp"`
	IDFN int     `json:"idfn"`
}

// finish computes the rates from the counts.
func (d *IdentityScores) finish() {
	d.IDF1 = percent(2*d.IDTP, 2*d.IDTP+d.IDFP+d.IDFN)
	d.IDP = percent(d.IDTP, d.IDTP+d.IDFP)
	d.IDR = percent(d.IDTP, d.IDTP+d.IDFN)
}

// add adds the counts of e.
func (d *IdentityScores) add(e *IdentityScores) {
	d.IDTP += e.IDTP
	d.IDFP += e.IDFP
	d.IDFN += e.IDFN
}

func scoreIdentity(ctx context.Context, s *scene, near *pairs, over *overlaps, o *Options) (*IdentityScores, error) {
	frames := make([]int32, len(over.track)) // of each overlap: frames within the threshold
	limit := o.limit()
	for e, v := range over.of {
		if near.d[e] <= limit {
			frames[v]++
		}
	}
	var lap assigner
	lap.begin(len(s.tracks.of))
	for g := range s.truth.of {
		for v := over.ptr[g]; v < over.ptr[g+1]; v++ {
			lap.pair(over.track[v], float64(frames[v]))
		}
		lap.endRow()
	}
	colOf, err := lap.solve(ctx)
	if err != nil {
		return nil, fmt.Errorf("metrics: identities: %w", err)
	}
	idtp := 0
	for g, k := range colOf {
		if k != none {
			idtp += int(frames[over.find(g, k)])
		}
	}
	return &IdentityScores{IDTP: idtp, IDFP: s.tracks.hits() - idtp, IDFN: s.truth.hits() - idtp}, nil
}
