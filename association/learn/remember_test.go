package learn_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"mtt"
	"mtt/association/learn"
	"mtt/costgen"
	"mtt/gating"
)

// This file tests that no pilot is asked twice for what it has found.

// A counting pilot finds the first detections of all scans, by number, and counts how often it is asked for the same.
type counting struct {
	targets int
	asked   map[string]int
}

func (c *counting) Track(_ context.Context, scans []mtt.Scan, m *learn.Model) ([]mtt.Track, float64, error) {
	return c.found("track", scans, m)
}

func (c *counting) Sum(_ context.Context, scans []mtt.Scan, m *learn.Model) ([]mtt.Track, float64, error) {
	return c.found("sum", scans, m)
}

func (c *counting) Fits(context.Context, []mtt.Scan, gating.Gate, int) (bool, error) {
	return true, nil
}

func (c *counting) found(what string, scans []mtt.Scan, m *learn.Model) (tracks []mtt.Track, cost float64, err error) {
	model := fmt.Sprint(m.Levels)
	if m.Levels == nil {
		model = fmt.Sprint(*m.Cost.(*costgen.Trapezoid))
	}
	c.asked[fmt.Sprintln(what, len(scans), scans[0].Pos, m.Gate, m.MaxSpeed, m.Coasts, model)]++
	for i := range c.targets {
		tr := mtt.Track{ID: i + 1, Dim: scans[0].Dim}
		for t := range scans {
			if scans[t].Len() > i {
				tr.Append(&scans[t], i)
			}
		}
		if len(tr.Hits) > 1 {
			tracks = append(tracks, tr)
		}
	}
	return tracks, 0, nil
}

// TestRemembered: beginnings among false alarms have the same first pilot, which is asked once.
func TestRemembered(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const targets = 8
	scans := make([]mtt.Scan, 20)
	for k := range scans {
		s := mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		for i := range targets {
			s.Pos = append(s.Pos, 10*float64(i)+0.1*rng.NormFloat64(), 0.5*float64(k)+0.1*rng.NormFloat64())
		}
		for range 4 + rng.IntN(4) {
			s.Pos = append(s.Pos, 80*rng.Float64(), 20*rng.Float64())
		}
		scans[k] = s
	}
	c := &counting{targets: targets, asked: make(map[string]int)}
	if _, err := learn.Learn(t.Context(), scans, &learn.Options{}, c); err != nil {
		t.Fatal(err)
	}
	if len(c.asked) < 5 {
		t.Fatalf("%d pilots: too few to tell", len(c.asked))
	}
	for what, times := range c.asked {
		if times > 1 {
			t.Errorf("asked %d times: %.200s", times, what)
		}
	}
}
