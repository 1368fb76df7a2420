package main

// This file is "mtt costs": the gated pair and triplet costs of a scene, for
// other programs.

import (
	"context"
	"io"
	"slices"
	"time"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/npz"
	"mtt/internal/runfolder"
)

func newCostsCommand() *command {
	c, _ := bindCosts()
	return c
}

// bindCosts makes the command together with the options that its flags set.
func bindCosts() (*command, *trackOptions) {
	o := newTrackOptions()
	c := &command{
		name:    "costs",
		summary: "writes the gated costs of a run as costs.npz, for numpy.load",
		args:    "[RUN]",
		maxArgs: 1,
		about: "Gates and prices the detections of a run folder (default: " + runfolder.Default + ") as mtt track\n" +
			"would, and writes the arrays of costs.npz into it. T frames hold N detections in all;\n" +
			"A arcs join detections of consecutive frames, and two arcs at a detection make a triplet:\n\n" +
			"  frame[T], node_ptr[T+1]     frame numbers; detections of frame t are nodes node_ptr[t]…\n" +
			"  gap_ptr[T]                  arcs between frames t and t+1 are gap_ptr[t]…gap_ptr[t+1]-1\n" +
			"  row_ptr[N+1]                arcs that leave node n are row_ptr[n]…row_ptr[n+1]-1\n" +
			"  row[A], col[A]              det of both ends, columns ascending in each row\n" +
			"  pair_cost[A], start_cost[A] of the arc; and extra when it is the first of its track\n" +
			"  triplet_ptr[A+1]            triplets that begin with arc a are triplet_ptr[a]…\n" +
			"  triplet_i, _j, _k, _frame   det in the three frames, and the number of the first frame\n" +
			"  triplet_cost                of both links, beside the pair costs\n",
		examples: "mtt costs\nmtt costs --gate disc:3 --cost trapezoid --format json\n",
		outUsage: "`FILE` for the arrays (default: costs.npz in the run folder)",
	}
	for _, option := range o.bind() {
		if !slices.Contains([]string{"engine", "lap", "device", "max-rounds", "gap", "no-refine", "max-misses"}, option.name) {
			c.options = append(c.options, option)
		}
	}
	c.run = func(ctx context.Context, s *session, args []string) error { return runCosts(ctx, s, o, args) }
	return c, o
}

func runCosts(ctx context.Context, s *session, o *trackOptions, args []string) error {
	dir := runfolder.Default
	if len(args) > 0 {
		dir = args[0]
	}
	folder, err := openRun(dir)
	if err != nil {
		return err
	}
	sc, err := loadScene(folder)
	if err != nil {
		return err
	}
	r, err := writeCosts(ctx, s, o, folder, sc, s.outOr(folder.Path(runfolder.CostsFile)))
	if err != nil {
		return err
	}
	return s.out.print(append(record{{key: "run", value: folder.Dir}}, r...))
}

// writeCosts writes the costs of the scene to the file path and returns what
// there is to say about them.
func writeCosts(ctx context.Context, s *session, o *trackOptions, folder *runfolder.Folder, sc *scene, path string) (record, error) {
	began := time.Now()
	opts, err := o.association(&folder.Meta.Scans, s.common.Workers)
	if err != nil {
		return nil, err
	}
	opts.Engine = association.Dual // of run, it may be one without an instance
	res, err := association.Build(ctx, sc.scans, opts)
	if err != nil {
		return nil, trackFault(err)
	}
	if told := estimated(opts, res, folder.Meta.Scans.Unit); told != "" {
		s.note("estimated: %s", told)
	}
	gates := res.Instance.Gates
	costs := gatedCosts(res.Instance.Scans, gates, res.Model)
	if err := runfolder.WriteFile(path, costs.write); err != nil {
		return nil, err
	}
	size := gating.Count(gates)
	_, filtered := size.Filtered()
	r := record{
		{key: "arcs", value: size.Arcs}, {key: "triplets", value: size.Triplets},
		{key: "filtered_percent", value: filtered, unit: "% of all triplets"},
	}
	if sc.truth != nil {
		lost, all, err := gating.Lost(gates, sc.scans, sc.truth)
		if err != nil {
			return nil, badInput(err)
		}
		r.add("lost_true_arcs", lost)
		r.add("true_arcs", all)
	}
	r.add("cost", o.cost)
	r = append(r, modelFields(res, folder.Meta.Scans.Unit)...)
	r.add("seconds", time.Since(began).Seconds())
	return r, nil
}

