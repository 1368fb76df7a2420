package cycle

import (
	"bufio"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"testing"
)

// This file holds what the authors' published hardware description does: of the
// design of 8 processing elements in auction-hw-driver, simulated by Verilator 5.006,
// each problem after a reset. Its counters are facts; nothing of it is here.

// measured are problems of the generator below in their order: the counters read
// from the registers and a checksum of the result in memory, owners and then
// prices, an object without owner reading 0.
var measured = []struct {
	cycles, iterations, misses int
	result                     uint32
}{
	{142, 60, 7, 0xfd4ee879},
	{22, 2, 0, 0xc0993c2b},
	{132, 29, 0, 0xa4b76c0b},
	{100, 26, 3, 0x505c8d1},
	{23, 3, 0, 0xf062f907},
	{16, 1, 0, 0x8c7ace62},
	{891, 225, 15, 0x6f89f0fa},
	{73, 17, 1, 0xe7c3d5cd},
	{59, 9, 1, 0x19c8c58d},
	{188, 80, 14, 0xc16b649e},
	{244, 112, 19, 0xdd22852c},
	{39, 5, 1, 0x88f9861},
	{521, 187, 19, 0xe6533829},
	{344, 71, 1, 0x10bfd0df},
	{166, 52, 13, 0xef11cc37},
	{122, 51, 4, 0xc1cadee7},
	{88, 13, 1, 0xfb695263},
	{56, 16, 1, 0x6e3f97a7},
	{69, 11, 0, 0xa2836b90},
	{112, 32, 2, 0x373fd5df},
	{100, 25, 1, 0x348509e1},
	{1874, 137, 4, 0xd991b9e0},
	{227, 51, 1, 0xa1ffde4f},
	{160, 44, 4, 0xff9e6821},
	{72, 29, 3, 0xb2d98798},
	{122, 23, 1, 0x2508a785},
	{203, 36, 1, 0x66294ca9},
	{408, 115, 23, 0x9c3c0d35},
	{538, 163, 8, 0xe19d1931},
	{46, 13, 1, 0x8e105656},
	{188, 83, 11, 0x22e0a14c},
	{48, 10, 0, 0x819faa1a},
	{49, 11, 1, 0xe9fe210a},
	{58, 11, 1, 0x2b94633e},
	{46, 8, 0, 0x8ca6f304},
	{68, 15, 5, 0x110390c0},
	{296, 116, 26, 0x7f2211ca},
	{1674, 180, 4, 0xb9a15a8f},
	{65, 14, 1, 0x3fea1524},
	{23, 3, 0, 0xbb657381},
	{30, 4, 0, 0x4486b994},
	{42, 7, 0, 0x46f8e9d3},
	{972, 121, 3, 0x4c8553d1},
	{82, 13, 2, 0x116072b3},
	{7402, 1734, 34, 0x65879d6b},
	{18, 2, 0, 0x32a23c0d},
	{80, 33, 2, 0xe4b25937},
	{102, 41, 2, 0xb8402a2f},
	{46, 8, 0, 0x8ddcee74},
	{56, 21, 4, 0xe943226b},
	{32, 6, 0, 0x1a9ec5fa},
	{41, 6, 0, 0x38889826},
	{26, 3, 0, 0xa62c6a91},
	{38, 7, 2, 0x850899cd},
	{188, 79, 11, 0x611c8fdf},
	{100, 43, 7, 0x2d8543ba},
	{80, 33, 3, 0xfe66d457},
	{60, 9, 0, 0x7254d89c},
	{589, 187, 10, 0xf3aeca99},
	{52, 17, 3, 0xc9b6a0df},
}

// publishedProblem draws the i-th problem.
func publishedProblem(rng *rand.Rand, i int) *Problem {
	n, m := 1+rng.IntN(40), 1+rng.IntN(60)
	k := 1 + rng.IntN(min(m, 30))
	for {
		p := Random(rng, n, m, k, []uint32{255, 10, 255, 3}[i%4])
		// The published design replays an old row for an agent without rewards.
		empty := false
		for a := range n {
			empty = empty || p.Ptr[a] == p.Ptr[a+1]
		}
		if !empty {
			return p
		}
	}
}

func TestPublished(t *testing.T) {
	if name := os.Getenv("MTT_PUBLISHED_PROBLEMS"); name != "" {
		writeProblems(t, name)
		return
	}
	rng := rand.New(rand.NewPCG(55, 1))
	core := Core{PE: 8, Timing: Published}
	for i, want := range measured {
		p := publishedProblem(rng, i)
		var s State
		n, _ := core.Run(&s, p)
		if n.Cycles != want.cycles || n.Iterations != want.iterations || n.Misses != want.misses || resultSum(&s) != want.result {
			t.Errorf("problem %d: %+v, result %#x, the hardware has %+v", i, n, resultSum(&s), want)
		}
	}
}

// resultSum is the checksum of a result as it lies in memory.
func resultSum(s *State) uint32 {
	h := crc32.NewIEEE()
	for _, a := range s.Owner {
		fmt.Fprintf(h, " %d", max(a, 0))
	}
	for _, p := range s.Price {
		fmt.Fprintf(h, " %d", p)
	}
	return h.Sum32()
}

// writeProblems writes the problems as text: agents, objects and then the matrix.
func writeProblems(t *testing.T, name string) {
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(55, 1))
	for i := range 60 {
		p := publishedProblem(rng, i)
		fmt.Fprintln(w, p.Agents(), p.Objects)
		for a := range p.Agents() {
			row := make([]uint32, p.Objects)
			for e := p.Ptr[a]; e < p.Ptr[a+1]; e++ {
				row[p.Object[e]] = p.Reward[e]
			}
			for _, r := range row {
				fmt.Fprint(w, r, " ")
			}
			fmt.Fprintln(w)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
