package certificate_test

import (
	"bytes"
	"fmt"
	"io"

	"mtt/internal/certificate"
)

// Two detections in one frame and one in the next: the second one goes on.
func Example() {
	c := &certificate.Certificate{
		Header: certificate.Header{Made: "by hand", Lower: 4, Upper: 4},
		Frames: []certificate.Frame{{Detections: 2}, {Detections: 1}},
		Gaps: []certificate.Gap{{
			Rows: 2, Cols: 1, Ptr: []int{0, 1, 2}, Col: []int32{0, 0}, Cost: []float64{3, 1},
			RowMiss: []float64{3, 3}, ColMiss: []float64{3}, Price: []float64{0}, Next: []int32{-1, 1},
		}},
	}
	var file bytes.Buffer
	if err := certificate.Write(&file, c); err != nil {
		fmt.Println(err)
	}
	fmt.Println(file.Len(), "bytes")

	r, err := certificate.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	var g certificate.Gap
	for err = r.Next(&g); err == nil; err = r.Next(&g) {
		fmt.Println("costs", g.Cost, "chosen", g.Next)
	}
	fmt.Println(err == io.EOF)
	// Output:
	// 295 bytes
	// costs [3 1] chosen [-1 1]
	// true
}
