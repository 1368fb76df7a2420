package cuda

import (
	"fmt"
	"math"
	"slices"

	"mtt"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/cuda"
)

// This file makes a problem of scans on the card: of a few numbers for each
// detection, all of the pairs and triplets.

// NewPaper puts the problem of scans, at least two, under the paper's cost on the
// card: that which [gating.Chain] and package association would make of them with the
// same gate and model. Detections are all that is copied. Triplets are not even made
// there: their costs are differences of the lengths of two links, and the least over
// one of the two can be read off after a scan of lengths in order, so that a pass
// takes the time of the pairs.
//
// Scans have velocities, and the model's Euclid is false. It takes some 160 bytes of
// the card for each pair. The error wraps [ErrUnavailable] when there is no card.
func NewPaper(scans []mtt.Scan, gate gating.Disc, model *costgen.Paper) (*Ascent, error) {
	return single(paperSource(scans, gate, model))
}

// A source makes problems on cards out of scans: of all, or of frames from lo to hi−1.
type source struct {
	scans         []mtt.Scan
	rows, columns int // of the largest gap
	gate          gating.Disc
	ends          costgen.Ends
	quadratic     []float64 // 12 for each scan; nil: the paper's cost
}

// newSource panics where scans or gate are none for the card.
func newSource(scans []mtt.Scan, gate gating.Disc, ends costgen.Ends) *source {
	switch {
	case len(scans) < 2:
		panic(noGaps)
	case gate.MaxSpeed > 0:
		panic(noMaxSpeed)
	case gate.Epsilon == 0:
		gate.Epsilon = 5
	}
	s := &source{scans: scans, gate: gate, ends: ends}
	for t := 1; t < len(scans); t++ {
		s.rows, s.columns = max(s.rows, scans[t-1].Len()), max(s.columns, scans[t].Len())
	}
	return s
}

func paperSource(scans []mtt.Scan, gate gating.Disc, model *costgen.Paper) *source {
	if model.Euclid {
		panic(noEuclid)
	}
	return newSource(scans, gate, model.Prices)
}

// NewGaussian does the same under the cost of a Gaussian model, whose triplets are
// priced on the card and stored there: 8 bytes for each that passes the gate. The model
// has no ManoeuvreProb, no SizeStd, and reads velocities.
func NewGaussian(scans []mtt.Scan, gate gating.Disc, model *costgen.Gaussian) (*Ascent, error) {
	return single(gaussianSource(scans, gate, model))
}

func gaussianSource(scans []mtt.Scan, gate gating.Disc, model *costgen.Gaussian) *source {
	if model.PositionsOnly || model.SizeStd > 0 {
		panic(noVelocity)
	}
	s := newSource(scans, gate, model.Ends())
	s.quadratic = make([]float64, 0, 12*len(scans))
	for t := range scans {
		before, after := scans[max(t-1, 0)].Time, scans[min(t+1, len(scans)-1)].Time
		dt1, dt2 := scans[t].Time-before, after-scans[t].Time
		if t == 0 {
			dt1 = dt2
		}
		if t == len(scans)-1 {
			dt2 = dt1
		}
		start, triplet, gain := model.Quadratics(scans[t].Dim, dt1, dt2)
		s.quadratic = append(s.quadratic, start.PP, start.PV, start.VV, start.Level,
			triplet.PP, triplet.PV, triplet.VV, triplet.Level, gain[0][0], gain[0][1], gain[1][0], gain[1][1])
	}
	return s
}

// single is the problem of all scans on one card.
func single(s *source) (*Ascent, error) {
	a := new(Ascent)
	if err := a.generate(s, 0, len(s.scans)); err != nil {
		_ = a.Free()
		return nil, err
	}
	return a, nil
}

const (
	noVelocity = "dualascent/cuda: a scan, or a model, without velocities"
	noEuclid   = "dualascent/cuda: straight lengths are not for the card"
	noMaxSpeed = "dualascent/cuda: a gate by the largest speed is not for the card"
)

// A scene is what scans look like to the kernels.
type scene struct {
	first, frame  []int32
	feature, time []float64
}

func newScene(scans []mtt.Scan) *scene {
	s := &scene{first: []int32{0}}
	for t := range scans {
		scan := &scans[t]
		n := scan.Len()
		if n > 0 && scan.Vel == nil {
			panic(noVelocity)
		}
		for i := range n {
			var f [6]float64
			copy(f[:3], scan.At(i))
			copy(f[3:], scan.VelAt(i))
			s.feature = append(s.feature, f[:]...)
			s.frame = append(s.frame, int32(t))
		}
		s.first = append(s.first, int32(len(s.frame)))
		s.time = append(s.time, scan.Time)
	}
	return s
}

