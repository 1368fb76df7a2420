package task

// This file keeps the assignment problems of mtt pmbm.

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mtt/association/pmbm"
	"mtt/internal/cli"
	"mtt/mapsolver"
	"mtt/mapsolver/lapfile"
	"mtt/mapsolver/ssp"
)

// dumpFormats are the formats of a dump.
var dumpFormats = []string{"laps", "csv", "mm", "mm8"}

// ParseDumpFormats reads the value of --dump-as.
func ParseDumpFormats(text string) ([]string, error) {
	var list []string
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(dumpFormats, word) {
			return nil, cli.Usagef("option --dump-as: %q is not one of %s", word, strings.Join(dumpFormats, ", ")).
				Hinted("%s", cli.DidYouMean(word, "", dumpFormats))
		}
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return list, nil
}

// A dump writes problems to one file for each format. A nil dump writes nothing.
type dump struct {
	count    int
	files    []*dumpFile
	corpus   *lapfile.Writer
	archives []*archive
}

// A dumpFile has another name until it is complete.
type dumpFile struct {
	path string
	file *os.File
	*bufio.Writer
}

// An archive is a .tar.gz of problems with a list of their optima beside it.
type archive struct {
	format string
	tar    *tar.Writer
	zip    *gzip.Writer
	optima *dumpFile
	text   bytes.Buffer
	solver ssp.Solver
	sol    mapsolver.Solution
}

// newDump begins a dump in the folder dir; nil when dir is empty.
func newDump(dir, name string, formats []string) (*dump, error) {
	if dir == "" {
		return nil, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, cli.Usagef("option --dump-lap: %v", err)
	}
	d := &dump{}
	for _, format := range formats {
		base := filepath.Join(dir, name)
		if format == "laps" {
			f, err := d.create(base + ".laps")
			if err != nil {
				return nil, err
			}
			if d.corpus, err = lapfile.NewWriter(f); err != nil {
				return nil, err
			}
			continue
		}
		f, err := d.create(base + "-" + format + ".tar.gz")
		if err != nil {
			return nil, err
		}
		a := &archive{format: format, zip: gzip.NewWriter(f)}
		a.tar = tar.NewWriter(a.zip)
		if a.optima, err = d.create(base + "-" + format + ".optima.csv"); err != nil {
			return nil, err
		}
		fmt.Fprintln(a.optima, "file,rows,cols,entries,status,optimum")
		d.archives = append(d.archives, a)
	}
	return d, nil
}

func (d *dump) create(path string) (*dumpFile, error) {
	file, err := os.Create(path + ".part")
	if err != nil {
		d.discard()
		return nil, err
	}
	f := &dumpFile{path, file, bufio.NewWriterSize(file, 1<<16)}
	d.files = append(d.files, f)
	return f, nil
}

// add writes one problem.
func (d *dump) add(ctx context.Context, p *pmbm.Posed) error {
	d.count++
	optimum := p.Cost
	if !p.Feasible {
		optimum = math.Inf(1)
	}
	if d.corpus != nil {
		var err error
		if p.Cell == nil {
			err = d.corpus.Problem(p.Problem, optimum)
		} else {
			err = d.corpus.Restrict(p.Cell.Fixed, p.Cell.Choice, p.Cell.Forbidden, optimum)
		}
		if err != nil {
			return err
		}
	}
	if len(d.archives) == 0 {
		return nil
	}
	problem := p.Problem
	if p.Cell != nil {
		problem = p.Cell.Problem(problem)
	}
	for _, a := range d.archives {
		if err := a.add(ctx, d.count, problem, optimum); err != nil {
			return err
		}
	}
	return nil
}

// add writes one problem of which the optimum is known, in the layout with a
// column for each row that stays free.
func (a *archive) add(ctx context.Context, number int, p *mapsolver.Problem, optimum float64) error {
	q := lapfile.Square(p)
	if a.format != "mm" { // whole rewards: the optimum is another one
		lapfile.Quantise(q)
		if !math.IsInf(optimum, 1) {
			if err := a.solver.Solve(ctx, &a.sol, q, nil); err != nil {
				return err
			}
			optimum = a.sol.Cost
		}
	}
	a.text.Reset()
	name, write := fmt.Sprintf("%07d.mtx", number), lapfile.WriteMatrixMarket
	if a.format == "csv" {
		name, write = fmt.Sprintf("%07d.csv", number), lapfile.WriteRewards
		optimum = 0 - optimum
	}
	if err := write(&a.text, q); err != nil {
		return err
	}
	status, value := "optimal", fmt.Sprint(optimum)
	if math.IsInf(optimum, 0) {
		status, value = "infeasible", ""
	}
	fmt.Fprintf(a.optima, "%s,%d,%d,%d,%s,%s\n", name, q.Rows, q.Cols, len(q.Col), status, value)
	head := &tar.Header{Name: name, Mode: 0o644, Size: int64(a.text.Len()), Format: tar.FormatUSTAR}
	if err := a.tar.WriteHeader(head); err != nil {
		return err
	}
	_, err := io.Copy(a.tar, &a.text)
	return err
}

// close completes the files and gives them their names.
func (d *dump) close() error {
	if d == nil {
		return nil
	}
	var err error
	if d.corpus != nil {
		err = d.corpus.Close()
	}
	for _, a := range d.archives {
		err = errors.Join(err, a.tar.Close(), a.zip.Close())
	}
	for _, f := range d.files {
		err = errors.Join(err, f.Flush(), f.file.Sync(), f.file.Close())
	}
	if err != nil {
		return err
	}
	for _, f := range d.files {
		if err := os.Rename(f.file.Name(), f.path); err != nil {
			return err
		}
	}
	d.files = nil
	return nil
}

// discard removes the files of a dump that was not closed.
func (d *dump) discard() {
	for _, f := range d.files {
		f.file.Close()
		os.Remove(f.file.Name())
	}
	d.files = nil
}
