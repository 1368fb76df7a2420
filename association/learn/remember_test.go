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

// A counting pilot finds the first detections of all scans, by number, and counts how often it is
// asked for the same.
type counting struct {
	targets int
	asked   map[string]int
	sums    int // how often it was asked for the cost of all ways to join detections
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
	if what == "sum" {
		c.sums++
	}
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

// amid are targets among false alarms, the first detections of each scan.
func amid(targets, scans int) []mtt.Scan {
	rng := rand.New(rand.NewPCG(1, 1))
	list := make([]mtt.Scan, scans)
	for k := range list {
		s := mtt.Scan{Frame: k, Time: float64(k), Dim: 2}
		for i := range targets {
			s.Pos = append(s.Pos, 10*float64(i)+0.1*rng.NormFloat64(), 0.5*float64(k)+0.1*rng.NormFloat64())
		}
		for range 4 + rng.IntN(4) {
			s.Pos = append(s.Pos, 80*rng.Float64(), 20*rng.Float64())
		}
		list[k] = s
	}
	return list
}

// TestRemembered: beginnings among false alarms have the same first pilot, which is asked once.
func TestRemembered(t *testing.T) {
	const targets = 8
	scans := amid(targets, 20)
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

// TestNothing: of levels by which no pilot finds a track nobody asks how likely they are, but of
// those that others are compared with.
func TestNothing(t *testing.T) {
	c := &counting{asked: make(map[string]int)}
	if _, err := learn.Learn(t.Context(), amid(8, 20), &learn.Options{}, c); err != nil {
		t.Fatal(err)
	}
	if c.sums > 4 {
		t.Errorf("%d of %d pilots ask it, want 4", c.sums, len(c.asked))
	}
}
