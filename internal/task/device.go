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
	return cuda.Ascend(solvers.WarnCUDA), nil
}

// addAccelerator appends what the accelerator did in the given number of passes;
// nothing where there is none.
func (o *TrackOptions) addAccelerator(r *cli.Record, passes int) {
	if o.meter == nil {
		return
	}
	sum := o.meter.Sum()
	fields := cli.Record{
		{Key: "cycles", Value: sum.Total}, {Key: "core_cycles", Value: sum.Core.Cycles},
		{Key: "iterations", Value: sum.Core.Iterations}, {Key: "misses", Value: sum.Core.Misses},
		{Key: "problems", Value: sum.Problems}, {Key: "starts", Value: sum.Starts},
		{Key: "unchanged", Value: sum.Skipped}, {Key: "optimal", Value: sum.Optimal},
	}
	if passes > 0 {
		fields.Add("cycles_per_pass", sum.Total/passes)
	}
	r.Add("accelerator", fields)
}
