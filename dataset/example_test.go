package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"mtt"
	"mtt/dataset"
)

func ExampleRead() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "walk.txt")
	os.WriteFile(name, []byte("id frame pos_x pos_y\n1 0 0 0\n2 0 5 1\n1 2 1 0\n2 2 5 2\n"), 0o666)

	data, err := dataset.Read([]string{name}, &dataset.Options{DT: 0.4, Units: "m"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, note := range data.Notes {
		fmt.Println(note)
	}
	for _, s := range data.Scans {
		fmt.Printf("frame %d at %.1f s: %v\n", s.Frame, s.Time, s.Pos)
	}
	fmt.Println("second target:", data.Truth[1].Hits)
	// Output:
	// understood as points with column names: separated by blanks, 4 columns, frames 0..2, 4 rows, 2 identities
	// columns read: id, frame, pos_x (as x), pos_y (as y)
	// frame 0 at 0.0 s: [0 0 5 1]
	// frame 2 at 0.4 s: [1 0 5 2]
	// second target: [{0 1} {2 1}]
}

func ExampleReadScans() {
	in := "frame,det,x,y\n7,0,1.5,2\n7,1,three,4\n"
	_, err := dataset.ReadScans(strings.NewReader(in), "detections.csv", nil)
	fmt.Println(err)
	// Output:
	// detections.csv:3:5: x is "three", not a number
}

func ExampleWriteTracks() {
	dataset.WriteTracks(os.Stdout, []mtt.Track{
		{ID: 1, Dim: 2, Hits: []mtt.Hit{{Frame: 0, Det: 1}, {Frame: 1, Det: 0}}, Pos: []float64{0, 0.5, 1, 0.5}},
		{ID: 2, Dim: 2, Hits: []mtt.Hit{{Frame: 1, Det: 1}}, Pos: []float64{1e-3, 4}},
	})
	// Output:
	// frame,track,det,x,y
	// 0,1,1,0,0.5
	// 1,1,0,1,0.5
	// 1,2,1,0.001,4
}
