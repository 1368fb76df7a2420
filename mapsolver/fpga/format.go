package fpga

import "mtt/mapsolver/fpga/cycle"

// This file is what problems, states and results look like in memory.
//
// A matrix has a 64-bit word for each reward, row by row, as in the published
// design; 0 is a pair that is not allowed.
//
// A stream has two entries in each word, of one agent each:
//
//	63      last word of this agent
//	62      this agent is idle: it begins as an owner and does not bid
//	31+…    second entry: the object above the reward
//	0…      first entry: the object above the reward
//
// with object and reward as wide as the accelerator's capability says, together at
// most 31 bits. An entry with reward 0 is not there; an agent without rewards has
// one word.
//
// A state and a result have a word for each object:
//
//	63      the object has an owner
//	62…32   the owner
//	31…0    the price

const (
	lastWord  = 1 << 63
	idleAgent = 1 << 62
	secondAt  = 31 // bit of the second entry
)

// appendStream appends p as a stream with rewards of the given width.
func appendStream(dst []uint64, p *cycle.Problem, rewardBits int) []uint64 {
	for a := range p.Agents() {
		flags := uint64(lastWord)
		if p.Idle != nil && p.Idle[a] {
			flags |= idleAgent
		}
		lo, hi := p.Ptr[a], p.Ptr[a+1]
		if lo == hi {
			dst = append(dst, flags)
			continue
		}
		for e := lo; e < hi; e += 2 {
			w := uint64(p.Object[e])<<rewardBits | uint64(p.Reward[e])
			if e+1 < hi {
				w |= (uint64(p.Object[e+1])<<rewardBits | uint64(p.Reward[e+1])) << secondAt
			}
			if e+2 >= hi {
				w |= flags
			}
			dst = append(dst, w)
		}
	}
	return dst
}

// appendMatrix appends p as a matrix.
func appendMatrix(dst []uint64, p *cycle.Problem) []uint64 {
	for a := range p.Agents() {
		first := len(dst)
		for range p.Objects {
			dst = append(dst, 0)
		}
		row := dst[first:]
		for e := p.Ptr[a]; e < p.Ptr[a+1]; e++ {
			row[p.Object[e]] = uint64(p.Reward[e])
		}
	}
	return dst
}

// appendState appends a state.
func appendState(dst []uint64, s *cycle.State) []uint64 {
	for j, a := range s.Owner {
		w := uint64(s.Price[j])
		if a >= 0 {
			w |= lastWord | uint64(a)<<32
		}
		dst = append(dst, w)
	}
	return dst
}

// readState reads a state of len(words) objects.
func readState(s *cycle.State, words []uint64) {
	s.Reset(len(words))
	for j, w := range words {
		s.Price[j] = uint32(w)
		if w&lastWord != 0 {
			s.Owner[j] = int32(w >> 32 & (1<<31 - 1))
		}
	}
}
