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
	"mtt/dataset"
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

// recordedDoubts are recordings of crowds, every twelfth frame with noise added. They are one row,
// since a recording has hardly a wrong link.
var recordedDoubts = struct {
	name  string
	files []string
	read  dataset.Options
}{
	"HERMES, every 12th",
	[]string{"hermes/bo-360-090-090.txt", "hermes/bot-300-065-065.txt", "hermes/uo-050-180-180.txt"},
	dataset.Options{Every: 12, Noise: 0.02, NoVelocity: true},
}

// A saidLink is a link of which it is known how sure it seemed.
type saidLink struct {
	margin, odds float64 // nat; NaN: not known
	right        bool
}

// probabilityBins are where bins of probabilities begin; below the first, the link was not the likeliest.
var probabilityBins = []float64{0.5, 0.7, 0.9, 0.99}

// benchProbabilities compares probabilities of links with how many are right. Off_50 is the share
// of right links among those said to be right with .5 to .7 less what is said, in points, and so
// on; se_50 is its standard error, by how much scenes differ: links of one trade are wrong
// together, those of different scenes are independent. Off is the mean distance over all links;
// wrong and expected are wrong links a scene. Areas are those under the curve of links by margin
// and by log odds, with wrong ones to be found. The recordings come last, where they are below
// --data: each with each seed is a scene.
func benchProbabilities(ctx context.Context, b *measure.Run) (rows []cli.Record, err error) {
	for _, c := range probabilityCases {
		if !b.Wants(c.name) {
			continue
		}
		b.Step(c.name)
		all := make([][]saidLink, b.Seeds)
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) (err error) {
			sc, err := b.Scene(ctx, c.scene, seed)
			if err != nil {
				return err
			}
			opts := measure.Told(&sc.Config)
			all[i], err = saidLinks(ctx, sc.Scans, sc.Truth, &opts)
			return err
		})
		if err != nil {
			return rows, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, append(cli.Record{{Key: "scene", Value: c.name}}, calibration(all)...))
	}
	if !b.Wants(recordedDoubts.name) {
		return rows, nil
	}
	files, missing := recording(b.Data, recordedDoubts.files)
	if missing != "" {
		b.Note("%s is left out: %s is not there", recordedDoubts.name, missing)
		return rows, nil
	}
	b.Step(recordedDoubts.name)
	all := make([][]saidLink, b.Seeds*len(files))
	err = b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
		for k, file := range files {
			o := recordedDoubts.read
			o.Seed = seed
			data, err := dataset.Read([]string{file}, &o)
			if err != nil {
				return cli.BadInput(err)
			}
			opts := association.Options{Sigma: o.Noise, Workers: 1}
			if all[i*len(files)+k], err = saidLinks(ctx, data.Scans, data.Truth, &opts); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return rows, fmt.Errorf("%s: %w", recordedDoubts.name, err)
	}
	return append(rows, append(cli.Record{{Key: "scene", Value: recordedDoubts.name}}, calibration(all)...)), nil
}

// saidLinks tracks scans and says how sure the links are.
func saidLinks(ctx context.Context, scans []mtt.Scan, truth []mtt.Track, opts *association.Options) ([]saidLink, error) {
	before := make(map[mtt.Hit]mtt.Hit)
	for i := range truth {
		last := mtt.Hit{Det: -1}
		for _, h := range truth[i].Hits {
			if h.Det < 0 {
				continue
			}
			if last.Det >= 0 {
				before[h] = last
			}
			last = h
		}
	}
	opts.Margins = true
	res, err := association.Track(ctx, scans, opts)
	if err != nil {
		return nil, err
	}
	margins, odds, err := task.Certainty(ctx, res, opts)
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

// calibration are the columns of the links of scenes.
func calibration(scenes [][]saidLink) cli.Record {
	bins := len(probabilityBins)
	all := make([]residuals, bins+1)
	for k := range all {
		all[k] = residuals{of: make([]float64, len(scenes)), n: make([]float64, len(scenes))}
	}
	wrong, expected := 0, 0.0
	for i, links := range scenes {
		for _, l := range links {
			p := 1 / (1 + math.Exp(-l.odds))
			k, _ := slices.BinarySearch(probabilityBins, math.Nextafter(p, 2))
			expected += 1 - p
			all[k].n[i]++
			all[k].of[i] -= p
			if l.right {
				all[k].of[i]++
			} else {
				wrong++
			}
		}
	}
	links := slices.Concat(scenes...)
	r := cli.Record{
		{Key: "links", Value: len(links)}, {Key: "wrong", Value: float64(wrong) / float64(len(scenes)), Digits: 3}, {Key: "expected", Value: expected / float64(len(scenes)), Digits: 3},
	}
	off := 0.0
	for k := range all {
		mean, se, n := all[k].mean()
		if n > 0 {
			off += math.Abs(mean) * n
		}
		if k > 0 {
			from := 100 * probabilityBins[k-1]
			r = append(r, cli.Field{Key: fmt.Sprintf("off_%g", from), Value: 100 * mean, Digits: 2}, cli.Field{Key: fmt.Sprintf("se_%g", from), Value: 100 * se, Digits: 2})
		}
	}
	return append(r, cli.Field{Key: "off", Value: 100 * off / float64(len(links)), Digits: 2},
		cli.Field{Key: "area_margin", Value: area(links, func(l *saidLink) float64 { return l.margin }), Digits: 3},
		cli.Field{Key: "area_odds", Value: area(links, func(l *saidLink) float64 { return l.odds }), Digits: 3})
}

// residuals are those of the links of a bin, right ones as 1 and wrong ones as 0 less what is said
// of them: sums and numbers, of each scene.
type residuals struct{ of, n []float64 }

// mean is the mean residual of n links with its standard error, that of a ratio of sums over
// scenes: NaN of one scene.
func (r *residuals) mean() (mean, se, n float64) {
	sum, square := 0.0, 0.0
	for i := range r.of {
		sum, n = sum+r.of[i], n+r.n[i]
	}
	mean = sum / n
	for i := range r.of {
		d := r.of[i] - mean*r.n[i]
		square += d * d
	}
	scenes := float64(len(r.of))
	return mean, math.Sqrt(square*scenes/(scenes-1)) / n, n
}

// area is the probability that of a wrong and a right link the wrong one is less sure, of equally
// sure ones half; NaN if there are none. Where nobody knows how sure a link is, it counts as not
// sure at all.
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
