package main

// This file tests "mtt stream" over pipes.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mtt/internal/cli"
	"mtt/internal/nightly"
)

// A place is a detection: its frame and its number there.
type place struct{ frame, det int }

// histories are the tracks of lines "frame,track,det,…" of a CSV file with a header, each a
// list of detections, in the order of their first ones: their numbers do not matter. Of
// columns with a column settled only those lines count that are.
func histories(t *testing.T, r io.Reader) [][]place {
	t.Helper()
	table, err := csv.NewReader(r).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := make(map[string]int)
	for c, name := range table[0] {
		column[name] = c
	}
	tracks := make(map[string][]place)
	for _, row := range table[1:] {
		if c, ok := column["settled"]; ok && row[c] != "true" {
			continue
		}
		frame, err := strconv.Atoi(row[column["frame"]])
		if err != nil {
			t.Fatal(err)
		}
		det, err := strconv.Atoi(row[column["det"]])
		if err != nil {
			t.Fatal(err)
		}
		id := row[column["track"]]
		tracks[id] = append(tracks[id], place{frame, det})
	}
	byPlace := func(a, b place) int { return 1000*(a.frame-b.frame) + a.det - b.det }
	return slices.SortedFunc(maps.Values(tracks), func(a, b []place) int { return slices.CompareFunc(a, b, byPlace) })
}

// TestStreamIsTrack: a pipe gives the tracks that mtt track --lag finds in the run folder, whatever
// kind the scene is of, though scans come beside what is learnt in one and at once in the other.
func TestStreamIsTrack(t *testing.T) {
	t.Chdir(t.TempDir())
	frames := nightly.Or("30", "60")
	for _, c := range []struct {
		name  string
		least int // tracks
		scene []string
	}{
		{"velocities", 30, []string{"--targets", nightly.Or("8", "30"), "--velocity-noise", "0.1", "--miss", "0.1", "--clutter", nightly.Or("3", "5"), "--births", "1"}},
		{"positions", 20, []string{"--targets", nightly.Or("20", "100"), "--no-velocity"}},
		{"misses and false alarms", 20, []string{"--targets", nightly.Or("20", "60"), "--no-velocity", "--scene", "drift", "--miss", "0.1", "--clutter", "5"}},
		{"bounces", 15, []string{"--targets", nightly.Or("15", "60"), "--no-velocity", "--scene", "bounce"}},
		{"walk off", 15, []string{"--targets", nightly.Or("15", "60"), "--no-velocity", "--scene", "steer", "--still", "24", "--noise", "0.05"}},
	} {
		results(t, slices.Concat([]string{"simulate", "--frames", frames, "--noise", "0.1", "-o", c.name}, c.scene)...)
		detections, err := os.ReadFile(filepath.Join(c.name, "detections.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for _, lag := range []string{"0", "3"} {
			results(t, "track", c.name, "--lag", lag, "--estimate")
			data, err := os.ReadFile(filepath.Join(c.name, "tracks.csv"))
			if err != nil {
				t.Fatal(err)
			}
			want := histories(t, bytes.NewReader(data))
			in, feed := io.Pipe()
			go func() {
				for line := range bytes.Lines(detections) {
					feed.Write(line)
				}
				feed.Close()
			}()
			var stdout, stderr strings.Builder
			if status := run(t.Context(), []string{"mtt", "stream", "--lag", lag, "--to", "csv"}, in, &stdout, &stderr); status != cli.ExitDone {
				t.Fatalf("%s: exit status %d: %s", c.name, status, &stderr)
			}
			got := histories(t, strings.NewReader(stdout.String()))
			if len(want) < c.least || !slices.EqualFunc(got, want, slices.Equal[[]place]) {
				t.Errorf("%s, lag %s: %d tracks, others than the %d of mtt track", c.name, lag, len(got), len(want))
			}
		}
	}
}

// TestStreamFlushes: the lines of a scan are there as soon as the next scan begins, and an
// interrupt ends a stream that waits for more, with all that was tracked settled.
func TestStreamFlushes(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	in, feed := io.Pipe()
	out, results := io.Pipe()
	defer feed.Close()
	var stderr strings.Builder
	status := make(chan int)
	go func() {
		s := run(ctx, []string{"mtt", "stream", "--in", "jsonl", "--lag", "2", "--noise", "0.1", "--warm-up", "5"}, in, results, &stderr)
		results.Close()
		status <- s
	}()
	lines := make(chan []byte, 1000)
	go func() {
		defer close(lines)
		for sc := bufio.NewScanner(out); sc.Scan(); {
			lines <- bytes.Clone(sc.Bytes())
		}
	}()
	const scans = 12
	send := func(k int) {
		x := strconv.Itoa(k)
		io.WriteString(feed, `{"time":`+x+`,"x":`+x+`,"y":0}`+"\n"+`{"time":`+x+`,"x":`+x+`,"y":50}`+"\n")
	}
	settled := -1
	for k := range scans {
		send(k)
		for k > 6 && settled < k-1-2 { // scan k-1 has ended
			select {
			case line := <-lines:
				var l struct {
					Frame     int
					Settled   bool
					Existence float64
				}
				if err := json.Unmarshal(line, &l); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if l.Existence <= 0 || l.Existence > 1 {
					t.Fatalf("%s: no probability", line)
				}
				if l.Settled {
					settled = max(settled, l.Frame)
				}
			case <-time.After(time.Minute):
				t.Fatalf("scan %d: frames are settled up to %d only", k, settled)
			}
		}
	}
	interrupt()
	for line := range lines {
		if bytes.Contains(line, []byte(`"settled":true`)) {
			settled++
		}
	}
	if s := <-status; s != cli.ExitInterrupted {
		t.Errorf("exit status %d after an interrupt, want %d", s, cli.ExitInterrupted)
	}
	if strings.Contains(stderr.String(), "resume") {
		t.Errorf("what came through a pipe is gone, but standard error says: %s", &stderr)
	}
	if settled < scans-2 {
		t.Errorf("the interrupt settled nothing")
	}
}
