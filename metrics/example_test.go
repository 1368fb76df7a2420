package metrics_test

import (
	"fmt"

	"mtt"
	"mtt/metrics"
)

// walk is a target or track that moves along x = frame at the given height.
func walk(id int, y float64, dets ...int) mtt.Track {
	t := mtt.Track{ID: id, Dim: 2}
	for f, det := range dets {
		t.Hits = append(t.Hits, mtt.Hit{Frame: f, Det: det})
		t.Pos = append(t.Pos, float64(f), y)
	}
	return t
}

// Two targets walk side by side for five frames. The tracks exchange them at
// the last one.
func ExampleScore() {
	truth := []mtt.Track{
		walk(1, 0, 0, 0, 0, 0, 0),
		walk(2, 3, 1, 1, 1, 1, 1),
	}
	tracks := []mtt.Track{
		walk(1, 0, 0, 0, 0, 0, 1),
		walk(2, 3, 1, 1, 1, 1, 0),
	}
	tracks[0].Pos[9], tracks[1].Pos[9] = 3, 0

	r, err := metrics.Score(truth, tracks, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d of %d links are wrong: MMEP %.1f %%, ITCP %.0f %%\n",
		r.WrongLinks, r.TrueLinks, r.MMEP, r.ITCP)
	fmt.Printf("MOTA %.0f %%, IDF1 %.0f %%, HOTA %.1f %%, GOSPA %.1f\n", r.MOTA, r.IDF1, r.HOTA, r.GOSPA)
	// Output:
	// 2 of 8 links are wrong: MMEP 25.0 %, ITCP 100 %
	// MOTA 80 %, IDF1 80 %, HOTA 74.5 %, GOSPA 0.0
}

func ExampleReport_Rows() {
	r, err := metrics.Score(
		[]mtt.Track{walk(1, 0, 0, 0, 0)},
		[]mtt.Track{walk(1, 0, 0, 0, 0)},
		&metrics.Options{Only: metrics.Identity})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Rows()[:4] {
		fmt.Printf("%-5s %5g %1s  %s\n", row.Key, row.Value, row.Unit, row.Meaning)
	}
	// Output:
	// idf1    100 %  identity F1: hits with the right identity
	// idp     100 %  identity precision
	// idr     100 %  identity recall
	// idtp      3    hits with the right identity
}

func ExampleMerge() {
	easy, _ := metrics.Score([]mtt.Track{walk(1, 0, 0, 0, 0)}, []mtt.Track{walk(1, 0, 0, 0, 0)}, nil)
	hard, _ := metrics.Score([]mtt.Track{walk(1, 0, 0, 0)}, nil, nil)
	both, err := metrics.Merge(easy, hard)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("MMEP %.1f %%, recall %.0f %% of %d hits\n", both.MMEP, both.Recall, both.TruthHits)
	// Output:
	// MMEP 33.3 %, recall 60 % of 5 hits
}
