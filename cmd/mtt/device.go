package main

// This file chooses the device on which the dual ascent begins.

import (
	"context"

	"mtt/association"
	"mtt/dualascent"
	"mtt/dualascent/cuda"
)

// The devices.
const onCPU, onCUDA = "cpu", "cuda"

// ascend is what begins the ascent on the device, nil for the processor.
func (o *trackOptions) ascend() (func(context.Context, *dualascent.Instance) ([]dualascent.Prices, error), error) {
	engine := association.Engine(o.engine)
	switch {
	case o.device == onCPU:
		return nil, nil
	case o.lag >= 0 || engine != association.Dual && engine != association.DualExact:
		return nil, usagef("--device %s goes with the engines dual and exact, without --lag", o.device)
	}
	if err := cuda.Available(); err != nil {
		return nil, usagef("device %s: %v", o.device, err).hinted("without --device the processor does it all")
	}
	return cuda.Ascend(warnCUDA), nil
}
