package runfolder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
	f, err := Create(dir, sample())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if err := f.WriteFile(DetectionsFile, content("frame,det,x,y\n")); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err != nil {
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
	for _, name := range []string{TracksFile, "notes.txt", "plots/a.svg"} {
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
	d, err := Create(dir, sample())
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

// TestEdit changes some files, and Path and Has say what will be.
func TestEdit(t *testing.T) {
	dir := t.TempDir()
	f := commit(t, dir)
	for _, name := range []string{TracksFile, ScoreFile, "plots/old.svg", "plots/same.svg"} {
		if err := f.WriteFile(name, content("old")); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Edit(); err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if err := f.Remove(ScoreFile, PlotsDir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{TracksFile, "plots/same.svg", "plots/new.svg", SolveFile} {
		if err := f.WriteFile(name, content("new")); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Remove(SolveFile); err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("notes.txt", content("new")); err == nil {
		t.Error("a file that is none of a run was written")
	}
	for name, want := range map[string]bool{
		DetectionsFile: true, TracksFile: true, ScoreFile: false, SolveFile: false, "plots/old.svg": false, "plots/new.svg": true,
	} {
		if f.Has(name) != want {
			t.Errorf("before Commit, Has(%s) = %v, want %v", name, !want, want)
		}
	}
	if data, err := os.ReadFile(f.Path(TracksFile)); string(data) != "new" {
		t.Errorf("Path leads to %q, %v", data, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, TracksFile)); string(data) != "old" {
		t.Errorf("before Commit, %s holds %q", TracksFile, data)
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{DetectionsFile, PlotsDir, RunFile, TracksFile}, list(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"new.svg", "same.svg"}, list(t, filepath.Join(dir, PlotsDir))); diff != "" {
		t.Errorf("plots (-want +got):\n%s", diff)
	}
}

// TestBusy refuses a second writer, in words, until the first has ended.
func TestBusy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	f := commit(t, dir)
	if err := f.Edit(); err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	other, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	_, create := Create(dir, sample())
	for _, err := range []error{create, other.Edit(), other.WriteFile(TracksFile, content("")), other.Remove(TracksFile)} {
		if !errors.Is(err, ErrBusy) || !strings.Contains(err.Error(), dir) {
			t.Errorf("error %v, want one with %q that is %v", err, dir, ErrBusy)
		}
	}
	f.Discard()
	commit(t, dir)
}

// TestRemains clears away what killed processes leave, in a folder and beside a file; what
// a living one writes stays.
func TestRemains(t *testing.T) {
	dir := t.TempDir()
	commit(t, dir)
	for _, name := range []string{".mtt-99999-detections.csv", ".mtt-draft/tracks.csv", ".mtt-draft/plots/a.svg", ".mtt-lock"} {
		if err := WriteFile(filepath.Join(dir, name), content("remains")); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, dir)
	if diff := cmp.Diff([]string{DetectionsFile, RunFile}, list(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}

	dir = t.TempDir()
	for _, name := range []string{".mtt-1-a.csv", ".mtt-1-a.csv.lock", ".mtt-2-a.csv", ".mtt-3-b.csv", ".mtt-x-a.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := system.Lock(filepath.Join(dir, ".mtt-2-a.csv.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "a.csv"), content("new")); err != nil {
		t.Fatal(err)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".mtt-2-a.csv", ".mtt-3-b.csv", ".mtt-x-a.csv", "a.csv"}, list(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestKinds keeps the mode of a file and what a link leads to, and writes to what is no
// regular file.
func TestKinds(t *testing.T) {
	if os.DevNull != "/dev/null" {
		t.Skip("no such kinds of files here")
	}
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, content("new")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Lstat(file); err != nil || info.Mode() != 0o600 || info.Size() != 3 {
		t.Errorf("the file is %v, %v", info, err)
	}
	if err := WriteFile(os.DevNull, content("new")); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(os.DevNull); err != nil || info.Mode()&fs.ModeCharDevice == 0 {
		t.Errorf("%s is %v, %v", os.DevNull, info, err)
	}
}

// TestStrangeNames: a name of an input cannot break run.toml nor put a command there.
func TestStrangeNames(t *testing.T) {
	for _, name := range []string{"a\n[import]\nb.csv", "a; touch PWNED #.csv", "it's", "\x1b[2J", "\"\"\"", "\\", "\u2028", "\xff"} {
		dir := t.TempDir()
		meta := sample()
		meta.Inputs = []string{name}
		f, err := Create(dir, meta)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, RunFile))
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Split(string(text), "\n"); lines[2] != "" || !strings.HasSuffix(lines[1], "' --config run.toml -o FOLDER") {
			t.Errorf("%q: run.toml begins with %q", name, lines[:3])
		}
		want := strings.ToValidUTF8(name, "\ufffd")
		if f, err := Open(dir); err != nil || len(f.Meta.Inputs) != 1 || f.Meta.Inputs[0] != want {
			t.Errorf("%q: read %v, %v", name, f, err)
		}
	}
}

// TestForgedManifest does not follow a manifest out of the folder.
func TestForgedManifest(t *testing.T) {
	for _, text := range []string{
		`{"remove": ["../victim"]}`, `{"remove": [".."]}`, `{"remove": ["notes.txt"]}`, `{"files": ["../victim"]}`,
		`{"files": ["plots/../../victim"]}`, `{"files": ["notes.txt"]}`, `{`,
	} {
		top := t.TempDir()
		dir := filepath.Join(top, "run")
		commit(t, dir)
		for name, text := range map[string]string{"victim": "mine", "run/notes.txt": "mine", "run/.mtt-commit/.manifest": text, "run/.mtt-commit/notes.txt": "theirs"} {
			if err := WriteFile(filepath.Join(top, name), content(text)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), ".manifest") {
			t.Errorf("%s: error %v", text, err)
		}
		for _, name := range []string{"victim", "run/notes.txt"} {
			if data, err := os.ReadFile(filepath.Join(top, name)); string(data) != "mine" {
				t.Errorf("%s: %s holds %q, %v", text, name, data, err)
			}
		}
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
	open := func(dir string) func() error { return func() error { _, err := Open(dir); return err } }
	create := func(dir string) func() error { return func() error { _, err := Create(dir, sample()); return err } }
	file := write("file", "")
	home := filepath.Dir(write("home/thesis.tex", ""))
	mine := filepath.Dir(write("mine/"+DetectionsFile, ""))
	write("mine/plots/mine.txt", "precious")
	config := filepath.Dir(write("config/"+RunFile, "seed = 1\n"))
	tests := []struct {
		name string
		call func() error
		want error // nil: any
		text string
	}{
		{"open absent", open(filepath.Join(dir, "absent")), fs.ErrNotExist, "absent"},
		{"open file", open(file), ErrNotRunFolder, "is a file"},
		{"open other folder", open(home), ErrNotRunFolder, "has no run.toml"},
		{"open folder with another run.toml", open(config), ErrNotRunFolder, "does not say \"version\""},
		{"create in other folder", create(home), ErrNotRunFolder, "thesis.tex"},
		{"create where names are those of a run", create(mine), ErrNotRunFolder, "holds detections.csv"},
		{"create in folder with another run.toml", create(config), ErrNotRunFolder, "is left alone"},
		{"create on file", create(file), nil, "file"},
	}
	for _, tt := range tests {
		err := tt.call()
		if err == nil || !strings.Contains(err.Error(), tt.text) || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: error %v, want one with %q that is %v", tt.name, err, tt.text, tt.want)
		}
	}
	for _, d := range []string{home, mine, config} {
		for _, name := range list(t, d) {
			if strings.HasPrefix(name, temporaryPrefix) {
				t.Errorf("%s was left in %s", name, d)
			}
		}
	}
}

// TestImpossible refuses values that no run has; the folder may be replaced all the same.
func TestImpossible(t *testing.T) {
	const text = "version = \"1\"\ncommand = \"run\"\n[scans]\nfirst = 0\nstep = 1\ncount = 1\ninterval = 1.0\ndim = 2\n"
	for _, tt := range []struct{ old, new, want string }{
		{"step = 1", "step = 0", "step = 0"}, {"interval = 1.0", "interval = inf", "interval = +Inf"}, {"interval = 1.0", "interval = nan", "interval = NaN"},
		{"interval = 1.0", "interval = -1.0", "interval = -1"}, {"dim = 2", "dim = 4", "dim = 4"}, {"dim = 2", "dim = 2\nnoise = -1.0", "noise = -1"},
		{"dim = 2", "dim = 2\nvelocity_noise = inf", "velocity_noise = +Inf"}, {"count = 1", "count = -1", "count = -1"},
		{"count = 1", "count = 9223372036854775807", "count = 9"}, {"first = 0", "first = -9223372036854775808", "first = -9"},
		{"step = 1", "step = 9223372036854775807", "step = 9"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, RunFile), []byte(strings.Replace(text, tt.old, tt.new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "[scans] is impossible: "+tt.want) {
			t.Errorf("%s: error %v", tt.new, err)
		}
		commit(t, dir)
	}
}

// TestUnchanged reads two files of a run while it is replaced all the time: unless Unchanged says
// so, both are of one run.
func TestUnchanged(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	write := func(n int) {
		f, err := Create(dir, sample())
		if err != nil {
			t.Error(err)
			return
		}
		defer f.Discard()
		for _, name := range []string{DetectionsFile, TracksFile} {
			err = errors.Join(err, f.WriteFile(name, func(w io.Writer) error {
				_, err := fmt.Fprint(w, n)
				return err
			}))
		}
		if err := errors.Join(err, f.Commit()); err != nil {
			t.Error(err)
		}
	}
	write(0)
	done, ended := make(chan bool), make(chan bool)
	stop := sync.OnceFunc(func() { close(done); <-ended })
	defer stop()
	go func() {
		defer close(ended)
		for n := 1; ; n++ {
			select {
			case <-done:
				return
			default:
				write(n)
				time.Sleep(time.Duration(n%4) * time.Millisecond)
			}
		}
	}()
	same, changed, mixed := 0, 0, 0
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end) || same == 0; {
		f, err := Open(dir)
		if errors.Is(err, ErrBusy) || errors.Is(err, ErrNotRunFolder) { // run.toml is being replaced
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(f.Path(DetectionsFile))
		if rand.IntN(2) == 0 {
			time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
		}
		b, _ := os.ReadFile(f.Path(TracksFile))
		one := string(a) == string(b) && len(a) > 0
		if !one {
			mixed++
		}
		switch err := f.Unchanged(); {
		case err == nil && !one:
			t.Fatalf("detections of run %s, tracks of run %s, and no word of it", a, b)
		case err == nil:
			same++
		case !errors.Is(err, ErrChanged):
			t.Fatal(err)
		default:
			changed++
		}
	}
	stop()
	t.Logf("%d readings of one run, %d were told of a change, %d of these read two runs", same, changed, mixed)
	// A change of one's own is none.
	f, err := Open(dir)
	if err == nil {
		err = f.Edit()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Discard()
	if err := errors.Join(f.WriteFile(ScoreFile, func(io.Writer) error { return nil }), f.Commit(), f.Unchanged(), f.Remove(ScoreFile), f.Unchanged(), f.Edit()); err != nil {
		t.Error(err)
	}
}