// gatedArrays are the arrays of costs.npz, as the help describes them.
type gatedArrays struct {
	frame, nodePtr, gapPtr, rowPtr, tripletPtr []int64
	row, col, tripletI, tripletJ, tripletK     []int32
	tripletFrame                               []int64
	pairCost, startCost, tripletCost           []float64
}

// gatedCosts prices the arcs of gates, gates[t] being the pattern between scans t
// and t+1, and the triplets that they make.
func gatedCosts(scans []mtt.Scan, gates []gating.CSR, model costgen.Model) *gatedArrays {
	g := &gatedArrays{nodePtr: []int64{0}, gapPtr: []int64{0}, rowPtr: []int64{0}, tripletPtr: []int64{0}}
	for t := range scans {
		g.frame = append(g.frame, int64(scans[t].Frame))
		g.nodePtr = append(g.nodePtr, g.nodePtr[t]+int64(scans[t].Len()))
		for i := range scans[t].Len() {
			if t < len(gates) {
				g.arcs(scans, gates, t, i, model)
			}
			g.rowPtr = append(g.rowPtr, int64(len(g.col)))
		}
		if t < len(gates) {
			g.gapPtr = append(g.gapPtr, int64(len(g.col)))
		}
	}
	return g
}

// arcs appends the arcs that leave detection i of scan t and their triplets.
func (g *gatedArrays) arcs(scans []mtt.Scan, gates []gating.CSR, t, i int, model costgen.Model) {
	out := gates[t].Row(i)
	at := len(g.col)
	g.col = append(g.col, out...)
	g.pairCost = append(g.pairCost, make([]float64, len(out))...)
	g.startCost = append(g.startCost, make([]float64, len(out))...)
	model.Pairs(g.pairCost[at:], &scans[t], i, &scans[t+1], out)
	model.Starts(g.startCost[at:], &scans[t], i, &scans[t+1], out)
	for _, j := range out {
		g.row = append(g.row, int32(i))
		if t+1 < len(gates) {
			g.triplets(scans, gates, t, int32(i), j, model)
		}
		g.tripletPtr = append(g.tripletPtr, int64(len(g.tripletCost)))
	}
}

// triplets appends the triplets that begin with the arc from i to j of gap t.
func (g *gatedArrays) triplets(scans []mtt.Scan, gates []gating.CSR, t int, i, j int32, model costgen.Model) {
	next := gates[t+1].Row(int(j))
	at := len(g.tripletCost)
	g.tripletCost = append(g.tripletCost, make([]float64, len(next))...)
	model.Triplets(g.tripletCost[at:], len(next), &scans[t], []int32{i}, &scans[t+1], int(j), &scans[t+2], next)
	for _, k := range next {
		g.tripletI = append(g.tripletI, i)
		g.tripletJ = append(g.tripletJ, j)
		g.tripletK = append(g.tripletK, k)
		g.tripletFrame = append(g.tripletFrame, int64(scans[t].Frame))
	}
}

// write writes the arrays as costs.npz.
func (g *gatedArrays) write(w io.Writer) error {
	z := npz.NewWriter(w, true)
	for _, a := range []struct {
		name string
		data []int64
	}{
		{"frame", g.frame}, {"node_ptr", g.nodePtr}, {"gap_ptr", g.gapPtr}, {"row_ptr", g.rowPtr},
		{"triplet_ptr", g.tripletPtr}, {"triplet_frame", g.tripletFrame},
	} {
		if err := npz.Add(z, a.name, a.data); err != nil {
			return err
		}
	}
	for _, a := range []struct {
		name string
		data []int32
	}{
		{"row", g.row}, {"col", g.col},
		{"triplet_i", g.tripletI}, {"triplet_j", g.tripletJ}, {"triplet_k", g.tripletK},
	} {
		if err := npz.Add(z, a.name, a.data); err != nil {
			return err
		}
	}
	for _, a := range []struct {
		name string
		data []float64
	}{
		{"pair_cost", g.pairCost}, {"start_cost", g.startCost}, {"triplet_cost", g.tripletCost},
	} {
		if err := npz.Add(z, a.name, a.data); err != nil {
			return err
		}
	}
	return z.Close()
}
