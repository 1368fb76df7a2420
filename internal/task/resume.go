package task

// This file begins tracking where an earlier run ended: its certificate holds the
// multipliers and the assignment.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mtt/association"
	"mtt/association/instance"
	"mtt/dualascent"
	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// resumeOption sets the run that tracking goes on from.
func (o *TrackOptions) resumeOption() cli.Option {
	return cli.Text(&o.Resume, "resume", "`RUN` (or its certificate.bin) to go on from: the bound begins where it ended. Its detections need "+
		"not be the same; what both have is taken over")
}

// ResumeFolder is the run folder that --resume means.
func (o *TrackOptions) ResumeFolder() string {
	if filepath.Base(o.Resume) == runfolder.CertificateFile {
		return filepath.Dir(o.Resume)
	}
	return o.Resume
}

// ReadStart reads what the run of --resume found; nil without one.
func (o *TrackOptions) ReadStart(ctx context.Context) (*instance.Start, error) {
	if o.Resume == "" {
		return nil, nil
	}
	if o.lag >= 0 || o.engine == string(association.Greedy) || o.engine == string(association.GNN) {
		return nil, cli.Usagef("--resume goes with engines that have bounds, and not with --lag")
	}
	folder, err := OpenRun(o.ResumeFolder())
	if err != nil {
		return nil, err
	}
	return cli.Await(ctx, func() (*instance.Start, error) {
		s, _, err := readStart(ctx, folder)
		return s, err
	})
}

// readStart reads what a run found, and its certificate.
func readStart(ctx context.Context, folder *runfolder.Folder) (*instance.Start, *certificate.Certificate, error) {
	sc, err := LoadScans(folder)
	if err != nil {
		return nil, nil, err
	}
	name := folder.Path(runfolder.CertificateFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, cli.Usagef("%s is not there", name).Hinted("'mtt track' makes it, with an engine that has bounds")
	} else if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	c, err := certificate.Read(f)
	if err != nil {
		return nil, nil, cli.BadInput(fmt.Errorf("%s: %w", name, err))
	}
	if sum, err := FileSum(ctx, folder.Path(runfolder.DetectionsFile)); err != nil {
		return nil, nil, err
	} else if sum != c.Detections || len(c.Frames) != len(sc.Scans) {
		return nil, nil, cli.BadInput(fmt.Errorf("%s was made for other detections than those beside it", name))
	}
	s := &instance.Start{Scans: sc.Scans, Coast: make([][]instance.Coast, len(c.Frames))}
	for t := range c.Frames {
		n := c.Frames[t].Detections
		if n != sc.Scans[t].Len() {
			return nil, nil, cli.BadInput(fmt.Errorf("%s: frame %d has other detections than those beside it", name, t))
		}
		for k, from := range c.Frames[t].From {
			next := int32(-1) // its one arc leads there
			if g := c.Gaps[t:]; len(g) > 0 && g[0].Ptr[n+k] < g[0].Ptr[n+k+1] {
				next = g[0].Col[g[0].Ptr[n+k]]
			}
			s.Coast[t] = append(s.Coast[t], instance.Coast{Prev: from, Next: next})
		}
	}
	s.Complete()
	for p := range c.Gaps {
		g := &c.Gaps[p]
		entered := make([]bool, g.Cols)
		for i, a := range g.Next {
			if a == -1 {
				continue
			}
			if int(a) < g.Ptr[i] || int(a) >= g.Ptr[i+1] || entered[g.Col[a]] {
				return nil, nil, cli.BadInput(fmt.Errorf("%s: gap %d: node %d cannot choose arc %d", name, p, i, a))
			}
			entered[g.Col[a]] = true
		}
		s.Pairs = append(s.Pairs, dualascent.FramePair{Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col})
		s.Prices = append(s.Prices, dualascent.Prices{U: g.U, V: g.V, Birth: g.Birth, Death: g.Death, Col: g.Price})
		s.Next = append(s.Next, g.Next)
	}
	return s, c, nil
}
