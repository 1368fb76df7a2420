package task

import (
	"fmt"
	"io"
	"runtime"
	"sync/atomic"
	"testing"

	"mtt/dataset"
)

// A pipe hands on scan after scan, each with the first row of the next, and calls before when it is
// asked for one.
type pipe struct {
	scans, read int
	before      func(read int)
}

func (p *pipe) Read(b []byte) (int, error) {
	p.before(p.read)
	k := p.read
	if p.read++; k == p.scans {
		return 0, io.EOF
	}
	rows := fmt.Sprintf("%d,30,40\n%d,1,2\n", k, k+1)
	if k == 0 {
		rows = "frame,x,y\n0,1,2\n" + rows
	}
	return copy(b, rows), nil
}

// TestReadLater: on one processor scans are taken before the reader waits for the next, but for few, as the
// scheduler now and then, and the race detector at random, lets others go first.
func TestReadLater(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const scans = 200
	var taken, late atomic.Int32
	r := &pipe{scans: scans, before: func(read int) {
		if int(taken.Load()) < read {
			late.Add(1)
		}
	}}
	q := readScans(t.Context(), dataset.NewScanReader(r, "pipe", "csv", &dataset.Options{}))
	for {
		next := q.take(t.Context())
		if next.err == io.EOF {
			break
		}
		if n := taken.Add(1); next.err != nil {
			t.Fatalf("scan %d: %v", n, next.err)
		}
	}
	if n, l := taken.Load(), late.Load(); n != scans+1 || l > scans/4 {
		t.Errorf("%d scans, of which %d wait while the reader waits for the next", n, l)
	}
}
