package main

// This file begins tracking where an earlier run ended: its certificate holds the
// multipliers and the assignment.

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt/association"
	"mtt/dualascent"
	"mtt/internal/certificate"
	"mtt/internal/runfolder"
)

// resumeOption sets the run that tracking goes on from.
func (o *trackOptions) resumeOption() option {
	return text(&o.resume, "resume", "`RUN` (or its certificate.bin) to go on from: the bound begins where it ended. Its detections need "+
		"not be the same; what both have is taken over")
}

// resumeFolder is the run folder that --resume means.
func (o *trackOptions) resumeFolder() string {
	if filepath.Base(o.resume) == runfolder.CertificateFile {
		return filepath.Dir(o.resume)
	}
	return o.resume
}

// readStart reads what the run of --resume found; nil without one.
func (o *trackOptions) readStart() (*association.Start, error) {
	if o.resume == "" {
		return nil, nil
	}
	if o.lag >= 0 || o.engine == string(association.Forward) || o.engine == string(association.GNN) {
		return nil, usagef("--resume goes with engines that have bounds, and not with --lag")
	}
	folder, err := openRun(o.resumeFolder())
	if err != nil {
		return nil, err
	}
	sc, err := loadScans(folder)
	if err != nil {
		return nil, err
	}
	name := folder.Path(runfolder.CertificateFile)
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("%s is not there", name).hinted("'mtt track' without --resume makes it")
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := certificate.Read(f)
	if err != nil {
		return nil, badInput(fmt.Errorf("%s: %w", name, err))
	}
	if sum, err := fileSum(folder.Path(runfolder.DetectionsFile)); err != nil {
		return nil, err
	} else if sum != c.Detections || len(c.Frames) != len(sc.scans) {
		return nil, badInput(fmt.Errorf("%s was made for other detections than those beside it", name))
	}
	s := &association.Start{Scans: sc.scans, Coast: make([][]association.Coast, len(c.Frames))}
	for t := range c.Frames {
		n := c.Frames[t].Detections
		if n != sc.scans[t].Len() {
			return nil, badInput(fmt.Errorf("%s: frame %d has other detections than those beside it", name, t))
		}
		for k, from := range c.Frames[t].From {
			to := int32(-1) // its one arc leads there
			if g := c.Gaps[t:]; len(g) > 0 && g[0].Ptr[n+k] < g[0].Ptr[n+k+1] {
				to = g[0].Col[g[0].Ptr[n+k]]
			}
			s.Coast[t] = append(s.Coast[t], association.Coast{From: from, To: to})
		}
	}
	for p := range c.Gaps {
		g := &c.Gaps[p]
		entered := make([]bool, g.Cols)
		for i, a := range g.Next {
			if a == -1 {
				continue
			}
			if int(a) < g.Ptr[i] || int(a) >= g.Ptr[i+1] || entered[g.Col[a]] {
				return nil, badInput(fmt.Errorf("%s: gap %d: node %d cannot choose arc %d", name, p, i, a))
			}
			entered[g.Col[a]] = true
		}
		s.Gaps = append(s.Gaps, dualascent.Gap{Rows: g.Rows, Cols: g.Cols, Ptr: g.Ptr, Col: g.Col})
		s.Prices = append(s.Prices, dualascent.Prices{U: g.U, V: g.V, Birth: g.Birth, Death: g.Death, Col: g.Price})
		s.Next = append(s.Next, g.Next)
	}
	return s, nil
}

// resuming is a command line with --resume for the folder.
func resuming(args []string, folder string) []string {
	var list []string
	for k := 0; k < len(args); k++ {
		switch a := args[k]; {
		case a == "--resume":
			k++ // its value
		case strings.HasPrefix(a, "--resume="):
		default:
			list = append(list, a)
		}
	}
	return slices.Concat(list, []string{"--resume", folder})
}
