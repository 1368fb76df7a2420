package task

// This file writes certificates: what "mtt verify" checks.

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/dualascent"
	"mtt/internal/certificate"
	"mtt/internal/runfolder"
	"mtt/internal/verify"
	"mtt/internal/version"
	"mtt/internal/workers"
)

// writeCertificate adds certificate.bin to a run folder whose detections and
// tracks are those of res, some of whose links were refined; made says what found them. Engines that prove no bound
// have none. It returns the chain of sums that solve.json keeps.
func writeCertificate(folder *runfolder.Folder, res *association.Result, refined int, made string) (sums verify.Sums, err error) {
	names := [2]string{folder.Path(runfolder.DetectionsFile), folder.Path(runfolder.TracksFile)}
	var of [2][sha256.Size]byte
	var failed [2]error
	workers.Each(2, 2, func(_, k int) { of[k], failed[k] = FileSum(names[k]) })
	if err := cmp.Or(failed[0], failed[1]); err != nil {
		return sums, err
	}
	detections, tracks := of[0], of[1]
	sums.Detections, sums.Tracks = hex.EncodeToString(detections[:]), hex.EncodeToString(tracks[:])
	if res.Dual == nil || res.Dual.Next == nil {
		return sums, nil
	}
	head := &certificate.Header{
		Made: made, Lower: min(res.Dual.Certified, res.Dual.UpperBound), Upper: res.Dual.UpperBound,
		Refined: refined > 0, Detections: detections, Tracks: tracks,
	}
	inst := res.Instance
	frames := make([]certificate.Frame, len(inst.Scans))
	for t := range frames {
		f := &frames[t]
		f.Detections = inst.Scans[t].Len()
		for _, coast := range inst.Coast[t] {
			f.From, f.Prior = append(f.From, coast.Prev), append(f.Prior, -1)
		}
	}
	featured := slices.ContainsFunc(inst.Dual.Blocks, func(b dualascent.Block) bool { return b.Differences != nil })
	gap := func(p int, g *certificate.Gap) {
		var block *dualascent.Block
		if p > 0 {
			block = &inst.Dual.Blocks[p-1]
		}
		gapOf(g, p, len(frames), &inst.Dual.Pairs[p], block, &res.Dual.Prices[p], res.Dual.Next[p])
	}
	problem, whole := certificate.NewProblemSum(detections, frames), sha256.New()
	workers.Each(2, 2, func(_, k int) {
		if k == 0 {
			err = folder.WriteFile(runfolder.CertificateFile, func(w io.Writer) error {
				return certificate.WriteGaps(io.MultiWriter(w, whole), head, frames, featured, gap)
			})
			return
		}
		for p := range len(frames) - 1 {
			g := &certificate.Gap{}
			gap(p, g)
			problem.Add(g)
		}
	})
	costs := problem.Sum()
	sums.Costs, sums.Certificate = hex.EncodeToString(costs[:]), hex.EncodeToString(whole.Sum(nil))
	return sums, err
}

// gapOf sets g to gap p of the certificate of frames frames: block has the triplet costs of its rows,
// nil in the first gap.
func gapOf(g *certificate.Gap, p, frames int, from *dualascent.FramePair, block *dualascent.Block, prices *dualascent.Prices, next []int32) {
	*g = certificate.Gap{
		Rows: from.Rows, Cols: from.Cols, Ptr: from.Ptr, Col: from.Col,
		Cost: from.Cost, RowMiss: from.RowMiss, ColMiss: from.ColMiss,
		Price: prices.Col, Next: next,
	}
	if p > 0 {
		g.D, g.V, g.Death = block.D, prices.V, prices.Death
		if block.Differences != nil {
			g.Features = (*certificate.Features)(block.Differences)
		}
	}
	if p < frames-2 {
		g.U, g.Birth = prices.U, prices.Birth
	}
}

// refinedLinks counts the detections whose successor in the tracks is not that in the
// assignment. Tracks that are in both share their memory, and are not looked at.
func refinedLinks(res *association.Result) int {
	type span struct {
		first *mtt.Hit
		hits  int
	}
	of := func(t *mtt.Track) span {
		if len(t.Hits) == 0 {
			return span{}
		}
		return span{&t.Hits[0], len(t.Hits)}
	}
	both := make(map[span]bool, len(res.Plain)) // whether it is in the tracks as well
	for i := range res.Plain {
		both[of(&res.Plain[i])] = false
	}
	for i := range res.Tracks {
		if _, plain := both[of(&res.Tracks[i])]; plain {
			both[of(&res.Tracks[i])] = true
		}
	}
	each := func(tracks []mtt.Track, do func(from, to mtt.Hit)) {
		for i := range tracks {
			if both[of(&tracks[i])] {
				continue
			}
			for k := 1; k < len(tracks[i].Hits); k++ {
				do(tracks[i].Hits[k-1], tracks[i].Hits[k])
			}
		}
	}
	next := make(map[mtt.Hit]mtt.Hit)
	each(res.Plain, func(from, to mtt.Hit) { next[from] = to })
	n, changed := len(next), 0
	each(res.Tracks, func(from, to mtt.Hit) {
		was, linked := next[from]
		if !linked || was != to {
			changed++
		}
		if linked {
			n--
		}
	})
	return changed + n
}

// proofOf says what the lower bound of solve.json rests on.
func proofOf(res *association.Result) string {
	switch d := res.Dual; {
	case d == nil || d.Next == nil:
		return ""
	case min(d.LowerBound, d.UpperBound)-d.Certified > 1e-9*math.Abs(d.UpperBound):
		return verify.BySearch
	}
	return verify.ByPrices
}

// madeBy says which program found the tracks, and how.
func madeBy(o *TrackOptions) string {
	return fmt.Sprintf("mtt %s, engine %s, cost %s", version.Version, o.engine, o.cost)
}

// hexSum is FileSum in hexadecimal digits.
func hexSum(name string) (string, error) {
	sum, err := FileSum(name)
	return hex.EncodeToString(sum[:]), err
}

// FileSum is the SHA-256 of the bytes of a file.
func FileSum(name string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
