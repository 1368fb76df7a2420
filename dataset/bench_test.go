package dataset

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"

	"mtt"
)

// benchScans are scans as the simulator makes them: full precision, with
// velocities.
func benchScans(frames, targets int) ([]mtt.Scan, []mtt.Track) {
	rng := rand.New(rand.NewPCG(1, 1))
	scans := make([]mtt.Scan, frames)
	tracks := make([]mtt.Track, targets)
	for i := range tracks {
		tracks[i] = mtt.Track{ID: i + 1, Dim: 2}
	}
	for k := range scans {
		s := &scans[k]
		s.Frame, s.Dim = k, 2
		for i := range targets {
			s.Pos = append(s.Pos, 100*rng.NormFloat64(), 100*rng.NormFloat64())
			s.Vel = append(s.Vel, rng.NormFloat64(), rng.NormFloat64())
			tracks[i].Hits = append(tracks[i].Hits, mtt.Hit{Frame: k, Det: i})
			tracks[i].Pos = append(tracks[i].Pos, s.At(i)...)
		}
	}
	return scans, tracks
}

// BenchmarkRunFolder writes and reads 100,000 rows.
func BenchmarkRunFolder(b *testing.B) {
	scans, tracks := benchScans(100, 1000)
	var det, tra bytes.Buffer
	if err := WriteScans(&det, scans); err != nil {
		b.Fatal(err)
	}
	if err := WriteTracks(&tra, tracks); err != nil {
		b.Fatal(err)
	}
	b.Run("WriteScans", func(b *testing.B) {
		b.SetBytes(int64(det.Len()))
		for b.Loop() {
			WriteScans(io.Discard, scans)
		}
	})
	b.Run("ReadScans", func(b *testing.B) {
		b.SetBytes(int64(det.Len()))
		for b.Loop() {
			if _, err := ReadScans(bytes.NewReader(det.Bytes()), "detections.csv", nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("WriteTracks", func(b *testing.B) {
		b.SetBytes(int64(tra.Len()))
		for b.Loop() {
			WriteTracks(io.Discard, tracks)
		}
	})
	b.Run("ReadTracks", func(b *testing.B) {
		b.SetBytes(int64(tra.Len()))
		for b.Loop() {
			if _, err := ReadTracks(bytes.NewReader(tra.Bytes()), "tracks.csv"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
