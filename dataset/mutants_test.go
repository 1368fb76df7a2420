package dataset

// This file reads files with random faults.

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"mtt/internal/mutant"
	"mtt/internal/nightly"
)

// told reports whether there is a note that says more than those of before, numbers aside but of
// what is left out.
func told(notes, before []string) bool {
	digits := regexp.MustCompile(`[0-9]+`)
	return slices.ContainsFunc(notes, func(n string) bool {
		return !slices.ContainsFunc(before, func(b string) bool {
			if strings.Contains(n, "left out") {
				return n == b
			}
			return digits.ReplaceAllString(b, "#") == digits.ReplaceAllString(n, "#")
		})
	})
}

// TestMutants: files of every format that is read, with random faults, are read in time and memory
// or refused with an error that says where, and no detection is lost without a word because a
// number is another or none. MTT_TRIALS is how many, MTT_TIME for how long, MTT_SEED says which.
func TestMutants(t *testing.T) {
	type file struct {
		name    string // of what is read, below dir
		fault   string // the file of it that has one
		data    []byte
		notes   []string
		present int
	}
	dir := t.TempDir()
	var files []file
	present := func(d *Data) (n int) {
		for k := range d.Scans {
			n += d.Scans[k].Len()
		}
		return n
	}
	add := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name, name, data, d.Notes, present(d)})
	}
	for _, row := range samples(t) {
		info, err := os.Stat(row.path)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			name := filepath.Base(row.path)
			if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(row.path)); err != nil {
				t.Fatal(err)
			}
			d, err := Read([]string{filepath.Join(dir, name)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := filepath.WalkDir(row.path, func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				if inside, _ := filepath.Rel(row.path, path); len(data) > 0 {
					files = append(files, file{name, filepath.Join(name, inside), data, d.Notes, present(d)})
				}
				return err
			}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data, err := os.ReadFile(row.path)
		if err != nil {
			t.Fatal(err)
		}
		add(filepath.Base(row.path), data)
	}
	packed, err := os.ReadFile(filepath.Join("..", "testdata", "points.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	w.Write(packed)
	w.Close()
	add("packed.csv.gz", z.Bytes())
	add("columns.json", []byte(`{"x":{"0":1,"1":2,"2":3.5,"3":4},"y":{"0":1,"1":5,"2":2,"3":6},"frame":{"0":0,"1":0,"2":1,"3":1}}`))
	// Longer than what a format is told by.
	var points, boxes, objects, bare strings.Builder
	points.WriteString("frame,id,x,y,conf\n")
	for k := range 600 {
		frame, id, x, y := k/20, k%20, 10*float64(k%20)+0.25*float64(k/20), float64(k*k%37)
		fmt.Fprintf(&points, "%d,%d,%v,%v,0.5\n", frame, id, x, y)
		fmt.Fprintf(&boxes, "%d,-1,%v,%v,20,40,1,-1,-1,-1\n", frame+1, x, y)
		fmt.Fprintf(&objects, `{"frame": %d, "x": %v, "y": %v}`+"\n", frame, x, y)
		fmt.Fprintf(&bare, "%v;%v;%d\n", x, y, frame)
	}
	add("points-long.csv", []byte(points.String()))
	add("det-long.txt", []byte(boxes.String()))
	add("objects-long.jsonl", []byte(objects.String()))
	add("named-long.csv", []byte("x;y;frame\n"+bare.String()))

	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 6))
	tried, refused, lost := 0, 0, 0
	trials := nightly.Trials(nightly.Or(2000, 100_000))
	for range nightly.Start().Rounds(trials, 0, 1) {
		tried++
		f := &files[rng.IntN(len(files))]
		data, what, whole := mutant.Several(rng, f.data)
		if strings.HasSuffix(f.fault, ".npz") && rng.IntN(4) > 0 {
			var err error
			if data, what, err = mutant.Member(rng, f.data); err != nil {
				t.Fatal(err)
			}
			whole = false
		}
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(filepath.Join(dir, f.fault), data, 0o666); err != nil {
			t.Fatal(err)
		}
		fail := func(format string, args ...any) {
			t.Helper()
			t.Errorf("seed %d: %s, %s: "+format+"\n%q", slices.Concat([]any{seed, f.fault, what}, args, []any{data[:min(len(data), 2000)]})...)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		d, err := func() (d *Data, err error) {
			defer func() {
				if r := recover(); r != nil {
					fail("panics: %v\n%s", r, debug.Stack())
					err = fs.ErrInvalid
				}
			}()
			return Read([]string{path}, nil)
		}()
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if took > 10*time.Second {
			fail("takes %v", took)
		}
		if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
			fail("makes %d MiB", made>>20)
		}
		var syntax *SyntaxError
		var format *FormatError
		if f.fault != f.name { // others of the folder are as they were
			if err := os.WriteFile(filepath.Join(dir, f.fault), f.data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case err != nil:
			if refused++; !errors.As(err, &syntax) && !errors.As(err, &format) && !errors.Is(err, fs.ErrInvalid) {
				fail("error %v (%T)", err, err)
			}
		case whole && present(d) < f.present && !told(d.Notes, f.notes):
			lost++
			fail("%d of %d detections are left, and nothing is said", present(d), f.present)
		default:
			checkData(t, d)
		}
		if t.Failed() && lost > 20 {
			break
		}
	}
	t.Logf("seed %d: %d files with faults, %d refused", seed, tried, refused)
}
