package fpga

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mtt/mapsolver"
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
	args := []string{"-Wall", "-Wno-DECLFILENAME", "--cc", "-O3", "--exe", main, "--top-module", "sas_top",
		"-I" + filepath.Dir(filepath.Dir(main)), "--Mdir", dir, "--build", "-j", "2"}
	if os.Getenv("MTT_NIGHTLY") == "" { // what is built runs for a second
		args = append(args, "-MAKEFLAGS", "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O0")
	}
	for name, v := range parameters(d) {
		args = append(args, fmt.Sprintf("-G%s=%d", name, v))
	}
	command(t, "verilator", append(args, files...)...)
	return start(t, filepath.Join(dir, "Vsas_top"))
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

// nightly is few, or many with MTT_NIGHTLY=1.
func nightly(few, many int) int {
	if os.Getenv("MTT_NIGHTLY") != "" {
		return many
	}
	return few
}

// A task is a problem for a device, its start and its options.
type task struct {
	p    *cycle.Problem
	s    cycle.State
	opts Options
}

// draw makes a task: mostly small, of all shapes and densities, with ties, empty rows,
// full rows, starts from a state, limits and large raises among them.
func draw(rng *rand.Rand, d Design) task {
	most := min(1<<d.IndexBits-1, 60)
	n, m := rng.IntN(most+1), 1+rng.IntN(most)
	k := rng.IntN(m + 1)
	if rng.IntN(3) == 0 {
		k = min(m, d.PE*(1+rng.IntN(3))) // full words
	}
	top := []uint32{1, 3, 255, 1<<d.RewardBits - 1}[rng.IntN(4)]
	k = min(k, (1<<d.StorageBits-1)*d.PE/max(n, 1)/2)
	w := task{p: cycle.Random(rng, n, m, k, top)}
	if rng.IntN(4) == 0 { // one object that all want
		for a := range n {
			if lo := w.p.Ptr[a]; lo < w.p.Ptr[a+1] {
				w.p.Object[lo] = 0
				w.p.Reward[lo] = top
			}
		}
	}
	w.opts = Options{Serial: rng.IntN(2) == 0, Matrix: d.Dense || rng.IntN(4) == 0}
	if rng.IntN(6) == 0 {
		w.opts.Epsilon = 1 + rng.Uint32N(2*top)
	}
	if rng.IntN(8) == 0 {
		w.opts.Limit = 1 + rng.IntN(400)
	}
	if !w.opts.Matrix && n > 0 && rng.IntN(4) == 0 {
		w.p.Idle = make([]bool, n)
		w.s.Reset(m)
		for j := range m {
			w.s.Price[j] = rng.Uint32N(top + 1)
			if a := rng.IntN(n); !w.p.Idle[a] && rng.IntN(2) == 0 {
				w.p.Idle[a], w.s.Owner[j] = true, int32(a)
			}
		}
	}
	return w
}

// clone is a copy of the start.
func (w *task) clone() cycle.State {
	return cycle.State{Price: slices.Clone(w.s.Price), Owner: slices.Clone(w.s.Owner)}
}

// differs says how two devices differ on a task; times are left out when untimed.
func (w *task) differs(ctx context.Context, a, b *Device, untimed bool) string {
	sa, sb := w.clone(), w.clone()
	ua, ea := a.Run(ctx, &sa, w.p, w.opts)
	ub, eb := b.Run(ctx, &sb, w.p, w.opts)
	if untimed {
		ua.Load, ua.Store, ua.Total = ub.Load, ub.Store, ub.Total
	}
	switch {
	case fmt.Sprint(ea) != fmt.Sprint(eb):
		return fmt.Sprintf("%v, %v", ea, eb)
	case ua != ub:
		return fmt.Sprintf("%+v, %+v", ua, ub)
	case !slices.Equal(sa.Price, sb.Price):
		return fmt.Sprintf("prices %v, %v", sa.Price, sb.Price)
	case !slices.Equal(sa.Owner, sb.Owner):
		return fmt.Sprintf("owners %v, %v", sa.Owner, sb.Owner)
	}
	return ""
}

