package main

// This file damages the files of a run and wants "mtt verify" to find out.

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/nightly"
	"mtt/internal/runfolder"
)

// verdict is what "mtt verify --format json" prints.
type verdict struct {
	Valid    bool
	Lower    *float64 `json:"lower_bound"`
	Upper    *float64 `json:"upper_bound"`
	Arcs     int
	Triplets int
	Problems []string
	Unproved []string

	// With --recompute.
	Recomputed int
	Worst      float64 `json:"recomputed_worst"`
	Not        string  `json:"not_recomputed"`
}

// verified runs "mtt verify" with options in the folder of the test.
func verified(t *testing.T, options ...string) (v verdict, status int) {
	t.Helper()
	var stdout, stderr strings.Builder
	status = run(t.Context(), append([]string{"mtt", "verify", "--format", "json"}, options...), nil, &stdout, &stderr)
	if err := json.Unmarshal([]byte(stdout.String()), &v); err != nil {
		t.Fatalf("exit status %d, standard output %q: %v; standard error:\n%s", status, &stdout, err, &stderr)
	}
	return v, status
}

// readRun reads a file of the run in the folder of the test.
func readRun(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(runfolder.Default, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// writeRun replaces a file of it.
func writeRun(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(runfolder.Default, name), b, 0o666); err != nil {
		t.Fatal(err)
	}
}

// trackedRun makes a run with misses and clutter in a folder of its own; args are
// options of "mtt track".
func trackedRun(t *testing.T, args string) {
	t.Helper()
	t.Chdir(t.TempDir())
	commands(t, "mtt simulate --targets 10 --frames 9 --miss 0.1 --clutter 2", "mtt track "+args)
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
		good := readRun(t, name)
		for range 50 {
			bad := bytes.Clone(good)
			at := rng.IntN(len(bad))
			bad[at] ^= 1 << rng.IntN(7)
			if rng.IntN(10) == 0 {
				bad = bad[:at]
			}
			writeRun(t, name, bad)
			if v, status := verified(t); v.Valid || status != cli.ExitFailed && status != cli.ExitUsage || len(v.Problems) == 0 {
				t.Errorf("%s, byte %d: exit status %d: %+v", name, at, status, v)
			}
		}
		writeRun(t, name, good)
	}
	if v, status := verified(t); !v.Valid || status != cli.ExitDone {
		t.Errorf("put right again: exit status %d: %+v", status, v)
	}
}

// TestBranching wants both outputs to say which bound is which: what search ruled out is not in the
// certificate, so the bound of mtt track that rests on it is called so there and unproved by mtt
// verify, and the bound that the certificate proves is printed by both and is the same. Runs
// without search have one bound.
func TestBranching(t *testing.T) {
	t.Chdir(t.TempDir())
	printed := func(args ...string) string {
		var stdout, stderr strings.Builder
		if status := run(t.Context(), append([]string{"mtt"}, args...), nil, &stdout, &stderr); status != cli.ExitDone {
			t.Fatalf("%v: exit status %d: %s", args, status, &stderr)
		}
		return stdout.String()
	}
	branched, seeds := 0, nightly.Or(2, 90)
	for seed := range seeds {
		commands(t, fmt.Sprintf("mtt simulate --scene steer --targets 25 --frames 8 --no-velocity --miss 0.2 --clutter 18 --quiet --seed %d", seed+1))
		told := printed("track", "--no-refine", "--no-report", "--quiet")
		var solve struct {
			Proof     string
			Lower     float64 `json:"lower_bound"`
			Certified float64 `json:"certified_bound"`
			Upper     float64 `json:"upper_bound"`
		}
		if err := json.Unmarshal(readRun(t, runfolder.SolveFile), &solve); err != nil {
			t.Fatal(err)
		}
		v, _ := verified(t)
		tolerance := 1e-9 * math.Abs(solve.Upper)
		search := solve.Proof == "search"
		switch {
		case !v.Valid || v.Lower == nil || math.Abs(*v.Lower-solve.Certified) > tolerance:
			t.Errorf("seed %d: %+v; the certified bound is %v", seed, v, solve.Certified)
		case search != (solve.Lower-solve.Certified > tolerance) || search != (len(v.Unproved) > 0):
			t.Errorf("seed %d: proof %q of %v, certified %v; unproved %q", seed, solve.Proof, solve.Lower, solve.Certified, v.Unproved)
		case search != strings.Contains(told, "by search; certified bound is what certificate.bin proves") || search != strings.Contains(told, "certified bound  "):
			t.Errorf("seed %d: %s", seed, told)
		case search != strings.Contains(printed("verify", "--quiet"), "what certificate.bin proves; for what search ruled out, see unproved"):
			t.Errorf("seed %d: verify does not say it, or says it without need", seed)
		}
		if search {
			branched++
			if !strings.Contains(strings.Join(v.Unproved, " "), "lower_bound") {
				t.Errorf("seed %d: unproved %q does not name the bound", seed, v.Unproved)
			}
		}
	}
	t.Logf("%d of %d runs branch", branched, seeds)
	if least := nightly.Or(1, 20); branched < least || branched == seeds {
		t.Errorf("%d of %d runs branch, want %d or more, and some that do not", branched, seeds, least)
	}
}

