package main

// This file has "mtt verify --recompute" make the costs of runs anew, and forges costs.

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"mtt/internal/certificate"
	"mtt/internal/cli"
	"mtt/internal/nightly"
	"mtt/internal/runfolder"
)

// TestRecompute makes the costs of all kinds of runs anew.
func TestRecompute(t *testing.T) {
	const unknown = "knows no way"
	tests := []struct{ options, not string }{
		{"", ""},
		{"--no-velocity", ""},
		{"--no-velocity --miss 0.1 --clutter 2 --births 0.5", ""},
		{"--dim 3 --miss 0.1", ""},
		{"--uneven 0.5 --miss 0.1", ""},
		{"--jitter 0.1 --miss 0.2 --no-velocity", ""},
		{"--motion walk --miss 0.1", ""},
		{"--scene walk --miss 0.1 --no-velocity", ""},
		{"--motion reverting --miss 0.1", ""},
		{"--motion swaying --no-velocity --miss 0.1", ""},
		{"--features 3 --feature-noise 0.1 --miss 0.1", ""},
		{"--classes 3 --confusion 0.1 --miss 0.1", ""},
		{"--engine dual-paper --cost nll", ""},
		{"--motion turn", unknown},
		{"--motion singer", unknown},
		{"--cost trapezoid", unknown},
		{"--cost paper", unknown},
		{"--sensor polar", unknown},
		{"--engine greedy", "no certificate"},
	}
	if testing.Short() {
		tests = tests[:4]
	}
	t.Chdir(t.TempDir())
	for _, tt := range tests {
		commands(t, "mtt run -o runs/latest --targets 8 --frames 9 "+tt.options)
		v, status := verified(t, "--recompute")
		if status != cli.ExitDone || !v.Valid {
			t.Errorf("%s: exit status %d: %+v", tt.options, status, v)
		}
		if tt.not != "" {
			if v.Recomputed > 0 || !strings.Contains(v.Not, tt.not) {
				t.Errorf("%s: %d costs recomputed, not %q, want %q", tt.options, v.Recomputed, v.Not, tt.not)
			}
		} else if v.Not != "" || v.Recomputed < v.Arcs+v.Triplets || v.Worst > 1e-9 {
			t.Errorf("%s: %+v", tt.options, v)
		}
	}
}

// TestRecomputeCovariances does so where each detection has a covariance of its own.
func TestRecomputeCovariances(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 1))
	for _, head := range []string{"frame,x,y,sxx,sxy,syy", "frame,x,y,vx,vy,sxx,sxy,syy,svxx,svxy,svyy"} {
		var b strings.Builder
		fmt.Fprintln(&b, head)
		state := make([][4]float64, 8)
		for i := range state {
			state[i] = [4]float64{40 * rng.Float64(), 40 * rng.Float64(), rng.NormFloat64(), rng.NormFloat64()}
		}
		for frame := range 10 {
			for i := range state {
				s := &state[i]
				s[0], s[1] = s[0]+s[2], s[1]+s[3]
				if rng.IntN(12) == 0 {
					continue
				}
				p, q, c := 0.05+0.3*rng.Float64(), 0.05+0.3*rng.Float64(), 1.4*rng.Float64()-0.7
				x, y := rng.NormFloat64(), rng.NormFloat64()
				fmt.Fprintf(&b, "%d,%v,%v", frame, s[0]+p*x, s[1]+q*(c*x+math.Sqrt(1-c*c)*y))
				if strings.Contains(head, "vx") {
					fmt.Fprintf(&b, ",%v,%v", s[2]+0.1*rng.NormFloat64(), s[3]+0.2*rng.NormFloat64())
				}
				fmt.Fprintf(&b, ",%v,%v,%v", p*p, c*p*q, q*q)
				if strings.Contains(head, "vx") {
					fmt.Fprint(&b, ",0.01,0.002,0.04")
				}
				fmt.Fprintln(&b)
			}
		}
		if err := os.WriteFile("own.csv", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		commands(t, "mtt import own.csv -o runs/latest", "mtt track")
		if v, status := verified(t, "--recompute"); status != cli.ExitDone || !v.Valid || v.Not != "" || v.Recomputed < v.Arcs+v.Triplets || v.Worst > 1e-9 {
			t.Errorf("%s: exit status %d: %+v", head, status, v)
		}
	}
}

