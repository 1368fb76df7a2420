package verify

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"

	"mtt/internal/certificate"
)

// This file prices tracks that are not the assignment: what refinement has changed, in
// the costs of the certificate.

// priceTracks reads the certificate again, with the links of the tracks in the place of
// the assignment. The error is that of ctx.
func (c *checker) priceTracks(ctx context.Context) error {
	again, ok := c.Certificate.(io.Seeker)
	if !ok {
		return nil
	}
	if _, err := again.Seek(0, io.SeekStart); err != nil {
		c.problem("certificate.bin: %v", err)
		return nil
	}
	r, err := certificate.NewReader(c.Certificate)
	if err != nil {
		c.problem("certificate.bin: %v", err)
		return nil
	}
	other := &checker{Input: c.Input, dets: c.dets, inTrack: c.inTrack, leap: c.leap}
	p := &proof{checker: other, file: r}
	var entered []int32 // of the gap before
	for t := 0; ; t++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.Next(&p.gap); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			c.problem("certificate.bin: %v", err)
			return nil
		}
		c.res.Unpriced += p.follow(t, entered)
		entered = p.match(t)
		if t > 0 {
			p.payBlocks(t)
		}
		p.turn(entered)
	}
	if c.res.Unpriced == 0 && other.count == 0 {
		c.res.TracksCost = p.cost.upper()
	} else {
		c.res.TracksCost = math.NaN()
	}
	return nil
}

// follow chooses the arcs of gap t that the tracks take, given the arcs that were chosen
// into its rows, and counts the links for which there is none.
func (p *proof) follow(t int, entered []int32) (unpriced int) {
	g, from, to := &p.gap, &p.file.Frames[t], &p.file.Frames[t+1]
	for i := range g.Next {
		g.Next[i] = -1
		lo, hi := g.Ptr[i], g.Ptr[i+1]
		if i >= from.Detections {
			if entered[i] >= 0 && hi > lo {
				g.Next[i] = int32(lo) // the one way on
			}
			continue
		}
		d := p.dets.Base[t] + i
		next := p.inTrack[d]
		if next == none {
			continue
		}
		j := int32(next - p.dets.Base[t+1])
		if next >= p.dets.Base[t+2] {
			coast, ok := p.leap[d]
			if !ok {
				unpriced++
				continue
			}
			j = int32(to.Detections) + coast
		}
		k, ok := slices.BinarySearch(g.Col[lo:hi], j)
		if !ok {
			unpriced++
			continue
		}
		g.Next[i] = int32(lo + k)
	}
	return unpriced
}
