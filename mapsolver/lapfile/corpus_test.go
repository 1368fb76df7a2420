package lapfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mtt/mapsolver"
	"mtt/mapsolver/murty"
	"mtt/mapsolver/ssp"
)

// drawn is a small random problem in which every row may stay free or must be
// served.
func drawn(r *rand.Rand) *mapsolver.Problem {
	p := &mapsolver.Problem{Rows: 1 + r.IntN(4), Cols: 1 + r.IntN(20), Ptr: []int{0}}
	for range p.Rows {
		for c := range p.Cols {
			if r.IntN(2) == 0 {
				p.Col, p.Cost = append(p.Col, int32(c)), append(p.Cost, -10*r.Float64())
			}
		}
		p.Ptr = append(p.Ptr, len(p.Col))
		p.RowMiss = append(p.RowMiss, []float64{math.Inf(1), r.Float64()}[r.IntN(2)])
	}
	if r.IntN(2) == 0 {
		p.ColMiss = make([]float64, p.Cols)
	}
	return p
}

// collected is a corpus of ranked problems, with the problems that it should
// hold.
func collected(t testing.TB, seed uint64, count int) (data []byte, want []*mapsolver.Problem, optima []float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for len(want) < count {
		p := drawn(r)
		k := &murty.Ranker{Whole: true, Eager: true}
		if k.Start(context.Background(), p) != nil {
			must(w.Problem(p, math.Inf(1)))
			want, optima = append(want, p), append(optima, math.Inf(1))
			continue
		}
		must(w.Problem(p, k.Optimum()))
		want, optima = append(want, p), append(optima, k.Optimum())
		k.Observe = func(s *murty.Subproblem) {
			cost := s.Cost
			if !s.Feasible {
				cost = math.Inf(1)
			}
			must(w.Restrict(s.Fixed, s.Choice, s.Forbidden, cost))
			want, optima = append(want, s.Problem(p)), append(optima, cost)
		}
		var sol mapsolver.Solution
		for range 3 {
			k.Next(&sol)
		}
	}
	if w.Count() != len(want) {
		t.Fatalf("Count() = %d, want %d", w.Count(), len(want))
	}
	must(w.Close())
	return b.Bytes(), want, optima
}

func TestCorpus(t *testing.T) {
	data, want, optima := collected(t, 1, 3000)
	files, err := listCorpus("x.laps", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(want) {
		t.Fatalf("%d problems, want %d", len(files), len(want))
	}
	var solver ssp.Solver
	var sol mapsolver.Solution
	for i := range files {
		p, err := files[i].Read(nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[i], p, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("problem %d (-want +got):\n%s", i, diff)
		}
		cost, ok := files[i].Optimum()
		if !ok || cost != optima[i] {
			t.Fatalf("problem %d: optimum %v, want %v", i, cost, optima[i])
		}
		if err := solver.Solve(context.Background(), &sol, p, nil); (err != nil) != math.IsInf(cost, 1) {
			t.Fatalf("problem %d: error %v, optimum %v", i, err, cost)
		}
		if !math.IsInf(cost, 1) && !(math.Abs(sol.Cost-cost) <= 1e-12) {
			t.Fatalf("problem %d costs %v, the file says %v", i, sol.Cost, cost)
		}
	}
	if _, err := files[0].Read(&Options{Maximize: true}); err == nil {
		t.Error("a corpus is read as rewards")
	}
}

// TestCorpusDamaged: every cut, and every change of the frame, is an error.
func TestCorpusDamaged(t *testing.T) {
	data, _, _ := collected(t, 2, 20)
	for n := range len(data) {
		if _, err := listCorpus("x.laps", bytes.NewReader(data[:n])); err == nil {
			t.Fatalf("no error when cut to %d of %d bytes", n, len(data))
		}
	}
	for n := range len(corpusMagic) {
		bad := slices.Clone(data)
		bad[n] ^= 1
		if _, err := listCorpus("x.laps", bytes.NewReader(bad)); err == nil {
			t.Fatalf("no error with another byte %d", n)
		}
	}
}

func FuzzCorpus(f *testing.F) {
	data, _, _ := collected(f, 3, 20)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := listCorpus("x.laps", bytes.NewReader(data))
		if err != nil {
			return
		}
		for i := range files {
			if p, err := files[i].Read(nil); err == nil && p.Validate() != nil {
				t.Errorf("problem %d is not valid", i)
			}
		}
	})
}

