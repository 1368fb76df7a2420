package graphfile_test

// This file reads graphs with random faults.

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtt/internal/mutant"
	"mtt/internal/nightly"
	"mtt/internal/text"
	"mtt/trackgraph/graphfile"
)

// TestMutants: graphs with random faults are read and valid, with all detections and arcs where
// only a number is another, or refused as files that are wrong. MTT_TRIALS is how many, MTT_TIME
// for how long, MTT_SEED says which.
func TestMutants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	kinds := []string{table, lines, hypotheses, programmeLP, programmeMPS, arrays(t)}
	npz := len(kinds) - 1
	size := make([]int, len(kinds))
	for k, data := range kinds {
		f := read(t, write(t, "whole", data))
		size[k] = len(f.Frame) + len(f.Cost)
	}
	seed := nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 7))
	trials := nightly.Trials(nightly.Or(1000, 100_000))
	tried, refused := 0, 0
	for range nightly.Start().Rounds(trials, 0, 1) {
		tried++
		k := rng.IntN(len(kinds))
		data, what, value := mutant.Several(rng, []byte(kinds[k]))
		if k == npz {
			value = false // digits of it are no numbers
			if rng.IntN(4) > 0 {
				var err error
				if data, what, err = mutant.Member(rng, []byte(kinds[k])); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		f, err := graphfile.Read(path)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("seed %d: %s takes %v: %q", seed, what, took, data)
		}
		if err != nil {
			if refused++; !isSyntax(err) {
				t.Errorf("seed %d: %s: error %v (%T): %q", seed, what, err, err, data)
			}
			continue
		}
		if err := f.Validate(); err != nil {
			t.Errorf("seed %d: %s is read, and %v: %q", seed, what, err, data)
		}
		if n := len(f.Frame) + len(f.Cost); value && n < size[k] {
			t.Errorf("seed %d: %s: %d of %d detections and arcs: %q", seed, what, n, size[k], data)
		}
	}
	t.Logf("seed %d: %d graphs with faults, %d refused", seed, tried, refused)
}

// arrays is the graph of table as npz.
func arrays(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	if err := graphfile.WriteNPZ(&b, &read(t, write(t, "table", table)).Graph, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func isSyntax(err error) bool {
	_, ok := errors.AsType[*text.SyntaxError](err)
	return ok
}
