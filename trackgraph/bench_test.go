package trackgraph_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"mtt/trackgraph"
)

// colony draws a colony of cells that wander and divide, about one in fifty each frame, with
// one in twenty missed and as many false detections, and links each detection to
// those of the next frame within reach, about six. Costs are squared distances in units of
// the step, less what a link is worth.
func colony(seed uint64, cells, frames int) *trackgraph.Graph {
	rng := rand.New(rand.NewPCG(seed, 1))
	side := math.Sqrt(float64(cells)) * 3
	type point struct{ x, y float64 }
	var alive []point
	for range cells {
		alive = append(alive, point{side * rng.Float64(), side * rng.Float64()})
	}
	g := &trackgraph.Graph{}
	var before []point
	first := 0
	for f := range frames {
		var next []point
		for _, c := range alive {
			c = point{c.x + rng.NormFloat64()*0.7, c.y + rng.NormFloat64()*0.7}
			switch u := rng.Float64(); {
			case u < 0.02:
				next = append(next, point{c.x + 0.5, c.y + 0.5*rng.NormFloat64()}, point{c.x - 0.5, c.y + 0.5*rng.NormFloat64()})
			case u > 0.98: // leaves
			default:
				next = append(next, c)
			}
		}
		alive = next
		var seen []point
		for _, c := range alive {
			if rng.Float64() > 0.05 {
				seen = append(seen, c)
			}
		}
		for range len(alive) / 20 {
			seen = append(seen, point{side * rng.Float64(), side * rng.Float64()})
		}
		slices.SortFunc(seen, func(a, b point) int { return cmp.Compare(a.x, b.x) })
		at := len(g.Frame)
		for range seen {
			g.Frame = append(g.Frame, f)
			g.Use = append(g.Use, -3+rng.NormFloat64())
			g.Birth, g.End = append(g.Birth, 4), append(g.End, 4)
			g.Divide = append(g.Divide, 2+2*rng.NormFloat64())
		}
		const reach = 4.2
		for i, a := range before {
			k, _ := slices.BinarySearchFunc(seen, a.x-reach, func(p point, x float64) int { return cmp.Compare(p.x, x) })
			for ; k < len(seen) && seen[k].x <= a.x+reach; k++ {
				if d := math.Hypot(seen[k].x-a.x, seen[k].y-a.y); d < reach {
					g.Tail, g.Head = append(g.Tail, int32(first+i)), append(g.Head, int32(at+k))
					g.Cost = append(g.Cost, d*d-2)
				}
			}
		}
		before, first = seen, at
	}
	return g
}

func BenchmarkSolve(b *testing.B) {
	for _, size := range []struct{ cells, frames int }{{100, 100}, {1600, 100}, {5000, 320}} {
		b.Run(fmt.Sprintf("cells=%d/frames=%d", size.cells, size.frames), func(b *testing.B) {
			if size.cells == 5000 && testing.Short() {
				b.Skip("ten minutes and ten gigabytes")
			}
			g := colony(1, size.cells, size.frames)
			b.ReportMetric(float64(len(g.Cost)), "arcs")
			for b.Loop() {
				r, err := trackgraph.Solve(context.Background(), g, nil)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(100*r.Gap(), "gap%")
				b.ReportMetric(float64(r.Parts), "parts")
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/(1<<20), "sysMB")
		})
	}
}
