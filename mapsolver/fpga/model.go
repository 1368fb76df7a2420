package fpga

import (
	"context"
	"fmt"
	"math/bits"

	"mtt/mapsolver/fpga/cycle"
)

// This file is the accelerator as a model: registers and memory in front of the
// core of package cycle.

// A Design is what a hardware description is built with. The zero value is 8
// processing elements, rewards of 20 bits, 2047 agents and objects, and a storage of
// 16,384 words of 8 rewards.
type Design struct {
	PE          int  // processing elements, 4 … 64, a power of two; 0: 8
	RewardBits  int  // 8 … 24; 0: 20
	IndexBits   int  // of agents and objects, at most 31-RewardBits; 0: 11
	StorageBits int  // of the address of a storage word; 0: 14
	Stall       bool // no speculation
	Dense       bool // storage of matrices, a slot for each pair; no streams
}

const badDesign = "fpga: a design has 4…64 processing elements, a power of two, and at most 31 bits for a reward and an index"

// defaults fills in what is 0.
func (d Design) defaults() Design {
	set := func(x *int, v int) {
		if *x == 0 {
			*x = v
		}
	}
	set(&d.PE, 8)
	set(&d.RewardBits, 20)
	set(&d.IndexBits, min(11, 31-d.RewardBits))
	set(&d.StorageBits, 14)
	if d.PE < 4 || d.PE > 64 || bits.OnesCount(uint(d.PE)) != 1 || d.RewardBits < 2 || d.IndexBits < 2 ||
		d.RewardBits+d.IndexBits > 31 || d.StorageBits < 2 || d.StorageBits > 24 {
		panic(badDesign)
	}
	return d
}

// Cycles around the core, of the hardware description with a memory that answers
// latency cycles after it was asked and then with a word in each cycle.
const (
	warmOverhead  = 2 // reading a state, beside the latency and a cycle for each word
	loadOverhead  = 3 // reading a problem, likewise
	loadNothing   = 2 // reading a problem of no words
	readyOverhead = 3 // from the start of reading to when the first word's agent can be taken, likewise
	storeOverhead = 4 // writing the result, beside a cycle for each word
	startOverhead = 1 // looking at the registers
)

// A Model is a Bus to a model of the accelerator, exact to the cycle.
type Model struct {
	design   Design
	latency  int
	register [registers]uint32
	memory   []uint64

	core    cycle.Core
	problem cycle.Problem
	state   cycle.State
}

// modelWords is the size of a model's memory in words; what is not used takes none.
const modelWords = 1 << 26

// NewModel makes a model of a design. Its memory answers latency cycles after it
// was asked, and then with a word in each cycle.
func NewModel(d Design, latency int) *Model {
	m := &Model{design: d.defaults(), latency: latency}
	m.reset()
	return m
}

// reset does what writing RegSignature does.
func (m *Model) reset() {
	d := m.design
	clear(m.register[:])
	m.register[RegSignature] = Signature
	m.register[RegCapability] = uint32(d.PE | d.RewardBits<<8 | d.IndexBits<<16 | d.StorageBits<<24)
	m.core = cycle.Core{PE: d.PE, Stall: d.Stall, Dense: d.Dense, Timing: cycle.Short}
}

// ReadRegister implements [Bus].
func (m *Model) ReadRegister(r Register) (uint32, error) {
	if r < 0 || int(r) >= registers {
		return 0, fmt.Errorf("fpga: there is no register %d", r)
	}
	return m.register[r], nil
}

// WriteRegister implements [Bus]. Writing RegStart runs the problem to its end.
func (m *Model) WriteRegister(r Register, v uint32) error {
	switch r {
	case RegSignature:
		if v&1 != 0 {
			m.reset()
		}
	case RegStart:
		rise := m.register[r]&1 == 0 && v&1 != 0
		m.register[r] = v
		if rise {
			m.run()
		}
	case RegResultHigh, RegResultLow, RegObjects, RegAgents, RegInputHigh, RegInputLow,
		RegMode, RegWords, RegEpsilon, RegLimit:
		m.register[r] = v
	}
	return nil
}

// Memory implements [Bus].
func (m *Model) Memory() (address uint64, words int) { return 0, modelWords }

// ReadMemory implements [Bus].
func (m *Model) ReadMemory(dst []uint64, offset int) error {
	if err := m.grow(offset + len(dst)); err != nil {
		return err
	}
	copy(dst, m.memory[offset:])
	return nil
}

// WriteMemory implements [Bus].
func (m *Model) WriteMemory(offset int, src []uint64) error {
	if err := m.grow(offset + len(src)); err != nil {
		return err
	}
	copy(m.memory[offset:], src)
	return nil
}

// grow makes memory up to a word.
func (m *Model) grow(end int) error {
	if end > modelWords {
		return fmt.Errorf("fpga: the model has no memory beyond %d words", modelWords)
	}
	if end > len(m.memory) {
		m.memory = append(m.memory, make([]uint64, end-len(m.memory))...)
	}
	return nil
}

// Wait implements [Bus]. The model has finished when it returns from its start.
func (m *Model) Wait(ctx context.Context) error { return ctx.Err() }

// Close implements [Bus].
func (m *Model) Close() error { return nil }

// run does what the accelerator does from start to finish.
func (m *Model) run() {
	reg := &m.register
	for _, r := range []Register{RegIterations, RegMisses, RegCycles, RegAccepts, RegDrops, RegLoadCycles, RegStoreCycles, RegTotal} {
		reg[r] = 0
	}
	code := m.check()
	if code == ErrorNone {
		code = m.auction()
	}
	reg[RegError] = uint32(code)
	reg[RegFinished] = 1
}