// TestVerifyForgery writes certificates anew, with right checksums and one number
// changed: none gets away with a better bound or another cost.
func TestVerifyForgery(t *testing.T) {
	trackedRun(t, "--no-velocity") // coast nodes with priors
	file := readRun(t, runfolder.CertificateFile)
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
		writeRun(t, runfolder.CertificateFile, b.Bytes())
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
		var costs string
		if _, err := fmt.Sscanf(string(out), "lower_bound %g\nupper_bound %g\ncosts_sha256 %s\n", &lower, &upper, &costs); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if text, err := os.ReadFile(filepath.Join(runfolder.Default, runfolder.SolveFile)); err != nil || !strings.Contains(string(text), `"costs":"`+costs+`"`) {
			t.Errorf("%s: the script's sum of the costs, %s, is not that of solve.json: %v", args, costs, err)
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

// TestDirectedForgeries forges what reviewers have forged, with all sums made to fit that a
// forger would think of.
func TestDirectedForgeries(t *testing.T) {
	t.Chdir(t.TempDir())
	commands(t, "mtt simulate --targets 20 --frames 12 --spread 0.3 --noise 0.8 --velocity-noise 1", "mtt track --max-rounds 1 --gap 50")
	files := map[string][]byte{}
	for _, name := range []string{runfolder.SolveFile, runfolder.CertificateFile, runfolder.TracksFile} {
		files[name] = readRun(t, name)
	}
	solve := func(change func(m map[string]any)) {
		var m map[string]any
		if err := json.Unmarshal(readRun(t, runfolder.SolveFile), &m); err != nil {
			t.Fatal(err)
		}
		change(m)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		writeRun(t, runfolder.SolveFile, b)
	}
	sum := func(name string) string { return fmt.Sprintf("%x", sha256.Sum256(readRun(t, name))) }
	certify := func(change func(c *certificate.Certificate)) {
		c, err := certificate.Read(bytes.NewReader(readRun(t, runfolder.CertificateFile)))
		if err != nil {
			t.Fatal(err)
		}
		change(c)
		var b bytes.Buffer
		if err := certificate.Write(&b, c); err != nil {
			t.Fatal(err)
		}
		writeRun(t, runfolder.CertificateFile, b.Bytes())
		if _, err := os.Stat(filepath.Join(runfolder.Default, runfolder.SolveFile)); err == nil {
			solve(func(m map[string]any) { m["sha256"].(map[string]any)["certificate"] = sum(runfolder.CertificateFile) })
		}
	}
	remove := func(name string) {
		if err := os.Remove(filepath.Join(runfolder.Default, name)); err != nil {
			t.Fatal(err)
		}
	}
	optimal := func(m map[string]any) {
		m["status"], m["lower_bound"], m["certified_bound"], m["gap_percent"], m["proof"] = "optimal", m["upper_bound"], m["upper_bound"], 0, "prices"
	}
	cancelling := func(m float64) func() {
		return func() {
			certify(func(c *certificate.Certificate) {
				for _, list := range [][]float64{c.Gaps[0].U, c.Gaps[0].Birth, c.Gaps[0].Price} {
					for i := range list {
						list[i] += m
					}
				}
				c.Lower = c.Upper
			})
			solve(optimal)
		}
	}
	noTracks := func() {
		head, _, _ := bytes.Cut(files[runfolder.TracksFile], []byte("\n"))
		writeRun(t, runfolder.TracksFile, append(head, '\n'))
		certify(func(c *certificate.Certificate) {
			c.Refined = true
			c.Tracks = sha256.Sum256(readRun(t, runfolder.TracksFile))
		})
		solve(func(m map[string]any) { m["sha256"].(map[string]any)["tracks"] = sum(runfolder.TracksFile) })
	}
	zero := func(c *certificate.Certificate) {
		c.Lower, c.Upper = 0, 0
		for p := range c.Gaps {
			g := &c.Gaps[p]
			for _, list := range [][]float64{g.Cost, g.RowMiss, g.ColMiss, g.D, g.U, g.V, g.Birth, g.Death, g.Price} {
				clear(list)
			}
		}
	}
	tests := []struct {
		name  string
		forge func()
		want  string
	}{
		{"V1 headline", func() { solve(optimal) }, "the multipliers prove"},
		{"V1 lower bound only", func() { solve(func(m map[string]any) { m["lower_bound"] = m["upper_bound"] }) }, "solve.json"},
		{"V1 counts", func() { solve(func(m map[string]any) { m["arcs"] = 1 }) }, "solve.json says 1 arcs"},
		{"V1 status", func() { solve(func(m map[string]any) { m["status"] = "optimal" }) }, "solve.json says optimal"},
		{"V2 1e12", cancelling(1e12), "the multipliers prove"},
		{"V2 2.5e289", cancelling(2.5e289), "the multipliers prove"},
		{"V3 costs of 0", func() { remove(runfolder.SolveFile); certify(zero) }, "solve.json is not there"},
		{"V3 costs of 0 and claims that fit", func() {
			certify(zero)
			solve(func(m map[string]any) { m["upper_bound"] = 0; optimal(m) })
		}, "the costs in certificate.bin"},
		{"V4 no tracks", noTracks, "solve.json says"},
		{"V5 nothing", func() { remove(runfolder.SolveFile); remove(runfolder.CertificateFile) }, "nothing says how tracks.csv was made"},
		{"V5 no certificate", func() { remove(runfolder.CertificateFile) }, "which is not there"},
		{"V5 no certificate and no bound", func() {
			remove(runfolder.CertificateFile)
			solve(func(m map[string]any) {
				delete(m, "lower_bound")
				delete(m, "certified_bound")
				delete(m, "gap_percent")
				m["proof"], m["status"] = "", "heuristic"
			})
		}, "which is not there"},
	}
	if v, _ := verified(t); !v.Valid || *v.Lower > 0.999**v.Upper {
		t.Fatalf("the run to forge is %+v; it should have a gap", v)
	}
	for _, tt := range tests {
		for name, text := range files {
			writeRun(t, name, text)
		}
		tt.forge()
		v, status := verified(t)
		if v.Valid || status == cli.ExitDone || !strings.Contains(strings.Join(v.Problems, "\n"), tt.want) {
			t.Errorf("%s: exit status %d, problems %q, want one with %q", tt.name, status, v.Problems, tt.want)
		}
	}
}
