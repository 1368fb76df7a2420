package runfolder

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// content writes a constant.
func content(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// sample is a Meta with every kind of option.
func sample() *Meta {
	return &Meta{
		Version: "0.1", Command: "import", Seed: 7, Inputs: []string{"a b.txt"},
		Scans: Scans{
			First: -3, Step: 2, Count: 10, Interval: 0.0625, Dim: 2, Unit: "m", Noise: new(0.1), VelocityNoise: new(0.30000000000000004),
		},
		Options: map[string]map[string]any{
			"import": {"every": int64(2), "as": "auto", "no-velocity": false, "noise": 1e-12, "gates": []float64{1, 2.5}},
			"track":  {"gap": 0.5},
		},
	}
}

// commit makes a folder with one detections file.
func commit(t *testing.T, dir string) *Folder {
	t.Helper()
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile(DetectionsFile, content("frame,det,x,y\n")); err != nil {
		t.Fatal(err)
	}
	f, err := d.Commit(sample())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// list is the names in dir.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestRoundTrip(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "latest")
	commit(t, dir)
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	want.Options["import"]["gates"] = []any{1.0, 2.5}
	if diff := cmp.Diff(*want, f.Meta); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
}

// TestCommitReplaces removes what belonged to the run before and keeps the rest.
func TestCommitReplaces(t *testing.T) {
	dir := t.TempDir()
	f := commit(t, dir)
	for _, name := range []string{TracksFile, "notes.txt"} {
		if err := f.WriteFile(name, content("old")); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, dir)
	if diff := cmp.Diff([]string{DetectionsFile, "notes.txt", RunFile}, list(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestDiscard leaves the folder as it was.
func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir)
	before := list(t, dir)
	d, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFile(DetectionsFile, content("new")); err != nil {
		t.Fatal(err)
	}
	d.Discard()
	if diff := cmp.Diff(before, list(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, DetectionsFile)); string(data) != "frame,det,x,y\n" {
		t.Errorf("%s holds %q", DetectionsFile, data)
	}
}

// TestWriteFileFails keeps the old content and no remains.
func TestWriteFileFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sub", "score.json")
	if err := WriteFile(path, content("old")); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(path, func(w io.Writer) error {
		io.WriteString(w, strings.Repeat("new", 1<<16))
		return context.Canceled
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	if data, _ := os.ReadFile(path); string(data) != "old" {
		t.Errorf("the file holds %d bytes, want the old 3", len(data))
	}
	if diff := cmp.Diff([]string{"score.json"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := WriteFile(path, content(text)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("file", "")
	home := filepath.Dir(write("home/thesis.tex", ""))
	config := filepath.Dir(write("config/"+RunFile, "seed = 1\n"))
	impossible := filepath.Dir(write("impossible/"+RunFile, "version = \"1\"\ncommand = \"run\"\n[scans]\nstep = 0\n"))
	tests := []struct {
		name string
		call func() error
		want error // nil: any
		text string
	}{
		{"open absent", func() error { _, err := Open(filepath.Join(dir, "absent")); return err }, fs.ErrNotExist, "absent"},
		{"open file", func() error { _, err := Open(file); return err }, ErrNotRunFolder, "is a file"},
		{"open other folder", func() error { _, err := Open(home); return err }, ErrNotRunFolder, "has no run.toml"},
		{"open folder with another run.toml", func() error { _, err := Open(config); return err }, ErrNotRunFolder, "does not say \"version\""},
		{"open impossible", func() error { _, err := Open(impossible); return err }, nil, "[scans] is impossible"},
		{"create in other folder", func() error { _, err := Create(home); return err }, ErrNotRunFolder, "thesis.tex"},
		{"create on file", func() error { _, err := Create(file); return err }, nil, "file"},
	}
	for _, tt := range tests {
		err := tt.call()
		if err == nil || !strings.Contains(err.Error(), tt.text) || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want one with %q that is %v", tt.name, err, tt.text, tt.want)
		}
	}
}
