package online

import (
	"mtt"
	"mtt/association/chain"
	"mtt/association/instance"
	"mtt/gating"
)

// This file takes some detections out of an instance, and puts their links back.

// A portion has those detections of an instance that are open, and what is between them.
type portion struct {
	scans []mtt.Scan
	gates []gating.CSR
	dets  [][]int32 // of each scan: the detections, ascending
	at    [][]int32 // of each detection of the instance: which of these it is; -1: none
}

// newPortion makes the portion of those detections that are open.
func newPortion(inst *instance.Instance, open [][]bool) *portion {
	n := len(inst.Scans)
	p := &portion{scans: make([]mtt.Scan, n), gates: make([]gating.CSR, n-1), dets: make([][]int32, n), at: make([][]int32, n)}
	for t := range inst.Scans {
		s := &inst.Scans[t]
		p.at[t] = make([]int32, s.Len())
		for i := range p.at[t] {
			p.at[t][i] = -1
			if open[t][i] {
				p.at[t][i] = int32(len(p.dets[t]))
				p.dets[t] = append(p.dets[t], int32(i))
			}
		}
		p.scans[t] = s.Pick(p.dets[t])
	}
	for t := range p.gates {
		g, h := &inst.Gates[t], &p.gates[t]
		h.Rows, h.Cols, h.Ptr = len(p.dets[t]), len(p.dets[t+1]), []int{0}
		for _, i := range p.dets[t] {
			for _, j := range g.Row(int(i)) {
				if k := p.at[t+1][j]; k >= 0 {
					h.Col = append(h.Col, k)
				}
			}
			h.Ptr = append(h.Ptr, len(h.Col))
		}
	}
	return p
}

// of are those of the links that are between detections of the portion, by their numbers there.
func (p *portion) of(links *chain.Links) *chain.Links {
	part := chain.New(p.scans)
	for t, dets := range p.dets {
		for k, i := range dets {
			if to := links.Next[t][i]; to != chain.None && p.at[to.T][to.Det] >= 0 {
				part.Link(chain.At(t, k), chain.At(to.T, p.at[to.T][to.Det]))
			}
		}
	}
	return part
}

// put has links be those of the portion between its detections, of which none leads to another.
func (p *portion) put(links, part *chain.Links) {
	for t, dets := range p.dets {
		for _, i := range dets {
			links.Unlink(chain.At(t, int(i)))
		}
	}
	for t, dets := range p.dets {
		for k, i := range dets {
			if to := part.Next[t][k]; to != chain.None {
				links.Link(chain.At(t, int(i)), chain.At(to.T, p.dets[to.T][to.Det]))
			}
		}
	}
}
