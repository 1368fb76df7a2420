package dataset

// This file reads the real data sets that may not be redistributed, when they
// are there: in the folder that MTT_SHARED names, or in shared beside the module.

import (
	"os"
	"path/filepath"
	"testing"
)

// shared is the path of a file of the shared data; it skips the test when the
// file is missing.
func shared(t *testing.T, name string) string {
	t.Helper()
	root := os.Getenv("MTT_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "shared") // tests run in the folder of their package
	}
	path := filepath.Join(root, "data", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skip("no shared data:", name)
	}
	return path
}

// The numbers stand in the README files of the data sets, except for the frames
// of the pedestrians, which count the pauses between annotated frames: 487 in
// seq_eth, 36 in zara01, and for the 5,431 ship reports that a later one of the
// same ship and frame replaces.
func TestSharedData(t *testing.T) {
	tests := []struct {
		file, format             string
		opts                     *Options
		frames, detections, hits int
		targets                  int
		unit                     string
		interval                 float64
	}{
		{"mot15/TUD-Campus/det/det.txt", "mot", nil, 71, 321, 0, 0, "px", 1},
		{"mot15/TUD-Campus/gt/gt.txt", "mot", nil, 71, 359, 359, 8, "px", 1},
		{"mot15/TUD-Campus/res/res.txt", "mot", nil, 71, 222, 222, 13, "px", 1},
		{"mot15/TUD-Stadtmitte/det/det.txt", "mot", nil, 179, 951, 0, 0, "px", 1},
		{"mot15/TUD-Stadtmitte/gt/gt.txt", "mot", nil, 179, 1156, 1156, 10, "px", 1},
		{"mot15/TUD-Stadtmitte/res/res.txt", "mot", nil, 179, 749, 749, 12, "px", 1},
		{"mot15/PETS09-S2L1/det/det.txt", "mot", nil, 795, 4359, 0, 0, "px", 1},
		{"mot15/PETS09-S2L1/gt/PETS2009-S2L1.xml", "pets", nil, 795, 4650, 4650, 19, "px", 1},
		{"mot15/MOT16-11/gt/gt.txt", "mot", nil, 900, 9174, 9174, 69, "px", 1},
		{"mot15/MOT16-11/res/res.txt", "mot", nil, 900, 5705, 5705, 96, "px", 1},
		{"pedestrians/seq_eth/obsmat.txt", "obsmat", nil, 1448 + 487, 8908, 8908, 360, "m", 0.4},
		{"pedestrians/zara01/obsmat.txt", "obsmat", nil, 866 + 36, 5024, 5024, 148, "m", 0.4},
		{"hermes/uo-050-180-180.txt", "hermes", nil, 975, 9712, 9712, 61, "m", 1.0 / 16},
		{"hermes/bot-300-065-065.txt", "hermes", nil, 1058, 24765, 24765, 147, "m", 1.0 / 16},
		{"hermes/bo-360-090-090.txt", "hermes", nil, 1059, 38689, 38689, 214, "m", 1.0 / 16},
		{"hermes/bo-360-090-090.txt", "hermes", &Options{Every: 8}, 133, 4839, 4839, 214, "m", 0.5},
		{"ais/SolentAIS_20160112_130211.csv", "ais", nil, 508, 18623 - 5431, 18623 - 5431, 91, "m", 10},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			d, err := Read([]string{shared(t, tt.file)}, tt.opts)
			if err != nil {
				t.Fatal(err)
			}
			checkData(t, d)
			detections, hits := 0, 0
			for i := range d.Scans {
				detections += d.Scans[i].Len()
			}
			for i := range d.Truth {
				hits += len(d.Truth[i].Hits)
			}
			if d.Format != tt.format || len(d.Scans) != tt.frames || detections != tt.detections || hits != tt.hits || len(d.Truth) != tt.targets || d.Unit != tt.unit || d.Interval != tt.interval {
				t.Errorf("%s: %d frames, %d detections, %d hits of %d targets, %q, %v s; want %+v\n%q",
					d.Format, len(d.Scans), detections, hits, len(d.Truth), d.Unit, d.Interval, tt, d.Notes)
			}
		})
	}
}

// TestSharedRecall compares the matching of detections with truth to the recall
// and precision that the README gives.
func TestSharedRecall(t *testing.T) {
	tests := []struct {
		det, truth        string
		recall, precision float64
	}{
		{"mot15/TUD-Campus/det/det.txt", "mot15/TUD-Campus/gt/gt.txt", 0.735, 0.822},
		{"mot15/TUD-Stadtmitte/det/det.txt", "mot15/TUD-Stadtmitte/gt/gt.txt", 0.771, 0.937},
		{"mot15/PETS09-S2L1/det/det.txt", "mot15/PETS09-S2L1/gt/PETS2009-S2L1.xml", 0.762, 0.812},
	}
	for _, tt := range tests {
		t.Run(tt.det, func(t *testing.T) {
			d, err := Read([]string{shared(t, tt.det), shared(t, tt.truth)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			matched, truth, detections := 0.0, 0.0, 0.0
			for _, tr := range d.Truth {
				for _, h := range tr.Hits {
					truth++
					if h.Det >= 0 {
						matched++
					}
				}
			}
			for i := range d.Scans {
				detections += float64(d.Scans[i].Len())
			}
			if r, p := matched/truth, matched/detections; r < tt.recall-0.001 || r > tt.recall+0.001 || p < tt.precision-0.001 || p > tt.precision+0.001 {
				t.Errorf("recall %.4f, precision %.4f, want %v, %v", r, p, tt.recall, tt.precision)
			}
		})
	}
}