// pair opens a model of a design and the simulation of it.
func pair(t *testing.T, d Design, sim *Process) (model, rtl *Device) {
	t.Helper()
	const latency = 11
	if err := sim.SetMemory(latency, 0); err != nil {
		t.Fatal(err)
	}
	model, err := OpenDevice(NewModel(d, latency))
	if err != nil {
		t.Fatal(err)
	}
	if rtl, err = OpenDevice(sim); err != nil {
		t.Fatal(err)
	}
	if model.Design() != rtl.Design() {
		t.Fatalf("the model is of %+v, the simulation of %+v", model.Design(), rtl.Design())
	}
	return model, rtl
}

// compare runs tasks on the model and the simulation, one after the other without a
// reset, and reports the first difference.
func compare(ctx context.Context, t *testing.T, d Design, sim *Process, count int) error {
	t.Helper()
	d = d.defaults()
	model, rtl := pair(t, d, sim)
	rng := rand.New(rand.NewPCG(uint64(d.PE), uint64(d.RewardBits)))
	var sum Usage
	for i := range count {
		w := draw(rng, d)
		if diff := w.differs(ctx, model, rtl, false); diff != "" {
			return fmt.Errorf("problem %d, %d agents, %d objects, %+v, start %v: %s", i, w.p.Agents(), w.p.Objects, w.opts, len(w.s.Price) > 0, diff)
		}
		s := w.clone()
		u, _ := model.Run(ctx, &s, w.p, w.opts)
		sum.Add(u)
	}
	t.Logf("%d problems are equal: %+v", count, sum)
	return nil
}

// designs are compared: the first by Verilator and the second by Icarus in every run,
// all by both at night.
var designs = []struct {
	name string
	Design
}{
	{"8 elements, 20 bits", Design{}},
	{"4 elements, 8 bits", Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 8}},
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

func TestVerilator(t *testing.T) {
	need(t, "verilator", "make", "g++")
	for _, tt := range designs[:nightly(1, len(designs))] {
		t.Run(tt.name, func(t *testing.T) {
			sim := verilate(t, tt.Design, sources(t))
			if err := compare(t.Context(), t, tt.Design, sim, nightly(500, 30_000)); err != nil {
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
				w := draw(rng, tt.Design.defaults())
				w.opts.Serial = true
				if diff := w.differs(t.Context(), model, rtl, true); diff != "" {
					t.Fatalf("memory that stutters: %s", diff)
				}
			}
		})
	}
}