// check looks at the registers before anything is read.
func (m *Model) check() ErrorCode {
	reg := &m.register
	most := uint32(1) << m.design.IndexBits
	switch mode := reg[RegMode]; {
	case reg[RegInputHigh] != 0 || reg[RegResultHigh] != 0 || reg[RegInputLow]%64 != 0 || reg[RegResultLow]%64 != 0:
		return ErrorAddress
	case reg[RegObjects] >= most || reg[RegAgents] >= most || reg[RegObjects] == 0 && reg[RegAgents] != 0:
		return ErrorSize
	case mode&ModeStream != 0 && m.design.Dense || mode&ModeStream == 0 && mode != 0:
		return ErrorMode
	}
	return ErrorNone
}

// auction reads, bids and writes.
func (m *Model) auction() ErrorCode {
	reg := &m.register
	agents, objects, mode := int(reg[RegAgents]), int(reg[RegObjects]), reg[RegMode]
	result := int(reg[RegResultLow] / 8)
	if err := m.grow(max(result+objects, int(reg[RegInputLow]/8)+int(reg[RegWords]))); err != nil {
		return ErrorTransfer
	}
	words := m.memory[reg[RegInputLow]/8:][:reg[RegWords]]

	warm := 0
	m.state.Reset(objects)
	if mode&ModeWarm != 0 && objects > 0 {
		readState(&m.state, m.memory[result:][:objects])
		warm = warmOverhead + m.latency + objects
	}
	p := &m.problem
	*p = cycle.Problem{Objects: objects, Ptr: append(p.Ptr[:0], 0), Object: p.Object[:0], Reward: p.Reward[:0], Idle: p.Idle[:0], Ready: p.Ready[:0]}
	var code ErrorCode
	if mode&ModeStream != 0 {
		code = m.readStream(agents, words)
	} else {
		code = m.readMatrix(agents, words)
	}
	if code != ErrorNone {
		return code
	}
	load := loadNothing
	if len(words) > 0 {
		load = loadOverhead + m.latency + len(words)
	}
	if mode&ModeOverlap == 0 {
		p.Ready = nil
	}

	m.core.Epsilon, m.core.Limit = reg[RegEpsilon], int(reg[RegLimit])
	n, ok := m.core.Run(&m.state, p)
	reg[RegIterations], reg[RegMisses] = uint32(n.Iterations), uint32(n.Misses)
	reg[RegAccepts], reg[RegDrops] = uint32(n.Accepts), uint32(n.Drops)
	store := storeOverhead + objects
	reg[RegCycles], reg[RegLoadCycles], reg[RegStoreCycles] = uint32(n.Cycles), uint32(warm+load), uint32(store)
	if mode&ModeOverlap != 0 {
		reg[RegTotal] = uint32(startOverhead + warm + max(load, n.Cycles) + store)
	} else {
		reg[RegTotal] = uint32(startOverhead + warm + load + n.Cycles + store)
	}
	appendState(m.memory[result:result], &m.state)
	if !ok {
		return ErrorLimit
	}
	return ErrorNone
}

// readStream decodes a stream. Errors are found in the order of the words.
func (m *Model) readStream(agents int, words []uint64) ErrorCode {
	p, d := &m.problem, m.design
	reward, index := uint64(1)<<d.RewardBits-1, uint64(1)<<d.IndexBits-1
	used, row := 0, 0 // storage words of the rows before, and where this row begins
	for i, w := range words {
		if p.Agents() == agents {
			return ErrorLength
		}
		first, second := uint32(w&reward), uint32(w>>secondAt&reward)
		if first|second != 0 {
			a, b := int32(w>>d.RewardBits&index), int32(w>>(secondAt+d.RewardBits)&index)
			if first != 0 && int(a) >= p.Objects || second != 0 && int(b) >= p.Objects {
				return ErrorEntry
			}
			if first == 0 {
				a = 0
			}
			if second == 0 {
				b = 0
			}
			p.Object = append(p.Object, a, b)
			p.Reward = append(p.Reward, first, second)
		}
		last := w&lastWord != 0
		if m.overflows(&used, len(p.Object)-row, last) {
			return ErrorStorage
		}
		if last {
			row = len(p.Object)
			p.Ptr = append(p.Ptr, row)
			p.Idle = append(p.Idle, w&idleAgent != 0)
			p.Ready = append(p.Ready, readyOverhead+m.latency+i)
		}
	}
	if p.Agents() != agents || row != len(p.Object) {
		return ErrorLength
	}
	return ErrorNone
}

// overflows reports whether the storage is too small for the rows before and the
// entries of this one; at its end used grows by them.
func (m *Model) overflows(used *int, entries int, last bool) bool {
	n := entries / m.design.PE
	if last {
		n = (entries + m.design.PE - 1) / m.design.PE
	}
	if *used+n > 1<<m.design.StorageBits {
		return true
	}
	if last {
		*used += n
	}
	return false
}

// readMatrix decodes a matrix.
func (m *Model) readMatrix(agents int, words []uint64) ErrorCode {
	p, d := &m.problem, m.design
	p.Idle, p.Ready = nil, nil
	used, row := 0, 0
	for i, w := range words {
		if p.Agents() == agents {
			return ErrorLength
		}
		j := i % p.Objects
		if x := uint32(w) & (1<<d.RewardBits - 1); x != 0 {
			p.Object = append(p.Object, int32(j))
			p.Reward = append(p.Reward, x)
		}
		n, last := len(p.Object)-row, j == p.Objects-1
		if d.Dense {
			n = j + 1
		}
		if m.overflows(&used, n, last) {
			return ErrorStorage
		}
		if last {
			row = len(p.Object)
			p.Ptr = append(p.Ptr, row)
		}
	}
	if len(words) != agents*p.Objects {
		return ErrorLength
	}
	return ErrorNone
}