// FuzzCorpusRecords feeds the records without compression, which a fuzzer cannot
// see through.
func FuzzCorpusRecords(f *testing.F) {
	f.Add([]byte("P\x01\x01\x00\x01\x01\x00\x00\x00\x00\x00\x00\x00\x40\x01\x00\x00\x00\x00\x00\x00\x00\x40E\x01"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d := decoder{corpus: &corpus{"x.laps", data}}
		for d.err == nil && d.at < len(data) {
			switch d.byte() {
			case 'P':
				d.problem()
			case 'R':
				if d.p == nil {
					return
				}
				if q := d.restriction(); d.err == nil && q.Validate() != nil {
					t.Error("the restriction is not valid")
				}
			default:
				return
			}
			d.answer()
		}
	})
}

// TestWrite writes problems as tables and MatrixMarket and reads them back.
func TestWrite(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for n := range 200 {
		p := drawn(r)
		q := Square(p)
		if q.Validate() != nil || q.Cols != p.Cols+p.Rows {
			t.Fatalf("case %d: Square makes %+v of %+v", n, q, p)
		}
		var solver ssp.Solver
		var a, b mapsolver.Solution
		if err := solver.Solve(context.Background(), &a, p, nil); err != nil {
			continue
		}
		if err := solver.Solve(context.Background(), &b, q, nil); err != nil || !(math.Abs(a.Cost-b.Cost) <= 1e-12) {
			t.Fatalf("case %d: the optimum is %v, squared %v (%v)", n, a.Cost, b.Cost, err)
		}
		if n%2 == 0 {
			Quantise(q)
		}
		q.ColMiss = nil // files do not say them
		for i, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return WriteMatrixMarket(b, q) },
			func(b *bytes.Buffer) error { return WriteRewards(b, q) },
		} {
			var buf bytes.Buffer
			if err := write(&buf); err != nil {
				t.Fatal(err)
			}
			o := &Options{Maximize: i == 1, ForbiddenZero: i == 1}
			if i == 1 {
				o.Format = "table"
			}
			back, err := Decode(buf.Bytes(), "x", o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(q, back, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("case %d, format %d (-want +got):\n%s", n, i, diff)
			}
		}
	}
}

// TestCorpusBombs refuses, in no time, corpora whose few bytes stand for problems of vast
// sizes.
func TestCorpusBombs(t *testing.T) {
	pack := func(data []byte) io.Reader {
		var b bytes.Buffer
		b.WriteString(corpusMagic)
		z := gzip.NewWriter(&b)
		z.Write(data)
		z.Close()
		return &b
	}
	wide := []byte{'P', 1}
	wide = binary.AppendUvarint(wide, 1<<28)
	wide = append(wide, 0, 1, 1) // no miss costs; one entry, in column 0
	wide = append(wide, make([]byte, 8)...)
	wide = append(wide, 0) // infeasible
	many := []byte{'P', 1}
	many = binary.AppendUvarint(many, 60000)
	many = append(many, 0, 1, 1)
	many = append(many, make([]byte, 8)...)
	many = append(many, 0)
	for range 100000 {
		many = append(many, 'R', 1, 0)
	}
	for want, data := range map[string][]byte{
		"the limit is 65552 columns":  wide,
		"more than 256 for each byte": many,
		"have become more than":       make([]byte, 128<<20),
	} {
		if _, err := listCorpus("bomb.laps", pack(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