// generate makes the problem of the frames from lo to hi−1 of a source.
func (a *Ascent) generate(from *source, lo, hi int) error {
	a.size.frames = hi - lo
	var quadratic []float64
	if from.quadratic != nil {
		quadratic = from.quadratic[12*lo : 12*hi]
	}
	s := newScene(from.scans[lo:hi])
	n := len(s.frame)
	a.size.nodes = n
	if err := a.begin(from.rows, from.columns); err != nil {
		return err
	}
	var scratch cuda.Memory
	defer scratch.Free()
	if err := scratch.Resize(a.card.device, 8*(6*n+a.size.frames+len(quadratic))+4*(a.size.frames+1)+4*3*n+4*2*(n+1)); err != nil {
		return err
	}
	m := &a.model
	m.frames, m.nodes = int32(a.size.frames), int32(n)
	task := &generateTask{
		feature: scratch.Address(0), time: scratch.Address(8 * 6 * n),
		epsilon: from.gate.Epsilon, margin: from.gate.Margin,
	}
	m.first = task.time + uintptr(8*a.size.frames)
	if quadratic != nil {
		task.quadratic = m.first
		m.first += uintptr(8 * len(quadratic))
		if err := cuda.Write(a.stream, task.quadratic, quadratic); err != nil {
			return err
		}
	}
	m.frame = m.first + uintptr(4*(a.size.frames+1))
	m.out = m.frame + uintptr(4*n)
	m.in = m.out + uintptr(4*(n+1))
	task.outs = m.in + uintptr(4*(n+1))
	task.ins = task.outs + uintptr(4*n)
	if err := cuda.Write(a.stream, task.feature, s.feature); err != nil {
		return err
	}
	if err := cuda.Write(a.stream, task.time, s.time); err != nil {
		return err
	}
	outs, ins, err := a.countPairs(s, task)
	if err != nil {
		return err
	}

	a.size.arcs = int(outs[n])
	most := int64(1)
	for k := range n {
		out, in := int64(outs[k+1]-outs[k]), int64(ins[k+1]-ins[k])
		most = max(most, out, in)
		a.size.triplets += int(out * in)
		if quadratic != nil {
			a.size.d += int((out + 1) * (in + 1))
		}
	}
	if err := a.limit(int(most)); err != nil {
		return err
	}
	if err := a.allocate(); err != nil {
		return err
	}
	if err := a.writeLists(s, outs, ins); err != nil {
		return err
	}
	if err := a.writeEnds(s, from.ends); err != nil {
		return err
	}
	return a.fill(task)
}

// countPairs counts the pairs that pass the gate, and returns where the lists of the
// nodes begin and end.
func (a *Ascent) countPairs(s *scene, task *generateTask) (outs, ins []int32, err error) {
	m, n := &a.model, a.size.nodes
	if err = cuda.Write(a.stream, m.first, s.first); err != nil {
		return nil, nil, err
	}
	if err = cuda.Write(a.stream, m.frame, s.frame); err != nil {
		return nil, nil, err
	}
	task.model = *m
	if err = launch(a, "gate_count", 0, task); err != nil {
		return nil, nil, err
	}
	outs, ins = make([]int32, n+1), make([]int32, n+1)
	if err = cuda.Read(a.stream, outs[1:], task.outs); err != nil {
		return nil, nil, err
	}
	if err = cuda.Read(a.stream, ins[1:], task.ins); err != nil {
		return nil, nil, err
	}
	for _, list := range [][]int32{outs, ins} {
		sum := int64(0)
		for k, x := range list {
			if sum += int64(x); sum > math.MaxInt32 {
				return nil, nil, fmt.Errorf("dualascent/cuda: more than %d pairs are too many for the card", math.MaxInt32)
			}
			list[k] = int32(sum)
		}
	}
	return outs, ins, nil
}

// writeLists copies what the host knows of the nodes.
func (a *Ascent) writeLists(s *scene, outs, ins []int32) error {
	m := &a.model
	for _, list := range []struct {
		address uintptr
		from    []int32
	}{{m.first, s.first}, {m.frame, s.frame}, {m.out, outs}, {m.in, ins}} {
		if err := cuda.Write(a.stream, list.address, list.from); err != nil {
			return err
		}
	}
	block := slices.Repeat([]int64{-1}, a.size.nodes)
	if a.size.d > 0 {
		at := int64(0)
		for n := range block {
			block[n] = at
			at += int64(outs[n+1]-outs[n]+1) * int64(ins[n+1]-ins[n]+1)
		}
	}
	return cuda.Write(a.stream, m.block, block)
}

// writeEnds copies the costs of births and deaths, and of a detection that has both.
func (a *Ascent) writeEnds(s *scene, e costgen.Ends) error {
	m, n := &a.model, a.size.nodes
	birth, death := slices.Repeat([]float64{e.Birth}, n), slices.Repeat([]float64{e.Death}, n)
	for i, f := range s.frame {
		if int(f) == a.size.frames-1 {
			birth[i] = min(e.Birth, e.Clutter)
		}
		if f == 0 {
			death[i] = min(e.Death, e.Clutter-e.First)
		}
	}
	alone := slices.Repeat([]float64{min(0, e.Clutter-e.Birth-e.Death)}, n)
	for _, list := range []struct {
		address uintptr
		from    []float64
	}{{m.birth, birth}, {m.death, death}, {m.alone, alone}} {
		if err := cuda.Write(a.stream, list.address, list.from); err != nil {
			return err
		}
	}
	return nil
}

// fill makes arcs and lists, and clears the state.
func (a *Ascent) fill(task *generateTask) error {
	task.model = a.model
	for _, kernel := range []string{"gate_leave", "gate_enter"} {
		if err := launch(a, kernel, 0, task); err != nil {
			return err
		}
	}
	if err := a.order(); err != nil {
		return err
	}
	if a.size.d > 0 {
		if err := launch(a, "gate_gaussian", 0, task); err != nil {
			return err
		}
	}
	return a.clear()
}