// TestErrors wants error codes that are the same, and a machine that is as new
// after them.
func TestErrors(t *testing.T) {
	need(t, "iverilog", "vvp")
	d := Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 5}
	sim := icarus(t, d, sources(t))
	model, rtl := pair(t, d, sim)
	rng := rand.New(rand.NewPCG(9, 1))
	good := func() {
		t.Helper()
		w := draw(rng, d.defaults())
		if diff := w.differs(t.Context(), model, rtl, false); diff != "" {
			t.Errorf("after an error: %s", diff)
		}
	}
	large := cycle.Random(rng, 63, 40, 8, 255)
	if s := (&task{p: large}).differs(t.Context(), model, rtl, false); s != "" {
		t.Error(s)
	}
	good()
	last := uint64(lastWord)
	write := func(bus Bus, words []uint64, set map[Register]uint32) (code uint32) {
		regs := map[Register]uint32{
			RegResultLow: 1024, RegInputLow: 0, RegInputHigh: 0, RegResultHigh: 0, RegObjects: 3, RegAgents: 2,
			RegWords: uint32(len(words)), RegMode: ModeStream, RegEpsilon: 0, RegLimit: 0,
		}
		for r, v := range set {
			regs[r] = v
		}
		err := bus.WriteMemory(0, words)
		for r, v := range regs {
			err = errors.Join(err, bus.WriteRegister(r, v))
		}
		err = errors.Join(err, bus.WriteRegister(RegStart, 1), bus.WriteRegister(RegStart, 0), bus.Wait(t.Context()))
		code, e := bus.ReadRegister(RegError)
		if err = errors.Join(err, e); err != nil {
			t.Fatal(err)
		}
		return code
	}
	entry := func(object, reward uint64) uint64 { return object<<8 | reward }
	fine := []uint64{last | entry(0, 1), last | entry(2, 7)}
	many := slices.Repeat([]uint64{entry(0, 1) | entry(1, 1)<<secondAt}, 80)
	tests := []struct {
		name  string
		words []uint64
		set   map[Register]uint32
		want  ErrorCode
	}{
		{"nothing wrong", fine, nil, ErrorNone},
		{"result not aligned", fine, map[Register]uint32{RegResultLow: 1032}, ErrorAddress},
		{"input not aligned", fine, map[Register]uint32{RegInputLow: 8}, ErrorAddress},
		{"input too high", fine, map[Register]uint32{RegInputHigh: 1}, ErrorAddress},
		{"too many objects", fine, map[Register]uint32{RegObjects: 64}, ErrorSize},
		{"too many agents", fine, map[Register]uint32{RegAgents: 64}, ErrorSize},
		{"no objects", fine, map[Register]uint32{RegObjects: 0}, ErrorSize},
		{"an object that is not there", []uint64{last | entry(0, 1), last | entry(3, 7)}, nil, ErrorEntry},
		{"second entry", []uint64{last | entry(3, 1)<<secondAt | entry(0, 1), last}, nil, ErrorEntry},
		{"no such object, no reward", []uint64{last | entry(3, 0) | entry(0, 1)<<secondAt, last}, nil, ErrorNone},
		{"too few words", fine[:1], nil, ErrorLength},
		{"no words", nil, nil, ErrorLength},
		{"no end", []uint64{last | entry(0, 1), entry(2, 7)}, nil, ErrorLength},
		{"an empty row without an end", []uint64{last | entry(0, 1), 0}, nil, ErrorLength},
		{"too many words", append(slices.Clone(fine), last), nil, ErrorLength},
		{"too many words, and overlap", append(slices.Clone(fine), last), map[Register]uint32{RegMode: ModeStream | ModeOverlap}, ErrorLength},
		{"storage", append(many, last), map[Register]uint32{RegAgents: 1}, ErrorStorage},
		{"warm matrix", make([]uint64, 6), map[Register]uint32{RegMode: ModeWarm}, ErrorMode},
		{"matrix", []uint64{1, 0, 2, 3, 0, 0}, map[Register]uint32{RegMode: 0}, ErrorNone},
		{"short matrix", []uint64{1, 0, 2, 3, 0}, map[Register]uint32{RegMode: 0}, ErrorLength},
		{"long matrix", []uint64{1, 0, 2, 3, 0, 0, 1}, map[Register]uint32{RegMode: 0}, ErrorLength},
		{"limit", fine, map[Register]uint32{RegLimit: 1}, ErrorLimit},
	}
	for _, tt := range tests {
		a, b := write(model.bus, tt.words, tt.set), write(rtl.bus, tt.words, tt.set)
		if a != uint32(tt.want) || b != uint32(tt.want) {
			t.Errorf("%s: error %d of the model, %d of the simulation, want %d", tt.name, a, b, tt.want)
		}
		good()
	}
	if got := write(rtl.bus, fine, map[Register]uint32{RegInputLow: 0x7fffffc0}); got != uint32(ErrorTransfer) {
		t.Errorf("no memory there: error %d, want %d", got, ErrorTransfer)
	}
	good()
	if err := errors.Join(model.Reset(), rtl.Reset()); err != nil {
		t.Fatal(err)
	}
	good()
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
	first := nightly(1, 0) // the small one, or all
	for _, tt := range designs[first:nightly(2, len(designs))] {
		t.Run(tt.name, func(t *testing.T) {
			if err := compare(t.Context(), t, tt.Design, icarus(t, tt.Design, sources(t)), 100); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSolverOnSimulation drives the hardware description with the solver: the same
// answers and the same report as with the model.
func TestSolverOnSimulation(t *testing.T) {
	need(t, "iverilog", "vvp")
	d := Design{PE: 4, RewardBits: 18, IndexBits: 8, StorageBits: 8}
	sim := icarus(t, d, sources(t))
	if err := sim.SetMemory(32, 0); err != nil {
		t.Fatal(err)
	}
	a, b := &Solver{Bus: NewModel(d, 32)}, &Solver{Bus: sim}
	rng := rand.New(rand.NewPCG(10, 1))
	var list []mapsolver.Problem
	var sa, sb mapsolver.Solution
	for range 20 {
		p := integers(rng, 1+rng.IntN(12), 1+rng.IntN(12), 255)
		list = append(list, *p)
		for _, warm := range []*mapsolver.Duals{nil, &sa.Duals} {
			if warm != nil {
				p.Cost[0] += 3
			}
			ea := a.Solve(t.Context(), &sa, p, warm)
			if warm != nil {
				warm = &sb.Duals
			}
			if eb := b.Solve(t.Context(), &sb, p, warm); ea != nil || eb != nil || !slices.Equal(sa.ColOf, sb.ColOf) || !slices.Equal(sa.V, sb.V) {
				t.Fatalf("%v, %v with the model, %v, %v with the simulation", ea, sa, eb, sb)
			}
		}
	}
	for _, s := range []*Solver{a, b} {
		if err := s.SolveBatch(t.Context(), make([]mapsolver.Solution, len(list)), list); err != nil {
			t.Fatal(err)
		}
	}
	if a.Report() != b.Report() {
		t.Errorf("%+v with the model, %+v with the simulation", a.Report(), b.Report())
	}
}

// mutations are changes of the hardware description that the comparison must find:
// each path that forwards what is being written, and what else is easily left out.
var mutations = []struct{ name, file, from, to string }{
	{"price, written while it is looked at", "sas_core.v", "c_we && c_object == object ? c_price :", "1'b0 ? c_price :"},
	{"price, written while it is read", "sas_core.v", "c1_we && c1_object == object ? c1_price :", "1'b0 ? c1_price :"},
	{"price of the commit", "sas_core.v", "c_same ? c1_price :", "1'b0 ? c1_price :"},
	{"owner of the commit", "sas_core.v", "c_same ? c1_agent :", "1'b0 ? c1_agent :"},
	{"that there is an owner", "sas_core.v", "c_same ? c1_valid :", "1'b0 ? c1_valid :"},
	{"head of the queue", "sas_core.v", "push && q_write == q_next;", "1'b0;"},
	{"owner who is outbid before his row is there", "sas_core.v", "waiting != 0 && queue_head < turn", "waiting != 0"},
	{"an agent without rewards is on no way", "sas_core.v", "- {5'd0, s1_leave} -", "-"},
	{"equal benefits", "sas_better.v", "a1 >= b1", "a1 > b1"},
	{"equal prices", "sas_core.v", "c_bid > c_now", "c_bid >= c_now"},
	{"words of an agent", "sas_core.v", "v_first[LG] ? root : merged", "root"},
	{"clearing the state", "sas_top.v", "warm_we || store_taken ||", "warm_we ||"},
	{"full rows", "sas_loader.v", "full || last && filled != 0", "full || last"},
	{"least raise", "sas_core.v", "epsilon == 0 ? 32'd1 : epsilon", "32'd1"},
	{"a raise above the reward", "sas_core.v", "wanted > {{(32-W){1'b0}}, b_best}", "1'b0"},
}

// TestMutations wants each mutation to differ from the model.
func TestMutations(t *testing.T) {
	need(t, "iverilog", "vvp")
	d := Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 8}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			files := sources(t)
			i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == m.file })
			text, err := os.ReadFile(files[i])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), m.from) != 1 {
				t.Fatalf("%s has %q %d times, want once", m.file, m.from, strings.Count(string(text), m.from))
			}
			files[i] = filepath.Join(t.TempDir(), m.file)
			if err := os.WriteFile(files[i], []byte(strings.Replace(string(text), m.from, m.to, 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second) // it may never finish
			defer cancel()
			err = compare(ctx, t, d, icarus(t, d, files), 300)
			if err == nil {
				t.Error("no difference from the model")
			}
		})
	}
}
