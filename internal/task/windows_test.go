package task

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// This file interrupts tracking in windows.

// An afterWindows is a context that ends when so many windows are settled.
type afterWindows struct {
	context.Context
	state string // file
	size  int64  // of it when that is so
}

func (c afterWindows) Err() error {
	if info, err := os.Stat(c.state); err == nil && info.Size() >= c.size {
		return context.Canceled
	}
	return nil
}

// TestWindowsGoOn interrupts tracking after its first window, and goes on with windows of another
// length: what is settled stays, and the run is that of a command without an interrupt.
func TestWindowsGoOn(t *testing.T) {
	t.Chdir(t.TempDir())
	var messages strings.Builder
	s := cli.NewSession(&cli.App{Name: "test", Write: runfolder.WriteFile}, []string{"test"}, nil, &messages, &messages)
	_, folder, _, _, _ := simulated(t, s, map[string]string{"targets": "20", "frames": "24", "miss": "0.05", "clutter": "2", "scene": "arena"})
	if err := Finish(folder, nil); err != nil {
		t.Fatal(err)
	}
	dir := folder.Dir
	track := func(ctx context.Context, window int) error {
		o := NewTrackOptions()
		c := &cli.Command{Name: "track", Options: o.BindAll()}
		o.window = window
		run, err := o.RunInWindows(s, []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = TrackWindows(ctx, s, c, o, run); err != nil {
			run.Discard()
			return err
		}
		return Finish(run, nil)
	}
	tracks := func() string {
		text, err := os.ReadFile(filepath.Join(dir, runfolder.TracksFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := track(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	want := tracks()
	if err := track(afterWindows{t.Context(), filepath.Join(dir, runfolder.WindowsDir, windowState), 1}, 5); !errors.Is(err, context.Canceled) {
		t.Fatalf("an interrupt: %v", err)
	}
	if tracks() != want {
		t.Error("an interrupt has changed the run")
	}
	messages.Reset()
	if err := track(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	// The first window is put away while the second is tracked, which may be done before it sees
	// the interrupt.
	if !strings.Contains(messages.String(), "going on after 1 windows, with frame 5 of 24") && !strings.Contains(messages.String(), "going on after 2 windows, with frame 10 of 24") {
		t.Errorf("it did not go on: %s", &messages)
	}
	if tracks() != want {
		t.Error("the tracks are others than those without an interrupt")
	}
	if _, err := os.Stat(filepath.Join(dir, runfolder.WindowsDir)); err == nil {
		t.Error("the folder of windows is still there")
	}
}

// TestCrowdedInWindows tracks a scene at once that has few detections, and in windows where these
// have many arcs.
func TestCrowdedInWindows(t *testing.T) {
	t.Chdir(t.TempDir())
	var file strings.Builder
	file.WriteString("frame,x,y\n")
	rng := rand.New(rand.NewPCG(1, 1))
	for f := range 10 {
		for range 6 {
			fmt.Fprintf(&file, "%d,%g,%g\n", f, rng.NormFloat64(), rng.NormFloat64())
		}
	}
	if err := os.WriteFile("crowd.csv", []byte(file.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for limit, windows := range map[int64]bool{1 << 30: false, 2000: true} {
		var out, messages strings.Builder
		s := cli.NewSession(&cli.App{Name: "test", Write: runfolder.WriteFile}, []string{"test"}, nil, &out, &messages)
		o, from := NewTrackOptions(), &ImportOptions{}
		c := &cli.Command{Name: "track", Options: append(o.BindAll(), from.BindReading()...)}
		o.NoReport, o.onceLimit = true, limit
		if err := TrackOne(t.Context(), s, c, o, from, []string{"crowd.csv"}, time.Now()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "windows") != windows {
			t.Errorf("arcs and triplets of %d bytes: %s%s", limit, &out, &messages)
		}
	}
}

// TestExceeded finds by the size of a scene whether it is tracked at once: 2 GiB or less, unless
// options say so or need it.
func TestExceeded(t *testing.T) {
	for _, tt := range []struct {
		name                      string
		set                       map[string]string
		detections, scans, longer float64 // longer: more scans, which are too many
	}{
		{"two million detections", nil, 2e6, 50, 1e5},
		{"hardly any detections", nil, 0, 5e5, 5.5e5},
		{"limit below 2 GiB", map[string]string{"memory-limit": "100MB"}, 1e4, 1e4, 5e4},
		{"one scan of millions", nil, 5e6, 1, 10},
		{"needs all at once", map[string]string{"lag": "3"}, 2e6, 3.5e6, 4e6},
	} {
		o := NewTrackOptions()
		options := o.BindAll()
		for name, text := range tt.set {
			if err := cli.Find(options, name).Set(text); err != nil {
				t.Fatal(err)
			}
		}
		if o.exceeded(tt.detections, tt.scans) || !o.exceeded(tt.detections, tt.longer) {
			t.Errorf("%s: %v and %v scans exceed: %v, %v; want the second alone", tt.name, tt.scans, tt.longer, o.exceeded(tt.detections, tt.scans), o.exceeded(tt.detections, tt.longer))
		}
		if err := cli.Find(options, "window").Set("all"); err != nil {
			t.Fatal(err)
		}
		if o.exceeded(1e9, 1e9) {
			t.Errorf("%s: --window all is not heeded", tt.name)
		}
	}
}
