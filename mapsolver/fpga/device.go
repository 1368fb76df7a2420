package fpga

import (
	"context"
	"fmt"
	"sync"

	"mtt/mapsolver/fpga/cycle"
)

// This file is the driver: a problem of the hardware in, prices and owners out.

// A Device drives the accelerator behind a bus. It is not safe for concurrent use.
type Device struct {
	bus    Bus
	design Design
	words  []uint64
}

// Options say how a device works on a problem.
type Options struct {
	Matrix  bool   // send a word for each pair, as the published design reads them
	Serial  bool   // begin to bid when everything is read, not before
	Epsilon uint32 // least raise of a bid; 0 is 1
	Limit   int    // cycles of the core after which it gives up; 0: none
}

// Usage is what a run of a device took.
type Usage struct {
	Core  cycle.Counters
	Load  int // cycles in which problem and state were read
	Store int // cycles in which the result was written
	Total int // cycles from start to finish; load and core may overlap
}

// Add adds v to u.
func (u *Usage) Add(v Usage) {
	u.Core.Add(v.Core)
	u.Load += v.Load
	u.Store += v.Store
	u.Total += v.Total
}

// A DeviceError is what the accelerator's error register said.
type DeviceError struct{ Code ErrorCode }

// Error says it in words.
func (e *DeviceError) Error() string { return "fpga: the accelerator says: " + e.Code.String() }

// OpenDevice finds the accelerator behind a bus and what it was built with. It
// fails when what it finds is none.
func OpenDevice(bus Bus) (*Device, error) {
	signature, err := bus.ReadRegister(RegSignature)
	if err != nil {
		return nil, fmt.Errorf("fpga: reading the signature: %w", err)
	}
	if signature != Signature {
		return nil, fmt.Errorf("fpga: the signature is %#x, want %#x: there is no accelerator, or one of another version", signature, uint32(Signature))
	}
	c, err := bus.ReadRegister(RegCapability)
	if err != nil {
		return nil, fmt.Errorf("fpga: reading the capability: %w", err)
	}
	return &Device{bus: bus, design: Design{
		PE: int(c & 255), RewardBits: int(c >> 8 & 255), IndexBits: int(c >> 16 & 255), StorageBits: int(c >> 24),
	}}, nil
}

// Design is what the accelerator was built with, as far as its registers tell.
func (d *Device) Design() Design { return d.design }

// Run solves p. A state s of as many objects as p is the start, prices and owners;
// another one begins at 0. It becomes the result. An error is a [*DeviceError] when
// the accelerator refused; after ErrorLimit s holds what was known by then.
func (d *Device) Run(ctx context.Context, s *cycle.State, p *cycle.Problem, opts Options) (Usage, error) {
	if shared, ok := d.bus.(sync.Locker); ok {
		shared.Lock()
		defer shared.Unlock()
	}
	warm := len(s.Price) == p.Objects && p.Objects > 0
	d.words = d.words[:0]
	mode := uint32(0)
	if opts.Matrix {
		d.words = appendMatrix(d.words, p)
	} else {
		d.words = appendStream(d.words, p, d.design.RewardBits)
		mode |= ModeStream
		if !opts.Serial {
			mode |= ModeOverlap
		}
		if warm {
			mode |= ModeWarm
		}
	}
	base, size := d.bus.Memory()
	input := len(d.words)
	result := (input + 7) &^ 7
	if result+p.Objects > size {
		return Usage{}, &CapacityError{"words of memory", result + p.Objects, size}
	}
	if err := d.bus.WriteMemory(0, d.words); err != nil {
		return Usage{}, fmt.Errorf("fpga: writing the problem: %w", err)
	}
	if mode&ModeWarm != 0 {
		d.words = appendState(d.words[:0], s)
		if err := d.bus.WriteMemory(result, d.words); err != nil {
			return Usage{}, fmt.Errorf("fpga: writing the state: %w", err)
		}
	}
	at := base + 8*uint64(result)
	for _, w := range []struct {
		r Register
		v uint64
	}{
		{RegResultHigh, at >> 32}, {RegResultLow, at & 0xffffffff}, {RegInputHigh, base >> 32}, {RegInputLow, base & 0xffffffff},
		{RegObjects, uint64(p.Objects)}, {RegAgents, uint64(p.Agents())}, {RegWords, uint64(input)},
		{RegMode, uint64(mode)}, {RegEpsilon, uint64(opts.Epsilon)}, {RegLimit, uint64(opts.Limit)},
		{RegStart, 0}, {RegStart, 1},
	} {
		if err := d.bus.WriteRegister(w.r, uint32(w.v)); err != nil {
			return Usage{}, fmt.Errorf("fpga: writing register %d: %w", w.r, err)
		}
	}
	if err := d.bus.Wait(ctx); err != nil {
		_ = d.Reset() // it may still be at work, and must not finish into the next problem
		return Usage{}, fmt.Errorf("fpga: waiting for the accelerator: %w", err)
	}
	return d.collect(s, p.Objects, result)
}

// collect reads counters and the result.
func (d *Device) collect(s *cycle.State, objects, result int) (u Usage, err error) {
	var code uint32
	read := func(r Register) int {
		v, e := d.bus.ReadRegister(r)
		if e != nil && err == nil {
			err = fmt.Errorf("fpga: reading register %d: %w", r, e)
		}
		return int(v)
	}
	code = uint32(read(RegError))
	u.Core = cycle.Counters{
		Cycles: read(RegCycles), Iterations: read(RegIterations), Accepts: read(RegAccepts),
		Misses: read(RegMisses), Drops: read(RegDrops),
	}
	u.Load, u.Store, u.Total = read(RegLoadCycles), read(RegStoreCycles), read(RegTotal)
	if err != nil {
		return u, err
	}
	if code != uint32(ErrorNone) && code != uint32(ErrorLimit) {
		return u, &DeviceError{ErrorCode(code)}
	}
	d.words = append(d.words[:0], make([]uint64, objects)...)
	if err := d.bus.ReadMemory(d.words, result); err != nil {
		return u, fmt.Errorf("fpga: reading the result: %w", err)
	}
	readState(s, d.words)
	if code == uint32(ErrorLimit) {
		return u, &DeviceError{ErrorLimit}
	}
	return u, nil
}

// Reset brings an accelerator into the state after power-up, as soon as nothing of
// its last problem is on its way to or from memory.
func (d *Device) Reset() error { return d.bus.WriteRegister(RegSignature, 1) }

// A CapacityError says that a problem is too large for an accelerator.
type CapacityError struct {
	What       string // what there is too much of
	Have, Most int
}

// Error says how much is too much.
func (e *CapacityError) Error() string {
	return fmt.Sprintf("fpga: the problem has %d %s, the accelerator has room for %d", e.Have, e.What, e.Most)
}

// check says whether p fits.
func (d *Device) check(p *cycle.Problem) error {
	most := 1<<d.design.IndexBits - 1
	if p.Agents() > most {
		return &CapacityError{"rows", p.Agents(), most}
	}
	if p.Objects > most {
		return &CapacityError{"columns", p.Objects, most}
	}
	if n, room := d.storage(p), 1<<d.design.StorageBits; n > room {
		return &CapacityError{"words of rewards", n, room}
	}
	return nil
}

// storage is the number of storage words that p takes.
func (d *Device) storage(p *cycle.Problem) int {
	n := 0
	for a := range p.Agents() {
		n += (p.Ptr[a+1] - p.Ptr[a] + d.design.PE - 1) / d.design.PE
	}
	return n
}
