package task

// This file writes certificates: what "mtt verify" checks.

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync"

	"mtt"
	"mtt/association"
	"mtt/dualascent"
	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/verify"
	"mtt/internal/version"
)

// A proof is a certificate.bin that is being written into a run folder whose detections are those
// of a result. It begins with what is known last, which is put in by finish.
type proof struct {
	folder   *runfolder.Folder
	head     certificate.Header
	frames   int
	featured bool
	sums     verify.Sums

	writing sync.WaitGroup // until the file lasts
	err     error          // of that
}

// beginProof writes all of the certificate of res but its head; made says what found the answer.
// Engines that prove no bound have none. It ends with ctx. When it returns the costs and prices of
// res have been read, and the disk may still be at work: call finish, or wait for writing.
func beginProof(ctx context.Context, folder *runfolder.Folder, res *association.Result, made string) (*proof, error) {
	p := &proof{folder: folder}
	name := folder.Path(runfolder.DetectionsFile)
	if res.Dual == nil || res.Dual.Next == nil {
		var err error
		p.sums.Detections, err = hexSum(ctx, name)
		return p, err
	}
	inst := res.Instance
	p.head = certificate.Header{Made: made, Lower: min(res.Dual.Certified, res.Dual.UpperBound), Upper: res.Dual.UpperBound}
	p.frames = len(inst.Scans)
	p.featured = slices.ContainsFunc(inst.Dual.Blocks, func(b dualascent.Block) bool { return b.Differences != nil })
	frames := make([]certificate.Frame, len(inst.Scans))
	for t := range frames {
		f := &frames[t]
		f.Detections = inst.Scans[t].Len()
		for _, coast := range inst.Coast[t] {
			f.From, f.Prior = append(f.From, coast.Prev), append(f.Prior, -1)
		}
	}
	gap := func(p int, g *certificate.Gap) {
		var block *dualascent.Block
		if p > 0 {
			block = &inst.Dual.Blocks[p-1]
		}
		gapOf(g, p, len(frames), &inst.Dual.Pairs[p], block, &res.Dual.Prices[p], res.Dual.Next[p])
	}
	read := make(chan struct{})
	p.writing.Go(func() {
		done := sync.OnceFunc(func() { close(read) })
		defer done()
		p.err = folder.WriteFile(runfolder.CertificateFile, func(w io.Writer) error {
			defer done()
			return certificate.WriteGaps(cli.Writer(ctx, w), &p.head, frames, p.featured, gap)
		})
	})
	detections, err := FileSum(ctx, name)
	problem := certificate.NewProblemSum(detections, frames)
	for p := 0; p < len(frames)-1 && err == nil; p++ {
		g := &certificate.Gap{}
		gap(p, g)
		problem.Add(g)
		err = ctx.Err()
	}
	<-read
	p.head.Detections = detections
	costs := problem.Sum()
	p.sums.Detections, p.sums.Costs = hex.EncodeToString(detections[:]), hex.EncodeToString(costs[:])
	return p, err
}

// finish puts in the sum of tracks.csv, and whether tracks were refined. It sets the sums that
// solve.json keeps.
func (p *proof) finish(ctx context.Context, tracks [sha256.Size]byte, refined int) error {
	p.sums.Tracks = hex.EncodeToString(tracks[:])
	if p.writing.Wait(); p.err != nil || p.head.Made == "" {
		return p.err
	}
	p.head.Tracks, p.head.Refined = tracks, refined > 0
	opening, err := certificate.Opening(&p.head, p.frames, p.featured)
	if err == nil {
		err = p.folder.Patch(runfolder.CertificateFile, 0, opening)
	}
	if err == nil {
		p.sums.Certificate, err = hexSum(ctx, p.folder.Path(runfolder.CertificateFile))
	}
	return err
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
func hexSum(ctx context.Context, name string) (string, error) {
	sum, err := FileSum(ctx, name)
	return hex.EncodeToString(sum[:]), err
}

// FileSum is the SHA-256 of the bytes of a file, or the error of ctx.
func FileSum(ctx context.Context, name string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(name)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	return sumOf(ctx, f)
}

// sumOf is the SHA-256 of what r reads, or the error of ctx.
func sumOf(ctx context.Context, r io.Reader) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	_, err = io.Copy(h, cli.Reader(ctx, r))
	return [sha256.Size]byte(h.Sum(nil)), err
}