// TestRecomputeBlur does so where positions are less precise in some of the scans.
func TestRecomputeBlur(t *testing.T) {
	t.Chdir(t.TempDir())
	rng := rand.New(rand.NewPCG(5, 2))
	var b strings.Builder
	fmt.Fprintln(&b, "frame,x,y")
	for range 20 {
		x, y, vx, vy := 100*rng.Float64(), 100*rng.Float64(), rng.NormFloat64(), rng.NormFloat64()
		for frame := range 30 {
			sigma := 0.2
			if frame%9 == 4 {
				sigma *= 10
			}
			fmt.Fprintf(&b, "%d,%v,%v\n", frame, x+sigma*rng.NormFloat64(), y+sigma*rng.NormFloat64())
			x, y, vx, vy = x+vx, y+vy, vx+0.05*rng.NormFloat64(), vy+0.05*rng.NormFloat64()
		}
	}
	if err := os.WriteFile("blurred.csv", []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	commands(t, "mtt import blurred.csv -o runs/latest", "mtt track")
	solved, err := os.ReadFile("runs/latest/solve.json")
	if err != nil || !strings.Contains(string(solved), `"noise_blur"`) || !strings.Contains(string(solved), `"blurred_scans":3`) {
		t.Errorf("solve.json has no three scans that are blurred: %v", err)
	}
	if v, status := verified(t, "--recompute"); status != cli.ExitDone || !v.Valid || v.Not != "" || v.Recomputed < v.Arcs+v.Triplets || v.Worst > 1e-9 {
		t.Errorf("exit status %d: %+v", status, v)
	}
}

// TestForgedCosts changes one cost at a time, of all kinds, and makes everything else fit: bounds,
// claims and all sums. Without --recompute this is a valid proof about other costs; with it the
// cost is found. MTT_TRIALS is the number of forgeries,
// MTT_TIME for how long, MTT_SEED says which.
func TestForgedCosts(t *testing.T) {
	t.Chdir(t.TempDir())
	commands(t, "mtt simulate --targets 6 --frames 7 --miss 0.1 --clutter 1 --no-velocity", "mtt track --no-refine")
	file, said := readRun(t, runfolder.CertificateFile), readRun(t, runfolder.SolveFile)
	trials, seed := nightly.Trials(nightly.Or(30, 2000)), nightly.Seed(15)
	rng := rand.New(rand.NewPCG(uint64(seed), 4))
	forged, passed := 0, 0
	for trial := range nightly.Start().Rounds(trials, 0, 1) {
		forged++
		c, err := certificate.Read(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		g := &c.Gaps[rng.IntN(len(c.Gaps))]
		lists := [][]float64{g.Cost, g.RowMiss, g.ColMiss, g.D}
		k := rng.IntN(len(lists))
		if len(lists[k]) == 0 {
			continue
		}
		at := rng.IntN(len(lists[k]))
		old := lists[k][at]
		if math.IsInf(old, 1) {
			continue
		}
		lists[k][at] += rng.NormFloat64() * math.Pow(10, -4*rng.Float64()) * (1 + math.Abs(old)) // 1e-4 and more, mostly
		if math.Abs(lists[k][at]-old) < 1e-5*(1+math.Abs(old)) {
			continue
		}
		problem := certificate.NewProblemSum(c.Detections, c.Frames)
		for p := range c.Gaps {
			problem.Add(&c.Gaps[p])
		}
		costs := problem.Sum()
		// What "mtt verify" proves is what the forger claims.
		c.Lower, c.Upper = -1e9, 0
		claim := func() {
			var b bytes.Buffer
			if err := certificate.Write(&b, c); err != nil {
				t.Fatal(err)
			}
			writeRun(t, runfolder.CertificateFile, b.Bytes())
			var m map[string]any
			if err := json.Unmarshal(said, &m); err != nil {
				t.Fatal(err)
			}
			sums := m["sha256"].(map[string]any)
			sums["costs"], sums["certificate"] = fmt.Sprintf("%x", costs), fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
			m["status"], m["proof"] = "stalled", "prices"
			m["lower_bound"], m["certified_bound"], m["upper_bound"], m["gap_percent"] = c.Lower, c.Lower, c.Upper, 100*(c.Upper-c.Lower)/math.Abs(c.Upper)
			text, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			writeRun(t, runfolder.SolveFile, text)
		}
		c.Upper = 1
		claim()
		v, _ := verified(t)
		if v.Lower == nil || v.Upper == nil { // the assignment uses what is forbidden now
			continue
		}
		c.Lower, c.Upper = *v.Lower, *v.Upper
		claim()
		if v, _ := verified(t); v.Valid {
			passed++
		}
		if v, status := verified(t, "--recompute"); v.Valid || status == cli.ExitDone || !strings.Contains(strings.Join(v.Problems, "\n"), "made anew") {
			t.Errorf("trial %d: a cost of %v in the place of %v passes: exit status %d, %+v", trial, lists[k][at], old, status, v)
		}
	}
	t.Logf("seed %d: %d forgeries, %d of them valid where costs are not made anew", seed, forged, passed)
	if passed < forged/2 {
		t.Errorf("%d of %d forgeries are good enough to be a test", passed, trials)
	}
}

// TestRecomputeVelocityMap does so where velocities are read through a map, as they are in km/h,
// with covariances and without.
func TestRecomputeVelocityMap(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, own := range []string{"", ",svxx,svxy,svyy"} {
		rng := rand.New(rand.NewPCG(7, 1))
		var b strings.Builder
		fmt.Fprintln(&b, "frame,x,y,vx,vy"+own)
		state := make([][4]float64, 25)
		for i := range state {
			state[i] = [4]float64{80 * rng.Float64(), 80 * rng.Float64(), 3 * rng.NormFloat64(), 3 * rng.NormFloat64()}
		}
		for frame := range 20 {
			for i := range state {
				s := &state[i]
				s[0], s[1] = s[0]+s[2], s[1]+s[3]
				if rng.IntN(12) == 0 {
					continue
				}
				fmt.Fprintf(&b, "%d,%v,%v,%v,%v", frame, s[0]+0.1*rng.NormFloat64(), s[1]+0.1*rng.NormFloat64(), 3.6*(s[2]+0.1*rng.NormFloat64()), 3.6*(s[3]+0.1*rng.NormFloat64()))
				if own != "" {
					fmt.Fprint(&b, ",0.13,0.01,0.13")
				}
				fmt.Fprintln(&b)
			}
		}
		if err := os.WriteFile("kmh.csv", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		commands(t, "mtt import kmh.csv -o runs/latest", "mtt track")
		solved, err := os.ReadFile("runs/latest/solve.json")
		if err != nil || !strings.Contains(string(solved), "velocity_map") {
			t.Fatalf("solve.json has no map of velocities; %v", err)
		}
		if v, status := verified(t, "--recompute"); status != cli.ExitDone || !v.Valid || v.Not != "" || v.Recomputed < v.Arcs+v.Triplets || v.Worst > 1e-9 {
			t.Errorf("columns %q: exit status %d: %+v", own, status, v)
		}
	}
}
