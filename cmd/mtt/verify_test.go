package main

// This file damages the files of a run and wants "mtt verify" to find out.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// verdict is what "mtt verify --format json" prints.
type verdict struct {
	Valid    bool
	Lower    *float64 `json:"lower_bound"`
	Upper    *float64 `json:"upper_bound"`
	Problems []string
}

// verified runs "mtt verify" in the folder of the test.
func verified(t *testing.T) (v verdict, status int) {
	t.Helper()
	var stdout, stderr strings.Builder
	status = run(t.Context(), []string{"mtt", "verify", "--format", "json"}, nil, &stdout, &stderr)
	if err := json.Unmarshal([]byte(stdout.String()), &v); err != nil {
		t.Fatalf("exit status %d, standard output %q: %v; standard error:\n%s", status, &stdout, err, &stderr)
	}
	return v, status
}

// trackedRun makes a run with misses and clutter in a folder of its own; args are
// options of "mtt track".
func trackedRun(t *testing.T, args string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for _, line := range []string{"mtt simulate --targets 10 --frames 9 --miss 0.1 --clutter 2", "mtt track " + args} {
		var stderr strings.Builder
		if status := run(t.Context(), strings.Fields(line), nil, io.Discard, &stderr); status != cli.ExitDone {
			t.Fatalf("%s: exit status %d: %s", line, status, &stderr)
		}
	}
}

// TestVerifyDamage changes bytes of each file, one after the other. In
// detections.csv and tracks.csv every change counts, in certificate.bin too.
func TestVerifyDamage(t *testing.T) {
	trackedRun(t, "")
	if v, status := verified(t); !v.Valid || status != cli.ExitDone {
		t.Fatalf("exit status %d: %+v", status, v)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range []string{runfolder.DetectionsFile, runfolder.TracksFile, runfolder.CertificateFile} {
		path := filepath.Join(runfolder.Default, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			bad := bytes.Clone(good)
			at := rng.IntN(len(bad))
			bad[at] ^= 1 << rng.IntN(7)
			if rng.IntN(10) == 0 {
				bad = bad[:at]
			}
			if err := os.WriteFile(path, bad, 0o666); err != nil {
				t.Fatal(err)
			}
			if v, status := verified(t); v.Valid || status != cli.ExitFailed && status != cli.ExitUsage || len(v.Problems) == 0 {
				t.Errorf("%s, byte %d: exit status %d: %+v", name, at, status, v)
			}
		}
		if err := os.WriteFile(path, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if v, status := verified(t); !v.Valid || status != cli.ExitDone {
		t.Errorf("put right again: exit status %d: %+v", status, v)
	}
}

// TestVerifyForgery writes certificates anew, with right checksums and one number
// changed: none gets away with a better bound or another cost.
func TestVerifyForgery(t *testing.T) {
	trackedRun(t, "--no-velocity") // coast nodes with priors
	path := filepath.Join(runfolder.Default, runfolder.CertificateFile)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	right, _ := verified(t)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		c, err := certificate.Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		what := forge(rng, c)
		var b bytes.Buffer
		if err := certificate.Write(&b, c); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		v, _ := verified(t)
		if v.Valid && (*v.Lower > *right.Lower+1e-9**right.Upper || math.Abs(*v.Upper-*right.Upper) > 1e-9**right.Upper) {
			t.Errorf("%s: bounds %v and %v pass for %v and %v", what, *v.Lower, *v.Upper, *right.Lower, *right.Upper)
		}
	}
}

// forge changes one multiplier, claim or choice of c, and says which.
func forge(rng *rand.Rand, c *certificate.Certificate) string {
	p := rng.IntN(len(c.Gaps))
	g := &c.Gaps[p]
	if rng.IntN(8) == 0 {
		c.Lower += 1e-3
		return "claim"
	}
	if i := rng.IntN(g.Rows); rng.IntN(4) == 0 {
		if g.Next[i]++; g.Next[i] >= int32(len(g.Col)) {
			g.Next[i] = -1
		}
		return fmt.Sprintf("gap %d: choice %d", p, i)
	}
	lists := [][]float64{g.U, g.V, g.Birth, g.Death, g.Price}
	k := rng.IntN(len(lists))
	if len(lists[k]) == 0 {
		return "nothing"
	}
	i := rng.IntN(len(lists[k]))
	lists[k][i] += rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-5))
	c.Lower += math.Abs(c.Lower) * 1e-10
	return fmt.Sprintf("gap %d: list %d: multiplier %d", p, k, i)
}

// TestCertificateScript compares with the checker in docs, written from the
// description of the format.
func TestCertificateScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	script, err := filepath.Abs("../../docs/certificate.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{"", "--no-velocity", "--engine dual-paper --cost trapezoid"} {
		trackedRun(t, args)
		out, err := exec.Command(python, script, filepath.Join(runfolder.Default, runfolder.CertificateFile)).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var lower, upper float64
		if _, err := fmt.Sscanf(string(out), "lower_bound %g\nupper_bound %g\n", &lower, &upper); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		v, _ := verified(t)
		if off := lower - *v.Lower; off < 0 || off > 1e-12*upper {
			t.Errorf("%s: lower bound %v, the script says %v", args, *v.Lower, lower)
		}
		if off := *v.Upper - upper; off < 0 || off > 1e-12*upper {
			t.Errorf("%s: upper bound %v, the script says %v", args, *v.Upper, upper)
		}
	}
}
