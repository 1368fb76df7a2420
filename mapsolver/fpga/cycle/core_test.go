package cycle

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// optimum is the greatest weight of a matching of p: a dynamic programme over the
// sets of objects, of which there are few.
func optimum(p *Problem) int {
	best := make([]int, 1<<p.Objects)
	for a := range p.Agents() {
		for set := len(best) - 1; set >= 0; set-- {
			for e := p.Ptr[a]; e < p.Ptr[a+1]; e++ {
				if j := p.Object[e]; set>>j&1 == 1 {
					best[set] = max(best[set], best[set&^(1<<j)]+int(p.Reward[e]))
				}
			}
		}
	}
	return best[len(best)-1]
}

// value is the reward of the owners, who must be those of a matching of p.
func value(t *testing.T, p *Problem, s *State) int {
	t.Helper()
	sum, owns := 0, make([]bool, p.Agents())
	for j, a := range s.Owner {
		if a < 0 {
			continue
		}
		e := slices.Index(p.Object[p.Ptr[a]:p.Ptr[a+1]], int32(j))
		if e < 0 || owns[a] {
			t.Fatalf("agent %d owns object %d: entry %d, owns another: %t", a, j, e, owns[a])
		}
		owns[a] = true
		sum += int(p.Reward[p.Ptr[a]+e])
	}
	return sum
}

// scaled is p with all rewards multiplied.
func scaled(p *Problem, by uint32) *Problem {
	q := *p
	q.Reward = slices.Clone(p.Reward)
	for e := range q.Reward {
		q.Reward[e] *= by
	}
	return &q
}

// cores lists one of each kind.
func cores() map[string]*Core {
	list := make(map[string]*Core)
	for name, timing := range map[string]Timing{"published": Published, "article": Article, "short": Short} {
		for _, pe := range []int{2, 4, 8, 16, 32} {
			kind := name + string(rune('a'+log2(pe)))
			list[kind] = &Core{PE: pe, Timing: timing}
			list[kind+"/stall"] = &Core{PE: pe, Timing: timing, Stall: true}
			list[kind+"/stall/dense"] = &Core{PE: pe, Timing: timing, Stall: true, Dense: true}
		}
	}
	return list
}

// TestOptimum compares with a dynamic programme: the value is short by at most 1 for
// each owner, and by nothing when the rewards are scaled.
func TestOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, core := range cores() {
		for range 120 {
			n, m := rng.IntN(9), 1+rng.IntN(8)
			p := Random(rng, n, m, rng.IntN(m+1), []uint32{1, 3, 255}[rng.IntN(3)])
			want := optimum(p)
			var s State
			n1, ok := core.Run(&s, p)
			owners := 0
			for _, a := range s.Owner {
				if a >= 0 {
					owners++
				}
			}
			if got := value(t, p, &s); !ok || got < want-owners {
				t.Fatalf("%s: value %d, optimum %d, %d owners", name, got, want, owners)
			}
			if n1.Iterations > n1.Accepts+n1.Misses+n1.Drops || n1.Accepts+n1.Misses > n1.Iterations {
				t.Errorf("%s: %+v do not add up", name, n1)
			}
			q := scaled(p, uint32(n+1))
			s = State{}
			core.Run(&s, q)
			if got := value(t, p, &s); got != want {
				t.Fatalf("%s: value %d of scaled rewards, optimum %d", name, got, want)
			}
		}
	}
}

// TestComplementarySlackness checks the certificate on larger problems: no object
// that is free costs anything, and each owner is within Epsilon of its best choice.
func TestComplementarySlackness(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for _, eps := range []uint32{0, 1, 5, 1000} {
		for name, core := range cores() {
			p := Random(rng, 60, 80, 1+rng.IntN(30), 255)
			c := *core
			c.Epsilon = eps
			var s State
			c.Run(&s, p)
			checkSlack(t, name, p, &s, int(max(eps, 1)))
		}
	}
}

// checkSlack wants epsilon-complementary slackness.
func checkSlack(t *testing.T, name string, p *Problem, s *State, eps int) {
	t.Helper()
	value(t, p, s)
	profit := make([]int, p.Agents())
	for j, a := range s.Owner {
		if a < 0 {
			if s.Price[j] != 0 {
				t.Errorf("%s: object %d is free and costs %d", name, j, s.Price[j])
			}
			continue
		}
		e := p.Ptr[a] + slices.Index(p.Object[p.Ptr[a]:p.Ptr[a+1]], int32(j))
		profit[a] = int(p.Reward[e]) - int(s.Price[j])
		if profit[a] < 0 {
			t.Errorf("%s: agent %d has a loss of %d", name, a, -profit[a])
		}
	}
	for a := range p.Agents() {
		for e := p.Ptr[a]; e < p.Ptr[a+1]; e++ {
			if other := int(p.Reward[e]) - int(s.Price[p.Object[e]]); other > profit[a]+eps {
				t.Errorf("%s: agent %d has %d but could have %d", name, a, profit[a], other)
			}
		}
	}
}

