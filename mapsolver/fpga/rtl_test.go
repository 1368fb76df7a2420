package fpga

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"mtt/internal/nightly"
	"mtt/mapsolver/fpga/cycle"
)

// This file compares the hardware description with the model: every counter, price
// and owner.

// sources lists the files of the hardware description.
func sources(t *testing.T) []string {
	files, err := filepath.Glob(filepath.Join("rtl", "*.v"))
	if err != nil || len(files) == 0 {
		t.Fatal("no hardware description: ", err)
	}
	for i := range files {
		if files[i], err = filepath.Abs(files[i]); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// need skips the test where a tool is missing.
func need(t *testing.T, tools ...string) {
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not here: the hardware description is not simulated", tool)
		}
	}
}

// command runs a tool, at low priority.
func command(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// parameters are those of the top module for a design.
func parameters(d Design) map[string]int {
	d = d.defaults()
	flag := func(b bool) int {
		if b {
			return 0
		}
		return 1
	}
	return map[string]int{
		"NPE": d.PE, "W": d.RewardBits, "IW": d.IndexBits, "SW": d.StorageBits, "SPEC": flag(d.Stall), "SPARSE": flag(d.Dense),
	}
}

// verilate builds a simulation of a design by Verilator and starts it.
func verilate(t *testing.T, d Design, files []string) *Process {
	t.Helper()
	dir := t.TempDir()
	main, err := filepath.Abs(filepath.Join("rtl", "sim", "main.cpp"))
	if err != nil {
		t.Fatal(err)
	}
	command(t, "verilator", slices.Concat(options(d), []string{"--cc", "-O3", "--exe", main, "--Mdir", dir, "--build", "-j", "2"}, files)...)
	return start(t, filepath.Join(dir, "Vsas_top"))
}

// options are those of Verilator for a design.
func options(d Design) []string {
	args := []string{"-Wall", "-Wno-DECLFILENAME", "--top-module", "sas_top", "-Irtl"}
	for name, v := range parameters(d) {
		args = append(args, fmt.Sprintf("-G%s=%d", name, v))
	}
	return args
}

// start starts a simulation that ends with the test.
func start(t *testing.T, name string, args ...string) *Process {
	t.Helper()
	p, err := StartProcess(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("the simulation ends with %v", err)
		}
	})
	return p
}

// designs are compared: the first three by Icarus in every run, all by Icarus and Verilator at
// night. The third is small for SoA, the stalling dense predecessor.
var designs = []struct {
	name string
	Design
}{
	{"8 elements, 20 bits", Design{}},
	{"4 elements, 8 bits", Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 8}},
	{"4 elements, dense, no speculation", Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 10, Stall: true, Dense: true}},
	{"16 elements, 18 bits", Design{PE: 16, RewardBits: 18, IndexBits: 10, StorageBits: 12}},
	{"32 elements, 8 bits", Design{PE: 32, RewardBits: 8, IndexBits: 10, StorageBits: 11}},
	{"8 elements, no speculation", Design{RewardBits: 8, IndexBits: 10, Stall: true}},
	{"8 elements, dense, no speculation", Design{RewardBits: 8, IndexBits: 10, Stall: true, Dense: true}},
	{"8 elements, dense", Design{RewardBits: 8, IndexBits: 10, Dense: true}},
}

// compareLarge runs problems of more agents than 8 bits can name, as far as the
// design has indices for them. At 600 agents with 6 rewards each the way in,
// matrices in the published design, takes most of the time there.
func compareLarge(t *testing.T, d Design, sim *Process) {
	t.Helper()
	d = d.defaults()
	model, rtl := pair(t, d, sim)
	rng := rand.New(rand.NewPCG(600, 1))
	for _, n := range []int{257, 300, 600} {
		for _, k := range []int{6, 12} {
			if n >= 1<<d.IndexBits || d.Dense && n*n/d.PE > 1<<d.StorageBits || n*((k+d.PE-1)/d.PE) > 1<<d.StorageBits {
				continue
			}
			w := task{p: cycle.Random(rng, n, n, k, 255), opts: Options{Matrix: d.Dense}}
			if diff := w.differs(t.Context(), model, rtl, false); diff != "" {
				t.Errorf("%d agents: %s", n, diff)
			}
			var s cycle.State
			u, err := rtl.Run(t.Context(), &s, w.p, w.opts)
			t.Logf("%d agents, %d rewards: %d cycles, %d of the core, %v", n, k, u.Total, u.Core.Cycles, err)
		}
	}
}

// TestLint: Verilator warns of nothing.
func TestLint(t *testing.T) {
	need(t, "verilator")
	t.Parallel()
	for _, tt := range designs {
		if out := command(t, "verilator", slices.Concat(options(tt.Design), []string{"--lint-only"}, sources(t))...); len(out) > 0 {
			t.Errorf("%s: verilator warns:\n%s", tt.name, out)
		}
	}
}

func TestVerilator(t *testing.T) {
	need(t, "verilator", "make", "g++")
	if !nightly.Is() {
		t.Skip("building takes longer than by Icarus, running less: MTT_NIGHTLY=1")
	}
	t.Parallel()
	for _, tt := range designs {
		t.Run(tt.name, func(t *testing.T) {
			sim := verilate(t, tt.Design, sources(t))
			if err := compare(t, tt.Design, sim, 30_000); err != nil {
				t.Error(err)
			}
			compareLarge(t, tt.Design, sim)
			// A memory that stutters takes longer; nothing else changes unless bids
			// begin before everything is read.
			model, rtl := pair(t, tt.Design, sim)
			if err := sim.SetMemory(11, 12345); err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(9, 2))
			for range 50 {
				w := draw(rng, tt.Design.defaults(), 60)
				w.opts.Serial = true
				if diff := w.differs(t.Context(), model, rtl, true); diff != "" {
					t.Fatalf("memory that stutters: %s", diff)
				}
			}
		})
	}
}

// icarus builds a simulation of a design by Icarus and starts it.
func icarus(t *testing.T, d Design, files []string) *Process {
	t.Helper()
	vvp := filepath.Join(t.TempDir(), "bench.vvp")
	args := []string{"-g2005", "-Wall", "-Irtl", "-s", "bench", "-o", vvp}
	for name, v := range parameters(d) {
		args = append(args, fmt.Sprintf("-Pbench.%s=%d", name, v))
	}
	args = append(append(args, filepath.Join("rtl", "sim", "bench.v")), files...)
	if out := command(t, "iverilog", args...); len(out) > 0 {
		t.Errorf("iverilog warns:\n%s", out)
	}
	return start(t, "vvp", "-N", vvp)
}

func TestIcarus(t *testing.T) {
	need(t, "iverilog", "vvp")
	t.Parallel()
	for _, tt := range designs[:nightly.Or(3, len(designs))] {
		t.Run(tt.name, func(t *testing.T) {
			count := nightly.Or(25, 100)
			if tt.Stall || tt.IndexBits == 0 {
				count /= 5 // each takes five times as long
			}
			if err := compare(t, tt.Design, icarus(t, tt.Design, sources(t)), count); err != nil {
				t.Error(err)
			}
		})
	}
}
