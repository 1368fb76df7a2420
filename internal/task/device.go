package task

// This file chooses the device on which the dual ascent begins, and tells what an
// accelerator of assignment problems did.

import (
	"context"

	"mtt/association"
	"mtt/dualascent"
	"mtt/dualascent/cuda"
	"mtt/internal/cli"
	"mtt/internal/solvers"
)

// The devices.
const onCPU, onCUDA = "cpu", "cuda"

// ascend is what begins the ascent on the device, nil for the processor.
func (o *TrackOptions) ascend() (func(context.Context, *dualascent.Instance) ([]dualascent.Prices, error), error) {
	engine := association.Engine(o.engine)
	switch {
	case o.device == onCPU:
		return nil, nil
	case o.lag >= 0 || engine != association.Dual && engine != association.Exact:
		return nil, cli.Usagef("--device %s goes with the engines dual and exact, without --lag", o.device)
	}
	if err := cuda.Available(); err != nil {
		return nil, cli.Usagef("device %s: %v", o.device, err).Hinted("without --device the processor does it all")
	}
	return cuda.Ascend(solvers.Warn), nil
}

// addAccelerator appends what the accelerator did in the given number of passes;
// nothing where there is none.
func (o *TrackOptions) addAccelerator(r *cli.Record, passes int) {
	of, sum := o.meter.Sum()
	if of == "" {
		return
	}
	var fields cli.Record
	cycles := 0
	for _, f := range sum {
		fields.Add(f.Name, f.Count)
		if f.Name == "cycles" {
			cycles = f.Count
		}
	}
	if passes > 0 && cycles > 0 {
		fields.Add("cycles_per_pass", cycles/passes)
	}
	r.Add(of, fields)
}
