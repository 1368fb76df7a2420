package bench

// This file measures what two sensors find together that one alone does not.

import (
	"context"
	"fmt"
	"slices"

	"mtt"
	"mtt/association"
	"mtt/internal/cli"
	"mtt/internal/measure"
	"mtt/scenario"
	"mtt/sensor"
)

// sensorCases are the periods of the radar and the camera of [scenario.PairConfig], in s.
var sensorCases = [][2]float64{{2, 0.7}, {1.5, 1.1}}

// benchSensors tracks a scene by the detections of the radar, by those of the camera, and by both.
// A link is of one sensor: between two consecutive detections of a target by it, whatever the other
// one sees in between; it is right when no other detection of that sensor is between the two in one
// track. So the same links are counted whoever looks. Those of the overlap begin and end where both
// sensors see. The tracker is told what run.toml tells it of the sensors; the rest is learnt.
func benchSensors(ctx context.Context, b *measure.Run) ([]cli.Record, error) {
	var rows []cli.Record
	for _, periods := range sensorCases {
		b.Step(fmt.Sprintf("radar %g s, camera %g s", periods[0], periods[1]))
		found := make([]map[string]linkErrors, b.Seeds)
		err := b.EachSeed(ctx, func(ctx context.Context, i int, seed uint64) error {
			c := *scenario.PairConfig()
			for k := range c.Sensors {
				c.Sensors[k].Period = periods[k]
			}
			scene, err := b.Scene(ctx, c, seed)
			if err == nil {
				found[i], err = eachAndBoth(ctx, scene)
			}
			return err
		})
		if err != nil {
			return rows, err
		}
		var both linkErrors
		for _, name := range words("radar camera") {
			var sum linkErrors
			for i := range found {
				sum = sum.plus(found[i][name])
			}
			both = both.plus(sum)
			rows = append(rows, sum.row(periods, name))
		}
		rows = append(rows, both.row(periods, "both"))
	}
	return rows, nil
}

// linkErrors counts links, and how many of them are not right: everywhere, and in the overlap.
type linkErrors struct{ all, overlap linkCount }

type linkCount struct{ links, alone, together int }

func (e linkErrors) plus(o linkErrors) linkErrors {
	add := func(c, d linkCount) linkCount {
		return linkCount{c.links + d.links, c.alone + d.alone, c.together + d.together}
	}
	return linkErrors{add(e.all, o.all), add(e.overlap, o.overlap)}
}

func (e linkErrors) row(periods [2]float64, name string) cli.Record {
	r := cli.Record{{Key: "radar", Value: periods[0], Unit: "s"}, {Key: "camera", Value: periods[1], Unit: "s"}, {Key: "links_of", Value: name}}
	add := func(c linkCount, prefix string) {
		percent := func(n int) float64 { return 100 * float64(n) / float64(max(1, c.links)) }
		r = append(r, cli.Field{Key: prefix + "links", Value: c.links},
			cli.Field{Key: prefix + "alone", Value: percent(c.alone), Unit: "%"}, cli.Field{Key: prefix + "together", Value: percent(c.together), Unit: "%"},
			cli.Field{Key: prefix + "times_fewer", Value: float64(c.alone) / float64(max(1, c.together))})
	}
	add(e.all, "")
	add(e.overlap, "overlap_")
	return r
}

// eachAndBoth counts the link errors of each sensor alone and of both together, by its name.
func eachAndBoth(ctx context.Context, scene *scenario.Scene) (map[string]linkErrors, error) {
	sensors := scene.Config.Describe()
	track := func(scans []mtt.Scan) ([]mtt.Track, error) {
		res, err := association.Track(ctx, scans, &association.Options{Sensors: sensors, Workers: 1, NoStates: true})
		if err != nil {
			return nil, err
		}
		return res.Tracks, nil
	}
	together, err := track(scene.Scans)
	if err != nil {
		return nil, err
	}
	errors := make(map[string]linkErrors)
	for k := range sensors {
		var own []mtt.Scan
		for t := range scene.Scans {
			if scene.Scans[t].Sensor == k {
				own = append(own, scene.Scans[t])
			}
		}
		alone, err := track(own)
		if err != nil {
			return nil, err
		}
		errors[sensors[k].Name] = countLinks(scene.Truth, alone, together, own, sensors)
	}
	return errors, nil
}

// countLinks counts the links of the sensor whose scans are given, and the errors in two answers.
func countLinks(truth, alone, together []mtt.Track, own []mtt.Scan, sensors []sensor.Sensor) (e linkErrors) {
	by := make(map[int]bool) // frames of the sensor
	for t := range own {
		by[own[t].Frame] = true
	}
	a, b := links(alone, by), links(together, by)
	for i := range truth {
		last := -1
		for h, hit := range truth[i].Hits {
			if hit.Det < 0 || !by[hit.Frame] {
				continue
			}
			if last >= 0 {
				from := truth[i].Hits[last]
				one := linkCount{links: 1}
				if a[from] != hit {
					one.alone = 1
				}
				if b[from] != hit {
					one.together = 1
				}
				all := linkErrors{all: one}
				if !slices.ContainsFunc(sensors, func(s sensor.Sensor) bool { return !s.Sees(truth[i].At(last)) || !s.Sees(truth[i].At(h)) }) {
					all.overlap = one
				}
				e = e.plus(all)
			}
			last = h
		}
	}
	return e
}

// links are the links of tracks between detections in the frames given, with all others left out.
func links(tracks []mtt.Track, by map[int]bool) map[mtt.Hit]mtt.Hit {
	next := make(map[mtt.Hit]mtt.Hit)
	for i := range tracks {
		last := mtt.Hit{Det: -1}
		for _, h := range tracks[i].Hits {
			if h.Det < 0 || !by[h.Frame] {
				continue
			}
			if last.Det >= 0 {
				next[last] = h
			}
			last = h
		}
	}
	return next
}
