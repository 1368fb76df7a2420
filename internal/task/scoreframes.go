package task

// This file scores run folders that are larger than memory, frame by frame.

import (
	"context"
	"io"

	"mtt/dataset"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/metrics"
)

// BindAlone makes the options that set o where a command only scores.
func (o *ScoreOptions) BindAlone() []cli.Option {
	o.memoryLimit = 16 << 30
	return append(o.Bind(), bytesOption(&o.memoryLimit, "memory-limit",
		"`BYTES`, such as 500MB or 16GiB, that scoring at once may take; what is larger is scored frame by frame, without HOTA, trajectory GOSPA, divisions, gates and figures"))
}

// perHit is the memory of a hit of truth or tracks that is scored at once, bytes: 280 were measured
// in an arena of 1.95 million hits, figures included.
const perHit = 300

// byFrame says whether a run is to be scored frame by frame.
func (o *ScoreOptions) byFrame(folder *runfolder.Folder) (bool, error) {
	if o.memoryLimit == 0 || !folder.Has(runfolder.TruthFile) || !folder.Has(runfolder.TracksFile) {
		return false, nil
	}
	all := 0.0
	for _, name := range []string{runfolder.TruthFile, runfolder.TracksFile} {
		n, err := guessDetections(folder.Path(name))
		if err != nil {
			return false, err
		}
		all += n
	}
	return all*perHit > float64(o.memoryLimit), nil
}

// scoreFrames scores the run, which is being edited, frame by frame, and writes score.json.
func scoreFrames(ctx context.Context, s *cli.Session, c *cli.Command, o *ScoreOptions, folder *runfolder.Folder) (cli.Record, *metrics.Report, error) {
	if o.Gates.auto || len(o.Gates.sizes) > 0 {
		return nil, nil, cli.Usagef("--gates needs the whole scene at once, and it is larger than --memory-limit")
	}
	k, err := metrics.NewStream(&o.Options)
	if err != nil {
		return nil, nil, cli.BadInput(err)
	}
	truth, err := openHits(folder.Path(runfolder.TruthFile))
	if err != nil {
		return nil, nil, err
	}
	defer truth.Close()
	tracks, err := openHits(folder.Path(runfolder.TracksFile))
	if err != nil {
		return nil, nil, err
	}
	defer tracks.Close()
	for !truth.ended || !tracks.ended {
		frame := truth.frame
		if truth.ended || !tracks.ended && tracks.frame < frame {
			frame = tracks.frame
		}
		a, err := truth.at(frame, o.Options.Points)
		if err != nil {
			return nil, nil, err
		}
		b, err := tracks.at(frame, o.Options.Points)
		if err != nil {
			return nil, nil, err
		}
		if err := k.Add(ctx, frame, a, b); err != nil {
			return nil, nil, cli.BadInput(err)
		}
	}
	report, ospa2, err := k.Finish(ctx)
	if err != nil {
		return nil, nil, cli.BadInput(err)
	}
	var r cli.Record
	AddReport(&r, report)
	r = append(r, cli.Field{Key: "ospa2", Value: ospa2, Note: "OSPA(2), the distance of sets of tracks"})
	return r, report, writeRecord(folder, runfolder.ScoreFile, s, c, r)
}

// A hitReader reads the tracks of a file frame by frame.
type hitReader struct {
	io.Closer
	file  *dataset.HitFile
	frame int // that comes next
	ended bool
}

func openHits(name string) (*hitReader, error) {
	f, err := dataset.Open(name)
	if err != nil {
		return nil, cli.BadInput(err)
	}
	h := &hitReader{Closer: f}
	if h.file, err = dataset.NewHitFile(f, name); err == nil {
		err = h.look()
	}
	if err != nil {
		f.Close()
		return nil, cli.BadInput(err)
	}
	return h, nil
}

// look looks at the frame that comes next.
func (h *hitReader) look() (err error) {
	if h.frame, err = h.file.Frame(); err == io.EOF {
		h.ended, err = true, nil
	}
	return err
}

// at are the hits of a frame; none unless it comes next. Boxes are points if told.
func (h *hitReader) at(frame int, points bool) (*metrics.Hits, error) {
	hits := new(metrics.Hits)
	if h.ended || h.frame != frame {
		return hits, nil
	}
	tracks, err := h.file.Next()
	if err == nil {
		err = h.look()
	}
	if err != nil {
		return nil, cli.BadInput(err)
	}
	for i := range tracks {
		t := &tracks[i]
		if t.Size != nil && !points {
			return nil, cli.Usagef("boxes are not compared frame by frame, and scoring at once takes more than --memory-limit").Hinted("--points compares their centres")
		}
		hits.Dim = t.Dim
		hits.ID, hits.Det, hits.Pos = append(hits.ID, t.ID), append(hits.Det, t.Hits[0].Det), append(hits.Pos, t.Pos...)
	}
	return hits, nil
}
