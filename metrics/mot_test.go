package metrics_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"mtt"
)

// This file reads MOTChallenge text for the tests.

// A motRow is one line of a MOTChallenge file.
type motRow struct {
	frame, id       int
	left, top, w, h float64
	active          bool
	class           int // 0 when the file has none
}

// sharedFile finds a file of the shared data or skips the test.
func sharedFile(t testing.TB, path string) string {
	t.Helper()
	root := os.Getenv("MTT_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared")
	}
	file := filepath.Join(root, filepath.FromSlash(path))
	if _, err := os.Stat(file); err != nil {
		t.Skipf("needs the shared data: %v", err)
	}
	return file
}

// readMOT reads the rows of a file; classes says that column 8 is a class, as
// in the ground truth of MOT16.
func readMOT(t testing.TB, path string, classes bool) []motRow {
	t.Helper()
	f, err := os.Open(sharedFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]motRow, len(records))
	for i, rec := range records {
		v := make([]float64, len(rec))
		for j, field := range rec {
			if v[j], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatalf("%s:%d: %v", path, i+1, err)
			}
		}
		rows[i] = motRow{
			frame: int(v[0]), id: int(v[1]), left: v[2], top: v[3], w: v[4], h: v[5],
			active: v[6] != 0,
		}
		if classes {
			rows[i].class = int(v[7])
		}
	}
	return rows
}

// boxTracks makes tracks of the rows that keep wants; nil keeps all.
func boxTracks(rows []motRow, keep func(motRow) bool) []mtt.Track {
	var tracks []mtt.Track
	index := map[int]int{}
	for _, r := range rows {
		if keep != nil && !keep(r) {
			continue
		}
		k, ok := index[r.id]
		if !ok {
			k = len(tracks)
			index[r.id] = k
			tracks = append(tracks, mtt.Track{ID: r.id, Dim: 2})
		}
		tr := &tracks[k]
		tr.Hits = append(tr.Hits, mtt.Hit{Frame: r.frame, Det: -1})
		tr.Pos = append(tr.Pos, r.left+r.w/2, r.top+r.h/2)
		tr.Size = append(tr.Size, r.w, r.h)
	}
	return tracks
}
