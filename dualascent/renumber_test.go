package dualascent_test

// This file gives the nodes of random instances other numbers, and compares with what the dense form does.

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"mtt/dualascent"
)

// renumbered is an instance with other numbers, and its prices and an answer under them.
func renumbered(inst *dualascent.Instance, names [][]int32, prices []dualascent.Prices, next [][]int32) (*dualascent.Instance, []dualascent.Prices, [][]int32) {
	other := &dualascent.Instance{}
	var left *dualascent.Renumbering
	p2, n2 := make([]dualascent.Prices, len(prices)), make([][]int32, len(next))
	for p := range inst.Pairs {
		right := inst.Pairs[p].Renumber(names[p], names[p+1])
		other.Pairs = append(other.Pairs, right.FramePair)
		if p > 0 {
			other.Blocks = append(other.Blocks, inst.Blocks[p-1].Between(left, right))
		}
		p2[p], n2[p] = right.Prices(&prices[p]), right.Next(next[p])
		left = right
	}
	return other, p2, n2
}

func TestRenumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 1))
	solved := 0
	for n := range 3000 {
		k := kinds[n%len(kinds)]
		d := random(rng, k, sizes(rng, k)...)
		inst := d.instance()
		names, ints := make([][]int32, len(d.nodes)), make([][]int, len(d.nodes))
		for f, m := range d.nodes {
			ints[f] = rng.Perm(m)
			for _, x := range ints[f] {
				names[f] = append(names[f], int32(x))
			}
		}
		prices := scatter(rng, inst)
		res, err := dualascent.Solve(t.Context(), inst, nil)
		if err != nil {
			continue
		}
		solved++
		other, p2, n2 := renumbered(inst, names, prices, res.Next)
		want := d.permuted(ints).instance()
		for p := range want.Pairs {
			g, h := &other.Pairs[p], &want.Pairs[p]
			if !slices.Equal(g.Ptr, h.Ptr) || !slices.Equal(g.Col, h.Col) || !slices.Equal(g.Cost, h.Cost) || !slices.Equal(g.RowMiss, h.RowMiss) || !slices.Equal(g.ColMiss, h.ColMiss) {
				t.Fatalf("pair %d is %v, want %v", p, g, h)
			}
		}
		for p := range want.Blocks {
			if !slices.Equal(other.Blocks[p].Ptr, want.Blocks[p].Ptr) || !slices.Equal(other.Blocks[p].D, want.Blocks[p].D) {
				t.Fatalf("block %d is %v, want %v", p, other.Blocks[p], want.Blocks[p])
			}
		}
		if a, b := dualascent.Bound(inst, prices), dualascent.Bound(other, p2); !(math.Abs(a-b) <= 1e-9) && a != b {
			t.Fatalf("prices prove %v, renumbered %v", a, b)
		}
		if a, b := inst.Cost(res.Next), other.Cost(n2); !(math.Abs(a-b) <= 1e-9) {
			t.Fatalf("an answer costs %v, renumbered %v", a, b)
		}
		differing(rng, inst, 3)
		other, p2, n2 = renumbered(inst, names, prices, res.Next)
		if err := other.Validate(); err != nil {
			t.Fatal(err)
		}
		if a, b := dualascent.Bound(inst, prices), dualascent.Bound(other, p2); !(math.Abs(a-b) <= 1e-9) && a != b {
			t.Fatalf("with differences prices prove %v, renumbered %v", a, b)
		}
		if a, b := inst.Cost(res.Next), other.Cost(n2); !(math.Abs(a-b) <= 1e-9) && a != b {
			t.Fatalf("with differences an answer costs %v, renumbered %v", a, b)
		}
	}
	if solved < 1000 {
		t.Errorf("only %d instances have answers", solved)
	}
}
