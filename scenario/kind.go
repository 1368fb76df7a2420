package scenario

// This file names the kinds of scene.

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A Kind says how the targets of a scene start and move. N stands for
// Config.Targets; in three dimensions read N^(1/3) for √N, boxes for squares
// and balls for discs.
type Kind string

const (
	// Burst is the generator of the paper, read literally: every target starts
	// near the origin, within A0 and a shift of up to Spread per coordinate,
	// and flies away along its own polynomial. Crowded at first, easy later.
	Burst Kind = "burst"

	// Arena has the same curves, each starting at a uniform point of a square
	// with side Spread·√N. It thins out with time.
	Arena Kind = "arena"

	// Cross has the same curves, each placed so that it passes a uniform point
	// of a square with side Spread·√N in the middle of its Frames steps: targets
	// come together and part again.
	Cross Kind = "cross"

	// Steer has targets that turn at random and are steered back when they
	// leave a disc of radius Spread·√(N/π), in which they start. It stays
	// crowded for ever.
	Steer Kind = "steer"

	// Drift has targets that start at uniform points of a square with side
	// Spread·√N, in any direction, and then accelerate at random, as Kalman filters
	// assume (white noise, see Config.Accel). False alarms without ClutterRadius
	// are uniform over the square, whatever the targets do.
	Drift Kind = "drift"

	// Walk has Brownian particles, which nothing but chance moves: each step is
	// independent of the one before. They fill a square with side Spread·√N and are
	// thrown back by its walls. Config.Step says how far they go. They have no
	// velocity, and none is measured.
	Walk Kind = "walk"

	// Reverting has targets that start as those of Drift do, and whose velocity falls
	// back to zero at the rate Config.Revert while chance keeps it going (an
	// Ornstein-Uhlenbeck process). Their speeds are root mean squares.
	Reverting Kind = "reverting"

	// Turn has targets that start as those of Drift do and fly coordinated turns: at
	// constant speed with a turn rate that wanders, see Config.TurnStd and TurnWalk.
	// In space they turn about the vertical.
	Turn Kind = "turn"

	// Bounce has targets that fly straight ahead in a square with side Spread·√N and
	// bounce off its walls like billiard balls.
	Bounce Kind = "bounce"

	// Flow has particles that a smooth, random, incompressible flow carries along,
	// through a square with side Spread·√N. Who leaves it disappears, and a new
	// one enters on the other side. Config.Step says how far they go.
	Flow Kind = "flow"

	// Cells has cells that wander as the particles of Walk do, grow, and divide into two daughters
	// after about Config.Cycle, Config.Apart from each other. They live in a square in which there is one per
	// Spread² in the end. Nothing measures their size.
	Cells Kind = "cells"
)

// scenes are the kinds and what places a target at its start.
var scenes = []struct {
	kind  Kind
	start func(w *world, t *target, r *rand.Rand)
}{
	{Burst, startCurve},
	{Arena, startCurve},
	{Cross, startCurve},
	{Steer, startSteer},
	{Drift, startDrift},
	{Walk, startWalk},
	{Reverting, startReverting},
	{Turn, startTurn},
	{Bounce, startBounce},
	{Flow, startFlow},
	{Cells, startCell},
}

// Kinds lists the kinds of scene.
func Kinds() []Kind {
	kinds := make([]Kind, len(scenes))
	for i := range scenes {
		kinds[i] = scenes[i].kind
	}
	return kinds
}

// walled reports whether targets cannot leave the square, or whether it is what their
// sensor sees: false alarms are uniform over it.
func (k Kind) walled() bool { return k == Drift || k == Bounce || k == Flow || k.wanders() }

// wanders reports whether targets have no velocity.
func (k Kind) wanders() bool { return k == Walk || k == Cells }

// ParseScene returns the kind with the given name, in any case. The error for
// another name lists the choices, the likely one first.
func ParseScene(name string) (Kind, error) {
	lower := strings.ToLower(strings.TrimSpace(name))
	best, distance := Kind(""), 3 // more than two letters off is another word
	var list []string
	for _, k := range Kinds() {
		d := editDistance(lower, string(k))
		if d == 0 {
			return k, nil
		}
		if d < distance {
			best, distance = k, d
		}
		list = append(list, string(k))
	}
	if best != "" {
		return "", fmt.Errorf("scenario: unknown scene %q; did you mean %q?", name, best)
	}
	last := len(list) - 1
	return "", fmt.Errorf("scenario: unknown scene %q; want %s or %s", name, strings.Join(list[:last], ", "), list[last])
}

// editDistance is the number of bytes to insert, delete or replace to make t
// from s (Levenshtein). It takes O(len(s)·len(t)) time.
func editDistance(s, t string) int {
	row := make([]int, len(t)+1) // distances from the read part of s to t[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(s) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(t) {
			replace := diagonal
			if s[i] != t[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(t)]
}
