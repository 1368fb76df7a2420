package task

import (
	"bufio"
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"mtt"
	"mtt/association/instance"
	"mtt/association/windows"
	"mtt/internal/certificate"
)

// TestWindowFrames: what windows have settled of frames is read as it was written; what is cut
// short or changed is refused or read, and nothing else.
func TestWindowFrames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		n := 2 + rng.IntN(20)
		want := make([]certificate.Frame, n)
		var file []byte
		for first := 0; first < n; {
			scans := 1 + rng.IntN(n-first)
			part := &windows.Window{First: first, Scans: make([]mtt.Scan, scans), Nodes: make([][]instance.Coast, min(scans, n-first-1))}
			for k := range scans {
				want[first+k].Detections = rng.IntN(300)
				part.Scans[k] = mtt.Scan{Dim: 2, Pos: make([]float64, 2*want[first+k].Detections)}
			}
			for k := range part.Nodes {
				f := &want[first+k+1]
				for range rng.IntN(4) {
					from := rng.Int32()
					part.Nodes[k] = append(part.Nodes[k], instance.Coast{Prev: from})
					f.From, f.Prior = append(f.From, from), append(f.Prior, -1)
				}
			}
			file = appendFrames(file, part)
			first += scans
		}
		read := func(file []byte) ([]certificate.Frame, error) {
			frames := make([]certificate.Frame, n)
			return frames, readFrames(frames, bufio.NewReader(bytes.NewReader(file)))
		}
		if got, err := read(file); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
		if got, err := read(file[:len(file)-1]); err == nil && reflect.DeepEqual(got, want) {
			t.Fatal("a file that was cut short is whole")
		}
		for range 20 {
			bad := bytes.Clone(file)
			bad[rng.IntN(len(bad))] ^= 1 << rng.IntN(8)
			read(bad) // does not panic
		}
	}
}
