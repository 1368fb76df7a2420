package task

// This file writes the gated pair and triplet costs of a scene, for other programs.

import (
	"context"
	"io"
	"time"

	"mtt"
	"mtt/association"
	"mtt/costgen"
	"mtt/gating"
	"mtt/internal/cli"
	"mtt/internal/npz"
	"mtt/internal/runfolder"
)

// WriteCosts writes the costs of the scene to the file path, or into the folder where
// that is empty, and returns what there is to say about them.
func WriteCosts(ctx context.Context, s *cli.Session, o *TrackOptions, folder *runfolder.Folder, sc *Scene, path string) (cli.Record, error) {
	began := time.Now()
	opts, err := o.Association(&folder.Meta, s.Common.Workers)
	if err != nil {
		return nil, err
	}
	opts.Engine = association.Dual // of run, it may be one without an instance
	res, err := association.Build(ctx, sc.Scans, opts)
	if err != nil {
		return nil, TrackFault(err)
	}
	if told := estimated(opts, res, folder.Meta.Scans.Unit); told != "" {
		s.Note("estimated: %s", told)
	}
	gates := res.Instance.Gates
	costs := gatedCosts(res.Instance.Scans, gates, res.Model)
	if path == "" {
		err = folder.WriteFile(runfolder.CostsFile, costs.write)
	} else {
		err = runfolder.WriteFile(path, costs.write)
	}
	if err != nil {
		return nil, err
	}
	size := gating.Count(gates)
	_, filtered := size.Filtered()
	r := cli.Record{
		{Key: "arcs", Value: size.Arcs}, {Key: "triplets", Value: size.Triplets},
		{Key: "filtered_percent", Value: filtered, Unit: "% of all triplets"},
	}
	if sc.Truth != nil {
		lost, all, err := gating.Lost(gates, sc.Scans, sc.Truth)
		if err != nil {
			return nil, cli.BadInput(err)
		}
		r.Add("lost_true_arcs", lost)
		r.Add("true_arcs", all)
	}
	r.Add("cost", o.cost)
	r = append(r, modelFields(res, folder.Meta.Scans.Unit)...)
	r.Add("seconds", time.Since(began).Seconds())
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
