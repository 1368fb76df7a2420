package refine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"mtt/association/chain"
	"mtt/costgen"
	"mtt/gating"
	"mtt/motion"
	"mtt/scenario"
)

// TestAround: what is listed around a few detections with news is what is left of all when those
// without news are left out.
func TestAround(t *testing.T) {
	ctx := context.Background()
	const lag, misses = 3, 2
	scene, err := scenario.Simulate(ctx, &scenario.Config{
		Scene: scenario.Arena, Targets: 1500, Frames: 12, Noise: 0.15, VelocityNoise: 0.1, Miss: 0.1, Clutter: 200, Births: 15, Seed: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	levels := refineLevels(true, 2)
	levels.Sigma, levels.Accel = 0.3, 0.1
	levels.Rates.Targets, levels.Rates.Volume = 1500, 30_000
	r := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 3}, lag+misses+7, &Options{Misses: misses, Speed: 4}).(*window[motion.PlaneState, motion.PlaneInformation])
	m := r.movers[0]
	rows, pairs := 0, 0
	for s := range scene.Scans {
		if r.Len() > lag+misses+6 {
			r.Drop()
		}
		told := scene.Scans[s]
		told = told.Pick(gating.ByPlace(&told))
		for k := range told.Pos { // less of a crowd
			told.Pos[k], told.Vel[k] = 3*told.Pos[k], 3*told.Vel[k]
		}
		if err := errors.Join(r.Add(&told), r.Extend(ctx), r.Improve(ctx, lag)); err != nil {
			t.Fatal(err)
		}
		// Links of some tracks are broken, and who knows whether they are to be made anew.
		r.clock++
		since := r.clock - 1
		for u := r.open; u < r.Len(); u++ {
			for i := s; i < len(r.Next[u]); i += 997 {
				if r.unlink(chain.At(u, i)); i%2 == 0 {
					r.touch(chain.At(u, i))
				}
			}
			r.forward(u)
		}
		r.backward()
		for u := r.open; u+1 < r.Len(); u++ {
			at := int32(u)
			c, p := &m.parts, &m.places
			parts := func() (list []string) {
				for _, k := range c.neighbourhood.row {
					var may []chain.Node
					for _, b := range c.maybe[k] {
						may = append(may, c.suffixes[b])
						pairs++
					}
					list = append(list, fmt.Sprint(c.prefixes[k], may))
				}
				for _, k := range c.neighbourhood.col {
					list = append(list, fmt.Sprint(c.suffixes[k]))
				}
				return list
			}
			places := func() (list []string) {
				for _, k := range p.row {
					list = append(list, fmt.Sprint(p.list[k], p.now[k], p.maybe[k]))
				}
				return append(list, fmt.Sprint(p.col))
			}
			for _, quick := range []bool{true, false} {
				r.quick = quick
				m.listParts(at)
				m.chooseParts(at, since)
				all := parts()
				if !m.partsAround(at, since) { // of few scans everything is young
					continue
				}
				c.choose(true, quick, nil, nil)
				if around := parts(); !slices.Equal(all, around) {
					t.Fatalf("scan %d of %d: around news there are %d parts, %d of all\n%v\n%v", u, s, len(around), len(all), around, all)
				}
				rows += len(all)

				m.listPlaces(at)
				m.choosePlaces(at, since)
				all = places()
				if !m.placesAround(at, since) {
					continue
				}
				m.chooseVisited(at)
				if around := places(); !slices.Equal(all, around) {
					t.Fatalf("scan %d of %d: around news there are %d places, %d of all\n%v\n%v", u, s, len(around), len(all), around, all)
				}
				rows += len(all)
			}
			r.quick = true
		}
	}
	t.Log(rows, pairs)
	if rows < 1000 || pairs < 1000 {
		t.Errorf("only %d rows and %d pairs were compared", rows, pairs)
	}
}

// TestAroundOne: around one broken link of tracks without misses only scans are remembered from and
// to which something may go on over misses.
func TestAroundOne(t *testing.T) {
	ctx := context.Background()
	const lag, misses = 3, 8
	scene, err := scenario.Simulate(ctx, &scenario.Config{Scene: scenario.Arena, Targets: 40, Frames: 20, Noise: 0.05, VelocityNoise: 0.05, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	levels := refineLevels(true, 2)
	levels.Sigma, levels.Accel = 0.1, 0.1
	levels.Rates.Targets, levels.Rates.Volume = 40, 2000
	r := NewWindow(&costgen.Gaussian{Levels: levels}, &scene.Scans[0], gating.Ball{Radius: 3}, 20, &Options{Misses: misses, Speed: 4}).(*window[motion.PlaneState, motion.PlaneInformation])
	for s := range scene.Scans {
		told := scene.Scans[s]
		told = told.Pick(gating.ByPlace(&told))
		if err := errors.Join(r.Add(&told), r.Extend(ctx), r.Improve(ctx, lag)); err != nil {
			t.Fatal(err)
		}
	}
	at := r.Len() - lag
	for u := max(0, at-misses); u < r.Len()-1; u++ {
		if slices.Contains(r.Next[u], chain.None) {
			t.Fatalf("a track ends in scan %d", u)
		}
	}
	r.memory.dropBefore(r.Len())
	r.clock++
	since := r.clock - 1
	r.unlink(chain.At(at, 0))
	m := r.movers[0]
	for u := at; u < r.Len()-1; u++ {
		if !m.partsAround(int32(u), since) || len(m.parts.prefixes) == 0 && u == at || !m.placesAround(int32(u), since) {
			t.Fatalf("scan %d: nothing is found around what is new", u)
		}
	}
	made := 0
	for v := range r.memory.nears {
		for k, n := range r.memory.nears[v] {
			if n == nil || n.made == 0 {
				continue
			}
			if made++; v-2-k < at {
				t.Errorf("scans %d and %d are remembered, though nothing ends in the first", v-2-k, v)
			}
		}
	}
	if made == 0 {
		t.Error("nothing is remembered")
	}
}
