package scenario

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		config Config
		want   string // part of the error; "" means none
	}{
		{Config{}, ""},
		{*DefaultConfig(), ""},
		{Config{Scene: "ARENA"}, ""},
		{Config{Targets: 1, Frames: 1, Births: 1, Miss: 1}, ""},
		{Config{SpeedMax: 0.5}, ""},
		{Config{SpeedMin: 3, SpeedMax: 3}, ""},
		{Config{Scene: "brust"}, `did you mean "burst"?`},
		{Config{Scene: "box"}, "want burst, arena, cross, steer, drift, walk, reverting, turn, bounce, flow or cells"},
		{Config{Targets: -3}, "Targets is -3; want 1 or more"},
		{Config{Frames: -1}, "Frames is -1"},
		{Config{Dim: 4}, "Dim is 4; want 2 or 3"},
		{Config{Degree: 5}, "Degree is 5; want 3, 4"},
		{Config{Interval: -1}, "Interval is -1"},
		{Config{Interval: 1e-300}, "Interval is 1e-300"},
		{Config{A0: math.Inf(1)}, "A0 is +Inf"},
		{Config{Spread: -2}, "Spread is -2"},
		{Config{SpeedMin: -1}, "SpeedMin is -1"},
		{Config{SpeedMin: 3}, "SpeedMax is 0, below SpeedMin, which is 3"},
		{Config{SpeedMin: 1, SpeedMax: math.NaN()}, "SpeedMax is NaN"},
		{Config{Noise: math.NaN()}, "Noise is NaN"},
		{Config{VelocityNoise: -0.1}, "VelocityNoise is -0.1"},
		{Config{Miss: 1.5}, "Miss is 1.5; want 0 to 1"},
		{Config{Clutter: -1}, "Clutter is -1"},
		{Config{ClutterRadius: math.Inf(1)}, "ClutterRadius is +Inf"},
		{Config{Births: 101}, "Births is 101 a frame, more than the 100 targets"},
	}
	for _, tt := range tests {
		err := tt.config.Validate()
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("Validate(%+v) = %v, want %q", tt.config, err, tt.want)
		}
		if _, simErr := Simulate(context.Background(), &tt.config); (simErr == nil) != (err == nil) {
			t.Errorf("Simulate(%+v) gives error %v, Validate %v", tt.config, simErr, err)
		}
	}
}

func TestParseScene(t *testing.T) {
	tests := []struct {
		name, want, suggestion string
	}{
		{"burst", "burst", ""},
		{" Arena", "arena", ""},
		{"CROSS", "cross", ""},
		{"steer", "steer", ""},
		{"steeer", "", `did you mean "steer"?`},
		{"bursts", "", `did you mean "burst"?`},
		{"corss", "", `did you mean "cross"?`},
		{"", "", "want burst, arena, cross, steer, drift, walk, reverting, turn, bounce, flow or cells"},
		{"polynomial", "", "want burst, arena, cross, steer, drift, walk, reverting, turn, bounce, flow or cells"},
	}
	for _, tt := range tests {
		got, err := ParseScene(tt.name)
		if string(got) != tt.want || (err == nil) != (tt.suggestion == "") || err != nil && !strings.Contains(err.Error(), tt.suggestion) {
			t.Errorf("ParseScene(%q) = %q, %v; want %q, %q", tt.name, got, err, tt.want, tt.suggestion)
		}
	}
}

// A nil config is the default one; a config is not changed by its use.
func TestNilConfigAndOwnership(t *testing.T) {
	a, err := Simulate(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Simulate(context.Background(), DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.Config, *DefaultConfig()) || digest(a) != digest(b) {
		t.Errorf("Simulate(nil) used %+v, want %+v", a.Config, *DefaultConfig())
	}
	c := Config{Targets: 2, Frames: 3}
	stream := Stream(context.Background(), &c)
	c.Frames = -1 // after the call: no effect
	n := 0
	for _, err := range stream {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("%d frames, want 3", n)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	n := 0
	for f, err := range Stream(ctx, &Config{Targets: 5}) {
		if n++; n == 4 {
			cancel()
		}
		if n == 5 {
			if f != nil || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "frame 4") {
				t.Errorf("after cancelling, frame %v, error %v", f, err)
			}
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n != 5 {
		t.Errorf("%d values, want 4 frames and an error", n)
	}
	scene, err := Simulate(ctx, &Config{Targets: 5})
	if !errors.Is(err, context.Canceled) || scene == nil || len(scene.Scans) != 0 || scene.Config.Frames != 50 {
		t.Errorf("Simulate of a cancelled context = %v, %v", scene, err)
	}
}
