package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"mtt/association"
	"mtt/costgen"
	"mtt/dualascent"
	"mtt/gating"
	"mtt/scenario"
)

// TestTrack tracks scenes with and without the card: what one of the two proves to be
// the best, both find; where the bounds do not meet, they are as good.
func TestTrack(t *testing.T) {
	needCard(t)
	ctx := context.Background()
	targets, frames := 100, 50
	if emulated() {
		targets, frames = 12, 10
	}
	for _, kind := range []scenario.Kind{scenario.Burst, scenario.Arena, scenario.Steer, scenario.Cross} {
		for _, noise := range []float64{0.05, 0.1, 0.2} {
			for _, cost := range []association.Cost{association.NLL, association.Paper} {
				t.Run(fmt.Sprintf("%s/%v/%s", kind, noise, cost), func(t *testing.T) {
					scans := simulate(t, &scenario.Config{Scene: kind, Targets: targets, Frames: frames, Noise: noise, VelocityNoise: noise, Seed: 1})
					opts := &association.Options{Cost: cost, Sigma: noise, SigmaV: noise}
					if cost == association.Paper {
						opts.Gate = gating.Disc{Epsilon: 2, Margin: 4 * noise}
					}
					host, err := association.Track(ctx, scans, opts)
					if err != nil {
						t.Fatal(err)
					}
					opts.Dual.Ascend = Ascend(func(err error) { t.Error(err) })
					card, err := association.Track(ctx, scans, opts)
					if err != nil {
						t.Fatal(err)
					}
					h, c := host.Dual, card.Dual
					t.Logf("host %v: %v to %v, card %v: %v to %v", h.Status, h.LowerBound, h.UpperBound, c.Status, c.LowerBound, c.UpperBound)
					scale := 1 + math.Abs(h.UpperBound)
					tolerance := 1e-9 * scale
					if h.Status != dualascent.Optimal || c.Status != dualascent.Optimal {
						tolerance = 1e-3 * scale
					}
					if math.Abs(h.UpperBound-c.UpperBound) > tolerance || math.Abs(h.LowerBound-c.LowerBound) > tolerance {
						t.Error("the card's bounds differ from those of the host")
					}
					if b := dualascent.Bound(&card.Instance.Dual, c.Prices); b < c.Certified-1e-9*scale {
						t.Errorf("the prices prove %v, not %v", b, c.Certified)
					}
				})
			}
		}
	}
}

// TestUnavailable wants a reason, and a start that goes on without the card.
func TestUnavailable(t *testing.T) {
	want := Available()
	if want == nil {
		t.Skip("there is a card")
	}
	inst := random(1)
	scans := simulate(t, &scenario.Config{Targets: 2, Frames: 3})
	_, stored := New(inst)
	_, paper := NewPaper(scans, gating.Disc{}, &costgen.Paper{Prices: metric(1)})
	for what, err := range map[string]error{"Available": want, "New": stored, "NewPaper": paper} {
		if !errors.Is(err, ErrUnavailable) || err.Error() == ErrUnavailable.Error() {
			t.Errorf("%s: error %v, want one that says why", what, err)
		}
	}
	var warnings []error
	begin := Ascend(func(err error) { warnings = append(warnings, err) })
	for range 2 {
		r, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Ascend: begin})
		if err != nil || r.Gap() > 1e-9 {
			t.Errorf("gap %v, error %v", r.Gap(), err)
		}
	}
	if len(warnings) != 1 || !errors.Is(warnings[0], ErrUnavailable) {
		t.Errorf("warnings %v, want one that says why", warnings)
	}
}

// TestFault loses the card in the middle, in a program of its own: the host goes on,
// says so once, and the answer is right.
func TestFault(t *testing.T) {
	needCard(t)
	if !emulated() {
		t.Skip("a real card would be lost")
	}
	if os.Getenv("MTT_EMULATE_FAULT") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFault$", "-test.v")
		cmd.Env = append(os.Environ(), "MTT_EMULATE_FAULT=20")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestFault") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	var warnings []error
	begin := Ascend(func(err error) { warnings = append(warnings, err) })
	for seed := range uint64(3) {
		inst := random(seed)
		r, err := dualascent.Solve(context.Background(), inst, &dualascent.Options{Ascend: begin})
		if err != nil || r.Gap() > 1e-9 {
			t.Errorf("gap %v, error %v", r.Gap(), err)
		}
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Error(), "CUDA_ERROR_ILLEGAL_ADDRESS") {
		t.Errorf("warnings %v, want one of an illegal address", warnings)
	}
}

// TestSame wants equal bytes of two runs, whatever order threads run in.
func TestSame(t *testing.T) {
	needCard(t)
	ctx := context.Background()
	inst := trials(t)[2].inst
	var want []dualascent.Prices
	for run := range 2 {
		a, err := New(inst)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Free()
		if _, err := a.Raise(ctx, 30); err != nil {
			t.Fatal(err)
		}
		got, err := a.Prices(inst)
		if err != nil {
			t.Fatal(err)
		}
		if run > 0 && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Error("the prices of two runs differ")
		}
		want = got
	}
}

// TestCancelled wants an error of the context.
func TestCancelled(t *testing.T) {
	needCard(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	inst := random(2)
	r, err := dualascent.Solve(ctx, inst, &dualascent.Options{Ascend: Ascend(nil)})
	if !errors.Is(err, context.Canceled) || r == nil || r.Status != dualascent.Interrupted {
		t.Errorf("%v, error %v", r, err)
	}
}
