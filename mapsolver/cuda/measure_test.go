package cuda

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"mtt/internal/cuda"
	"mtt/mapsolver"
	"mtt/mapsolver/dense"
	"mtt/mapsolver/ssp"
)

// This file measures; docs/gpu.md has the figures and the command.

// onStream is the median time in ms that run takes on the card, over the
// iterations of b; before is not counted.
func onStream(b *testing.B, stream *cuda.Stream, before, run func() error) {
	b.Helper()
	var times []float64
	var from, to *cuda.Event
	for first := true; first || b.Loop(); first = false {
		var err error
		if before != nil {
			if err = before(); err != nil {
				b.Fatal(err)
			}
		}
		if from, err = stream.Record(from); err != nil {
			b.Fatal(err)
		}
		if err = run(); err != nil {
			b.Fatal(err)
		}
		if to, err = stream.Record(to); err != nil {
			b.Fatal(err)
		}
		ms, err := to.Since(from)
		if err != nil {
			b.Fatal(err)
		}
		if !first { // loads the kernel
			times = append(times, ms)
		}
	}
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "ms/card")
}

// BenchmarkBatch times kernels on costs that lie on the card.
func BenchmarkBatch(b *testing.B) {
	needCard(b)
	for _, size := range []struct{ count, n int }{
		{300, 300}, {1000, 100}, {1000, 50}, {100, 1000}, {1, 1024}, {1, 4096}, {1, 8192}, {1, 16384},
	} {
		for _, kind := range costKinds {
			b.Run(fmt.Sprintf("%dx%d/%s", size.count, size.n, kind.name), func(b *testing.B) {
				batch, err := NewBatch(size.count, size.n, size.n)
				if err != nil {
					b.Fatal(err)
				}
				defer batch.Free()
				fillBatch(batch, kind.most(size.n), 1)
				measureBatch(b, batch)
			})
		}
	}
}

// BenchmarkBatch64 times the kernels of float64.
func BenchmarkBatch64(b *testing.B) {
	needCard(b)
	for _, kind := range costKinds {
		b.Run("300x300/"+kind.name, func(b *testing.B) {
			batch, err := NewBatch64(300, 300, 300)
			if err != nil {
				b.Fatal(err)
			}
			defer batch.Free()
			fillBatch(batch, kind.most(300), 1)
			if err := batch.Upload(); err != nil {
				b.Fatal(err)
			}
			solveBatch(b, batch, false, 0)
			onStream(b, batch.stream, nil, batch.run)
		})
	}
}

// measureBatch times a batch cold, cold with the copies there and back, and warm
// after one cost in 128 has grown by a tenth.
func measureBatch(b *testing.B, batch *Batch) {
	if err := batch.Upload(); err != nil {
		b.Fatal(err)
	}
	solveBatch(b, batch, false, 0)
	b.Run("cold", func(b *testing.B) {
		onStream(b, batch.stream, nil, batch.run)
	})
	b.Run("copied", func(b *testing.B) {
		for b.Loop() {
			if err := batch.Upload(); err != nil {
				b.Fatal(err)
			}
			if err := batch.Solve(context.Background(), false); err != nil {
				b.Fatal(err)
			}
		}
	})
	solveBatch(b, batch, false, 0)
	back := cuda.View[byte](&batch.io, batch.at.v, batch.at.proof-batch.at.v)
	kept := slices.Clone(back)
	changeSome(batch)
	if err := batch.Upload(); err != nil {
		b.Fatal(err)
	}
	solveBatch(b, batch, true, 0)
	b.Run("warm", func(b *testing.B) {
		copy(back, kept)
		onStream(b, batch.stream, func() error {
			return batch.stream.Push(&batch.io, batch.at.v, batch.at.proof)
		}, batch.run)
	})
}

// BenchmarkHost times package dense on the same costs, one problem for each
// processor at a time.
func BenchmarkHost(b *testing.B) {
	for _, size := range []struct{ count, n int }{{300, 300}, {1000, 100}, {1, 4096}, {1, 8192}} {
		for _, kind := range costKinds {
			b.Run(fmt.Sprintf("%dx%d/%s", size.count, size.n, kind.name), func(b *testing.B) {
				n := size.n
				list := make([]*dense.Matrix, size.count)
				for i := range list {
					rng := rand.New(rand.NewPCG(1, uint64(i)))
					cost := make([]float64, n*n)
					for e := range cost {
						cost[e] = float64(drawCost(rng, kind.most(n)))
					}
					list[i] = dense.NewMatrix(n, n, cost)
				}
				solvers := make([]dense.Solver, runtime.GOMAXPROCS(0))
				answers := make([]mapsolver.Solution, len(solvers))
				for b.Loop() {
					var wg sync.WaitGroup
					for w := range solvers {
						wg.Go(func() {
							for i := w; i < len(list); i += len(solvers) {
								if err := solvers[w].Solve(context.Background(), &answers[w], list[i], nil); err != nil {
									b.Error(err)
								}
							}
						})
					}
					wg.Wait()
				}
			})
		}
	}
}

// gated makes count square problems of n rows in which a pair is allowed with the
// given density, and the diagonal always.
func gated(count, n int, density float64) []mapsolver.Problem {
	list := make([]mapsolver.Problem, count)
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(4, uint64(i)))
			p := &list[i]
			p.Rows, p.Cols, p.Ptr = n, n, make([]int, 1, n+1)
			for r := range n {
				for c := range n {
					if c == r || rng.Float64() < density {
						p.Col = append(p.Col, int32(c))
						p.Cost = append(p.Cost, rng.Float64())
					}
				}
				p.Ptr = append(p.Ptr, len(p.Col))
			}
		})
	}
	wg.Wait()
	return list
}

// BenchmarkSolver times problems of the host's memory: their kernels alone, all
// of SolveBatch, and ssp on all processors.
func BenchmarkSolver(b *testing.B) {
	needCard(b)
	for _, size := range []struct{ count, n int }{
		{300, 300}, {100, 300}, {30, 300}, {10, 300}, {1, 300},
		{1000, 100}, {300, 100}, {100, 100}, {30, 100}, {10, 100}, {1, 100},
	} {
		for _, density := range []float64{1, 0.08} {
			name := fmt.Sprintf("%dx%d/density=%v/", size.count, size.n, density)
			list := gated(size.count, size.n, density)
			dst := make([]mapsolver.Solution, len(list))
			var s Solver
			b.Run(name+"kernel", func(b *testing.B) {
				if err := s.open(1); err != nil {
					b.Fatal(err)
				}
				var plans []*plan
				for i := range list {
					a := newPlan(&dst[i], &list[i], nil)
					a.form, _ = formOf(s.runners[0].card.device, a.p.Rows, a.p.Cols, 8, a.sparse)
					plans = append(plans, a)
				}
				if _, _, err := s.runners[0].send(plans); err != nil {
					b.Fatal(err)
				}
				onStream(b, s.runners[0].stream, nil, func() error { return s.runners[0].start(plans) })
			})
			b.Run(name+"SolveBatch", func(b *testing.B) {
				for b.Loop() {
					if err := s.SolveBatch(context.Background(), dst, list, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(name+"ssp", func(b *testing.B) {
				solvers := make([]ssp.Solver, runtime.GOMAXPROCS(0))
				for b.Loop() {
					var wg sync.WaitGroup
					for w := range solvers {
						wg.Go(func() {
							for i := w; i < len(list); i += len(solvers) {
								if err := solvers[w].Solve(context.Background(), &dst[i], &list[i], nil); err != nil {
									b.Error(err)
								}
							}
						})
					}
					wg.Wait()
				}
			})
		}
	}
}
