package main

// This file opens the page of a run in a browser and compares what it counts with
// solve.json and score.json.

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mtt/internal/browser"
)

func TestReportCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	commands(t, "mtt run --targets 20 --frames 12 --noise 0.4 --velocity-noise 0.4 --miss 0.1 --clutter 4 --margins bound --gates none",
		"mtt report --frames 5:9 -o part.html")
	var solved struct {
		Tracks  int
		LeftOut int `json:"left_out"`
	}
	var scored struct {
		Wrong   int `json:"wrong_links"`
		False   int `json:"false_links"`
		Missing int `json:"missing_links"`
		True    int `json:"true_links"`
	}
	for name, v := range map[string]any{"solve.json": &solved, "score.json": &scored} {
		if err := json.Unmarshal(readRun(t, name), v); err != nil {
			t.Fatal(err)
		}
	}
	if scored.Wrong == 0 || scored.False == 0 {
		t.Fatalf("%+v: the test wants errors", scored)
	}
	b := browser.Open(t, "runs/latest/report.html")
	b.Until("document.documentElement.dataset.ready")
	data := "document.documentElement.dataset."
	for name, want := range map[string]int{"tracks": solved.Tracks, "free": solved.LeftOut, "wrong": scored.False, "missing": scored.Wrong + scored.Missing, "links": scored.True} {
		if got := b.Text(data + name); got != fmt.Sprint(want) {
			t.Errorf("the page counts %s: %s, want %d of %+v %+v", name, got, want, solved, scored)
		}
	}
	b.Eval(nil, "slider.value = 7, slider.dispatchEvent(new Event('input'))")
	if got := b.Text("document.getElementById('now').textContent"); !strings.HasPrefix(got, "frame 7: ") {
		t.Errorf("after the slider moved to 7: %q", got)
	}
	b.Quiet()

	b = browser.Open(t, "part.html")
	b.Until("document.documentElement.dataset.ready")
	if got := b.Text("slider.max"); got != "4" {
		t.Errorf("frames 5 to 9: the slider ends at %s", got)
	}
	if got := b.Text("document.querySelector('.warning').textContent"); !strings.Contains(got, "frames 5 to 9 of 0 to 11") {
		t.Errorf("frames 5 to 9: the page warns %q", got)
	}
	b.Quiet()
}
