package windows_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"

	"mtt"
	"mtt/association"
	"mtt/association/chain"
	"mtt/association/windows"
)

// Two targets pass each other. Scans are read as they are needed, and forgotten when their links are
// settled; the bounds of the windows add up to one of the whole.
func Example() {
	ctx := context.Background()
	scan := func(t int) *mtt.Scan {
		x := float64(t)
		return &mtt.Scan{Frame: t, Time: x, Dim: 2, Pos: []float64{x, 0, 19 - x, 1}}
	}
	var first []mtt.Scan // to learn levels from
	for t := range 12 {
		first = append(first, *scan(t))
	}
	opts := &association.Options{Sigma: 0.1}
	model, err := association.Learn(ctx, first, opts)
	if err != nil {
		log.Fatal(err)
	}
	t := -1
	read := func() (*mtt.Scan, error) {
		if t++; t == 20 {
			return nil, io.EOF
		}
		return scan(t), nil
	}
	k := windows.New(model, read, &windows.Options{Scans: 8, Ahead: 3, Association: opts})
	gap := 0.0
	for {
		w, err := k.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			log.Fatal(err)
		}
		links := 0
		for _, next := range w.Next {
			for _, to := range next {
				if to != chain.None {
					links++
				}
			}
		}
		gap += w.Upper - w.Lower
		fmt.Printf("from scan %d: %d links\n", w.First, links)
	}
	fmt.Printf("gap %.6f\n", max(0, gap))
	// Output:
	// from scan 0: 16 links
	// from scan 8: 22 links
	// gap 0.000000
}