// TestLoneAgent counts the cycles of an agent that is alone and of one that is
// outbid once, by hand: the loop of Short is 7+log2(PE) cycles.
func TestLoneAgent(t *testing.T) {
	alone := &Problem{Objects: 1, Ptr: []int{0, 1}, Object: []int32{0}, Reward: []uint32{5}}
	two := &Problem{Objects: 1, Ptr: []int{0, 1, 2}, Object: []int32{0, 0}, Reward: []uint32{5, 7}}
	nobody := &Problem{Objects: 3, Ptr: []int{0}}
	empty := &Problem{Objects: 3, Ptr: []int{0, 0, 0}}
	tests := []struct {
		name string
		p    *Problem
		want Counters
	}{
		// Taken in cycle 0, committed in 9; 10 is the last that is counted.
		{"alone", alone, Counters{Cycles: 11, Iterations: 1, Accepts: 1}},
		// The second bids in cycle 10, the first is back in the queue in 11, finds
		// nothing in 20.
		{"two", two, Counters{Cycles: 22, Iterations: 3, Accepts: 2, Drops: 1}},
		{"nobody", nobody, Counters{Cycles: 1}},
		// Gone one cycle after they were taken, in cycles 0 and 1.
		{"empty", empty, Counters{Cycles: 4, Drops: 2}},
	}
	for _, tt := range tests {
		var s State
		core := Core{PE: 8, Timing: Short}
		if got, ok := core.Run(&s, tt.p); got != tt.want || !ok {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestOwnersStay begins with owners at prices that content them: only the one who
// has nothing bids.
func TestOwnersStay(t *testing.T) {
	p := &Problem{
		Objects: 2, Ptr: []int{0, 1, 3}, Object: []int32{0, 0, 1}, Reward: []uint32{5, 4, 3},
		Idle: []bool{true, false},
	}
	s := State{Price: []uint32{2, 0}, Owner: []int32{0, -1}}
	core := Core{PE: 4, Timing: Short}
	n, ok := core.Run(&s, p)
	if !ok || n.Iterations != 1 || n.Drops != 0 || !slices.Equal(s.Owner, []int32{0, 1}) || !slices.Equal(s.Price, []uint32{2, 1}) {
		t.Errorf("%+v, %+v", n, s)
	}
}

// TestLimit wants an end, and word that it was too early.
func TestLimit(t *testing.T) {
	p := Random(rand.New(rand.NewPCG(3, 1)), 100, 100, 50, 255)
	var s State
	core := Core{PE: 8, Timing: Short}
	whole, _ := core.Run(&s, p)
	for limit := 1; limit < whole.Cycles+20; limit += 37 {
		s = State{}
		core.Limit = limit
		n, ok := core.Run(&s, p)
		value(t, p, &s)
		if ok != (n == whole) || !ok && (n.Cycles < limit || n.Cycles > limit+20) {
			t.Errorf("limit %d: %+v, %t; without limit %+v", limit, n, ok, whole)
		}
	}
}

// TestReady wants the same answer, up to the bound, however late agents arrive, and
// never an agent before its time.
func TestReady(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range 50 {
		p := Random(rng, 40, 40, 6, 255)
		p = scaled(p, 41)
		var s State
		core := Core{PE: 8, Timing: Short}
		at0, _ := core.Run(&s, p)
		want := value(t, p, &s)
		now := 0
		for range p.Agents() {
			now += rng.IntN(8)
			p.Ready = append(p.Ready, now)
		}
		s = State{}
		late, _ := core.Run(&s, p)
		if got := value(t, p, &s); got != want || late.Cycles <= now || late.Cycles > at0.Cycles+now+at0.Cycles {
			t.Errorf("value %d, want %d; %d cycles after %d, %d when all is there", got, want, late.Cycles, now, at0.Cycles)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	p := Random(rand.New(rand.NewPCG(5, 1)), 100, 100, 20, 255)
	var s State
	core := Core{PE: 8, Timing: Short}
	run := func() {
		s.Reset(p.Objects)
		core.Run(&s, p)
	}
	run()
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("%v allocations a run, want 0", n)
	}
}

func BenchmarkRun(b *testing.B) {
	p := Random(rand.New(rand.NewPCG(6, 1)), 100, 300, 8, 255)
	var s State
	core := Core{PE: 8, Timing: Short}
	cycles := 0
	for b.Loop() {
		s.Reset(p.Objects)
		n, _ := core.Run(&s, p)
		cycles += n.Cycles
	}
	b.ReportMetric(float64(cycles)/b.Elapsed().Seconds(), "cycles/s")
}
