package fpga

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/mapsolver"
	"mtt/mapsolver/fpga/cycle"
)

// This file tests what the hardware description does when something is wrong, and
// that the solver can drive it.

// TestErrors wants error codes that are the same, and a machine that is as new
// after them.
func TestErrors(t *testing.T) {
	need(t, "iverilog", "vvp")
	t.Parallel()
	d := Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 5}
	sim := icarus(t, d, sources(t))
	model, rtl := pair(t, d, sim)
	rng := rand.New(rand.NewPCG(9, 1))
	good := func() {
		t.Helper()
		w := draw(rng, d.defaults(), 20)
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
		err = errors.Join(err, bus.WriteRegister(RegStart, 0), bus.WriteRegister(RegStart, 1), bus.Wait(t.Context()))
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

	// A reset may come at any time, and after a context that has ended.
	if err := errors.Join(model.Reset(), rtl.Reset()); err != nil {
		t.Fatal(err)
	}
	good()
	for cycles := 0; cycles < 400; cycles += 13 {
		w := draw(rng, d.defaults(), 20)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := w.clone()
		if _, err := rtl.Run(&endless{ctx, sim, cycles}, &s, w.p, w.opts); !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want the context's", err)
		}
		good()
	}
}

// endless is a context that ends, but not before the simulation has run for a number of
// cycles.
type endless struct {
	context.Context
	sim    *Process
	cycles int
}

func (e *endless) Err() error {
	e.sim.say("i %d", e.cycles)
	if _, err := e.sim.ask(); err != nil {
		return err
	}
	return e.Context.Err()
}

// TestSolverOnSimulation drives the hardware description with the solver: the same
// answers and the same report as with the model.
func TestSolverOnSimulation(t *testing.T) {
	need(t, "iverilog", "vvp")
	t.Parallel()
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
		if err := s.SolveBatch(t.Context(), make([]mapsolver.Solution, len(list)), list, nil); err != nil {
			t.Fatal(err)
		}
	}
	if a.Report() != b.Report() {
		t.Errorf("%+v with the model, %+v with the simulation", a.Report(), b.Report())
	}
}
