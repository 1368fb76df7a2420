package fpga

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/mapsolver/fpga/cycle"
)

// This file draws problems and compares two devices on them.

// A task is a problem for a device, its start and its options.
type task struct {
	p    *cycle.Problem
	s    cycle.State
	opts Options
}

// draw makes a task of at most most agents and objects: of all shapes and densities, with
// ties, empty rows, full rows, starts from a state, limits and large raises among them.
func draw(rng *rand.Rand, d Design, most int) task {
	most = min(1<<d.IndexBits-1, most)
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
// reset, and reports the first difference. The simulation hangs when it takes a
// thousand cycles more than twice those of the model, besides those in which it clears its
// tables after a reset.
func compare(t *testing.T, d Design, sim *Process, count int) error {
	t.Helper()
	d = d.defaults()
	model, rtl := pair(t, d, sim)
	rng := rand.New(rand.NewPCG(uint64(d.PE), uint64(d.RewardBits)))
	var sum Usage
	for i := range count {
		w := draw(rng, d, 60)
		s := w.clone()
		u, _ := model.Run(t.Context(), &s, w.p, w.opts)
		sum.Add(u)
		sim.MaxCycles = 2*u.Total + 1000 + 1<<d.IndexBits
		if diff := w.differs(t.Context(), model, rtl, false); diff != "" {
			return fmt.Errorf("problem %d, %d agents, %d objects, %+v, start %v: %s", i, w.p.Agents(), w.p.Objects, w.opts, len(w.s.Price) > 0, diff)
		}
	}
	sim.MaxCycles = 0
	t.Logf("%d problems are equal: %+v", count, sum)
	return nil
}
