package bench

// This file tests the benchmark of kinds and what it is compared with.

import (
	"context"
	"math"
	"reflect"
	"testing"

	"mtt"
	"mtt/association"
	"mtt/internal/cli"
	"mtt/internal/nightly"
	"mtt/scenario"
)

// TestFrames: the best cut-off links what moves less than targets are apart, exactly; the
// levels told by the truth are those of the scene.
func TestFrames(t *testing.T) {
	ctx := context.Background()
	c := scenario.Config{Scene: scenario.Steer, Targets: 30, Frames: 30, Spread: 20, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 2, Seed: 1}
	sc, err := scenario.Simulate(ctx, &c)
	if err != nil {
		t.Fatal(err)
	}
	tracks, err := bestFrames(ctx, sc.Scans, sc.Truth)
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	at := make(map[mtt.Hit]int)
	for i := range sc.Truth {
		for _, h := range sc.Truth[i].Hits {
			at[h] = i + 1
		}
	}
	for i := range tracks {
		h := tracks[i].Hits
		for n := 1; n < len(h); n++ {
			links++
			if h[n].Frame != h[n-1].Frame+1 {
				t.Fatal("a link over a missed frame")
			}
			if k := at[h[n]]; k == 0 || at[h[n-1]] != k {
				links--
			}
		}
	}
	if links < 30*29*7/10 {
		t.Errorf("%d links are right", links)
	}
	learnt, err := association.Learn(ctx, sc.Scans, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := truthLevels(sc.Scans, sc.Truth, learnt.Levels)
	near := func(name string, got, want, tolerance float64) {
		if math.Abs(got-want) > tolerance {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	near("noise", g.Sigma, 0.1, 0.03)
	near("probability of detection", g.Rates.Detect, 0.9, 0.03)
	near("clutter", g.Rates.Clutter, 2, 0.6)
	near("targets", g.Rates.Targets, 30.5, 4)
	if g.Rates.Survive < 0.99 || g.MaxSpeed < 1 {
		t.Errorf("%+v", g)
	}
}

// TestAnew: a window of all scans and a lag as long settles what all scans give.
func TestAnew(t *testing.T) {
	ctx := context.Background()
	c := crowded(scenario.Steer, 2)
	c.Targets, c.Frames, c.Clutter, c.Seed = 16, 8, 8, 1
	sc, err := scenario.Simulate(ctx, &c)
	if err != nil {
		t.Fatal(err)
	}
	res, err := association.Track(ctx, sc.Scans, &association.Options{Sigma: 0.1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	found, err := trackAnew(ctx, sc.Scans, 8, []int{1, 8}, &association.Options{Levels: res.Levels, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	links := func(tracks []mtt.Track) map[[2]mtt.Hit]bool {
		m := make(map[[2]mtt.Hit]bool)
		for i := range tracks {
			for n := 1; n < len(tracks[i].Hits); n++ {
				m[[2]mtt.Hit{tracks[i].Hits[n-1], tracks[i].Hits[n]}] = true
			}
		}
		return m
	}
	want, got, early := links(res.Tracks), links(found[8]), links(found[1])
	if len(got) != len(want) {
		t.Errorf("%d links, want %d", len(got), len(want))
	}
	same := 0
	for l := range want {
		if !got[l] {
			t.Errorf("link %v is missing", l)
		}
		if early[l] {
			same++
		}
	}
	if same == len(want) || same < len(want)/2 {
		t.Errorf("a lag of 1 settles %d links of %d as they are in the end", same, len(want))
	}
}

// TestKinds: kinds give rows in which all columns have numbers, in the order of the cases and
// equal for one worker and three; recordings that are not there
// give none. At night all kinds are tried, by day two.
func TestKinds(t *testing.T) {
	cases := []kindCase{kindCases[0], {name: "gone", file: "gone"}, kindCases[5]}
	if nightly.Is() {
		cases = kindCases
	}
	var tables [2][]cli.Record
	for i := range tables {
		b := tinyBench(1 + 2*i)
		b.Data = t.TempDir()
		var err error
		if tables[i], err = trackKinds(t.Context(), b, cases); err != nil {
			t.Fatal(err)
		}
	}
	rows := tables[0]
	if !reflect.DeepEqual(rows, tables[1]) {
		t.Error("the rows of one worker are not those of three")
	}
	k := 0
	for _, c := range cases {
		if c.file != "" {
			continue
		}
		if k == len(rows) || rows[k][0].Value != c.name {
			t.Fatalf("row %d is not %s: %v", k, c.name, rows)
		}
		for _, column := range kindColumns {
			if v := value(t, rows[k], column); !(v >= 0) {
				t.Errorf("%s: %s is %v", c.name, column, v)
			}
		}
		k++
	}
	if k != len(rows) {
		t.Errorf("%d rows, want %d", len(rows), k)
	}
	checkKept(t, named("kinds"), rows, false)
}
