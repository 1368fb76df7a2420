package task

// This file writes certificates: what "mtt verify" checks.

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/internal/certificate"
	"mtt/internal/runfolder"
	"mtt/internal/version"
)

// writeCertificate adds certificate.bin to a run folder whose detections and
// tracks are those of res; made says what found them. Engines that prove no bound
// have none.
func writeCertificate(folder *runfolder.Folder, res *association.Result, made string) error {
	if res.Dual == nil || res.Dual.Next == nil {
		return nil
	}
	c := &certificate.Certificate{Header: certificate.Header{
		Made: made, Lower: min(res.Dual.Certified, res.Dual.UpperBound), Upper: res.Dual.UpperBound,
		Refined: !slices.EqualFunc(res.Tracks, res.Plain, func(a, b mtt.Track) bool { return slices.Equal(a.Hits, b.Hits) }),
	}}
	var err error
	if c.Detections, err = FileSum(folder.Path(runfolder.DetectionsFile)); err != nil {
		return err
	}
	if c.Tracks, err = FileSum(folder.Path(runfolder.TracksFile)); err != nil {
		return err
	}
	inst := res.Instance
	for t := range inst.Scans {
		f := certificate.Frame{Detections: inst.Scans[t].Len()}
		for _, coast := range inst.Coast[t] {
			f.From, f.Prior = append(f.From, coast.Prev), append(f.Prior, -1)
		}
		c.Frames = append(c.Frames, f)
	}
	for p := range inst.Dual.Gaps {
		from, prices := &inst.Dual.Gaps[p], &res.Dual.Prices[p]
		g := certificate.Gap{
			Rows: from.Rows, Cols: from.Cols, Ptr: from.Ptr, Col: from.Col,
			Cost: from.Cost, RowMiss: from.RowMiss, ColMiss: from.ColMiss,
			Price: prices.Col, Next: res.Dual.Next[p],
		}
		if p > 0 {
			b := &inst.Dual.Blocks[p-1]
			g.D, g.V, g.Death = b.D, prices.V, prices.Death
			if b.Features != nil {
				g.Features = (*certificate.Features)(b.Features)
			}
		}
		if p < len(inst.Dual.Blocks) {
			g.U, g.Birth = prices.U, prices.Birth
		}
		c.Gaps = append(c.Gaps, g)
	}
	return folder.WriteFile(runfolder.CertificateFile, func(w io.Writer) error { return certificate.Write(w, c) })
}

// madeBy says which program found the tracks, and how.
func madeBy(o *TrackOptions) string {
	return fmt.Sprintf("mtt %s, engine %s, cost %s", version.Version, o.engine, o.cost)
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
