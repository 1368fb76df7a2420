package bench

// This file measures whether links are as often right as they are said to be.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/internal/task"
	"mtt/scenario"
)

// A probabilityCase is a scene with wrong links.
type probabilityCase struct {
	name  string
	scene scenario.Config
}

var probabilityCases = []probabilityCase{
	{"burst", scenario.Config{Scene: scenario.Burst, Targets: 100, Frames: 50, Noise: 0.2, VelocityNoise: 0.2}},
	{"steer, positions", scenario.Config{Scene: scenario.Steer, Targets: 100, Frames: 50, Noise: 0.1, NoVelocity: true}},
	{"cross", scenario.Config{Scene: scenario.Cross, Targets: 100, Frames: 50, Noise: 0.2, VelocityNoise: 0.2, Spread: 1}},
	{"arena", scenario.Config{Scene: scenario.Arena, Targets: 100, Frames: 50, Noise: 0.2, VelocityNoise: 0.2, Spread: 1}},
	{"drift, positions", scenario.Config{Scene: scenario.Drift, Targets: 100, Frames: 50, Noise: 0.2, NoVelocity: true, Spread: 2.5}},
	{"turn, missed and false", scenario.Config{Scene: scenario.Turn, Targets: 100, Frames: 50, Noise: 0.1, NoVelocity: true, Miss: 0.05, Clutter: 3}},
	{"bounce, missed and false", scenario.Config{Scene: scenario.Bounce, Targets: 60, Frames: 50, Noise: 0.1, NoVelocity: true, Miss: 0.1, Clutter: 6}},
	{"walk", scenario.Config{Scene: scenario.Walk, Targets: 100, Frames: 50, Step: 0.3}},
}

// A saidLink is a link of which it is known how sure it seemed.
type saidLink struct {
	margin, odds float64 // nat; NaN: not known
	right        bool
}

// probabilityBins are where bins of probabilities begin; below the first, the link was not the likeliest.
var probabilityBins = []float64{0.5, 0.7, 0.9, 0.99}

// benchProbabilities compares probabilities of links with how many are right. Off_50 is the share of right links among those said
// to be right with .5 to .7 less what is said, in points, and so on; off is the mean distance over all links; wrong and expected are wrong links a scene. Areas are
// those under the curve of links by margin and by log odds, with wrong ones to be found.
func benchProbabilities(ctx context.Context, b *measure.Run) (rows []cli.Record, err error) {
	for _, c := range probabilityCases {
		b.Step(c.name)
		all := make([][]saidLink, b.Seeds)
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) (err error) {
			all[i], err = saidLinks(ctx, b, c.scene, seed)
			return err
		})
		if err != nil {
			return rows, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, append(cli.Record{{Key: "scene", Value: c.name}}, calibration(slices.Concat(all...), b.Seeds)...))
	}
	return rows, nil
}

// saidLinks tracks a scene and says how sure its links are. Levels are learnt but for the noise.
func saidLinks(ctx context.Context, b *measure.Run, c scenario.Config, seed uint64) ([]saidLink, error) {
	sc, err := b.Scene(ctx, c, seed)
	if err != nil {
		return nil, err
	}
	before := make(map[mtt.Hit]mtt.Hit)
	for i := range sc.Truth {
		last := mtt.Hit{Det: -1}
		for _, h := range sc.Truth[i].Hits {
			if h.Det < 0 {
				continue
			}
			if last.Det >= 0 {
				before[h] = last
			}
			last = h
		}
	}
	opts := measure.Told(&c)
	res, err := association.Track(ctx, sc.Scans, &opts)
	if err != nil {
		return nil, err
	}
	margins, odds, err := task.Certainty(ctx, res, &opts)
	if err != nil {
		return nil, err
	}
	var links []saidLink
	for k := range res.Tracks {
		hits := res.Tracks[k].Hits
		for h := 1; h < len(hits); h++ {
			was, ok := before[hits[h]]
			links = append(links, saidLink{margins[k][h], odds[k][h], ok && was == hits[h-1]})
		}
	}
	return links, nil
}

// calibration are the columns of links of so many scenes.
func calibration(links []saidLink, scenes int) cli.Record {
	bins := len(probabilityBins)
	said, right, n := make([]float64, bins+1), make([]float64, bins+1), make([]float64, bins+1)
	wrong, expected := 0, 0.0
	for _, l := range links {
		p := 1 / (1 + math.Exp(-l.odds))
		k, _ := slices.BinarySearch(probabilityBins, math.Nextafter(p, 2))
		said[k], n[k], expected = said[k]+p, n[k]+1, expected+1-p
		if l.right {
			right[k]++
		} else {
			wrong++
		}
	}
	off := 0.0
	r := cli.Record{
		{Key: "links", Value: len(links)}, {Key: "wrong", Value: float64(wrong) / float64(scenes), Digits: 3}, {Key: "expected", Value: expected / float64(scenes), Digits: 3},
	}
	for k := range n {
		if n[k] > 0 {
			off += math.Abs(right[k] - said[k])
		}
		if k > 0 {
			r = append(r, cli.Field{Key: fmt.Sprintf("off_%g", 100*probabilityBins[k-1]), Value: 100 * (right[k] - said[k]) / n[k], Digits: 2})
		}
	}
	return append(r, cli.Field{Key: "off", Value: 100 * off / float64(len(links)), Digits: 2},
		cli.Field{Key: "area_margin", Value: area(links, func(l *saidLink) float64 { return l.margin }), Digits: 3},
		cli.Field{Key: "area_odds", Value: area(links, func(l *saidLink) float64 { return l.odds }), Digits: 3})
}

// area is the probability that of a wrong and a right link the wrong one is less sure, of equally sure ones half; NaN if there are none.
// Where nobody knows how sure a link is, it counts as not sure at all.
func area(links []saidLink, of func(l *saidLink) float64) float64 {
	type one struct {
		sure  float64
		right bool
	}
	list := make([]one, len(links))
	for i := range links {
		list[i] = one{of(&links[i]), links[i].right}
		if math.IsNaN(list[i].sure) {
			list[i].sure = math.Inf(-1)
		}
	}
	slices.SortFunc(list, func(a, b one) int { return cmp.Compare(a.sure, b.sure) })
	below, wins, rights := 0.0, 0.0, 0.0 // wrong links so far
	for i := 0; i < len(list); {
		wrong, right := 0.0, 0.0
		for at := list[i].sure; i < len(list) && list[i].sure == at; i++ {
			if list[i].right {
				right++
			} else {
				wrong++
			}
		}
		wins += right * (below + wrong/2)
		below, rights = below+wrong, rights+right
	}
	return wins / (below * rights)
}
