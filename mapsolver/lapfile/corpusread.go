package lapfile

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"

	"mtt/internal/text"
	"mtt/mapsolver"
)

// This file reads a corpus.

// A corpus is one that has been read into memory, decompressed.
type corpus struct {
	name string
	data []byte
}

// A member is where a problem stands in a corpus.
type member struct {
	of      *corpus
	problem int // offset of its P record
	at      int // offset of its own record
}

// maxCorpus is the largest number of rows, columns or entries of one problem.
const maxCorpus = 1 << 28

// Columns and problems are cheap in a corpus: a column without entries takes no byte, and a
// restriction two. Their numbers are bounded by what is there, and this on top.
const (
	maxSpareCols = 1 << 16 // columns of one problem beyond eight for each row and entry
	maxSpread    = 1 << 24 // rows, columns and entries of all problems beyond 256 for each byte
)

// openCorpus lists the problems of the corpus at path. Problems are checked here,
// their restrictions when they are read.
func openCorpus(path string) ([]File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return listCorpus(path, f)
}

// listCorpus lists the problems of the corpus in r.
func listCorpus(name string, r io.Reader) ([]File, error) {
	head := make([]byte, len(corpusMagic))
	if _, err := io.ReadFull(r, head); err != nil || string(head) != corpusMagic {
		return nil, &SyntaxError{File: name, Msg: "the file is no corpus of version 1", Hint: "'mtt pmbm --dump-lap' writes them"}
	}
	r, err := text.Decompress(name, r)
	if err != nil {
		return nil, err
	}
	data, err := readAll(r, 0, maxBytes)
	if err != nil {
		return nil, damaged(name, err)
	}
	c := &corpus{name, data}
	var files []File
	problem, size := -1, 0
	d := decoder{corpus: c}
	for {
		at := d.at
		switch d.byte() {
		case 'P':
			problem = at
			d.problem()
		case 'R':
			if problem < 0 {
				d.fail("a restriction comes before the first problem")
				break
			}
			d.take(d.masks())
		case 'E':
			if n := d.uvarint(math.MaxInt32); d.err == nil && n != len(files) {
				d.fail(fmt.Sprintf("it announces %d problems and holds %d", n, len(files)))
			}
			if d.err == nil && d.at != len(data) {
				d.fail("something follows its end")
			}
			return files, d.err
		default:
			d.fail("a record of unknown kind")
		}
		d.answer()
		if d.err != nil {
			return nil, d.err
		}
		if size += d.p.Rows + d.p.Cols + len(d.p.Col); size > maxSpread+256*len(data) {
			d.fail(fmt.Sprintf("the problems so far have %d rows, columns and entries, more than 256 for each byte", size))
			return nil, d.err
		}
		files = append(files, File{Name: fmt.Sprintf("%s/%d", name, len(files)+1), laps: &member{c, problem, at}})
	}
}

// read makes the problem, and its optimum: +Inf when it is infeasible.
func (m *member) read() (p *mapsolver.Problem, optimum float64, err error) {
	d := decoder{corpus: m.of, at: m.problem + 1}
	p = d.problem()
	if m.at != m.problem {
		d.at = m.at + 1
		d.p = p
		p = d.restriction()
	}
	optimum = d.answer()
	if d.err == nil {
		if err := p.Validate(); err != nil {
			d.fail(err.Error())
		}
	}
	return p, optimum, d.err
}

// A decoder takes a corpus apart. After an error it returns zeros.
type decoder struct {
	*corpus
	at   int
	p    *mapsolver.Problem // the last one
	size int                // what masks has found; negative: not counted yet
	err  error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = &SyntaxError{File: d.name, Msg: fmt.Sprintf("byte %d of the decompressed data: %s", d.at, what),
			Hint: "it may have been cut short"}
	}
}

// take is the next n bytes, nil after an error.
func (d *decoder) take(n int) []byte {
	if d.err == nil && len(d.data)-d.at < n {
		d.fail("the data ends early")
	}
	if d.err != nil {
		return nil
	}
	d.at += n
	return d.data[d.at-n : d.at]
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint is a number of at most most.
func (d *decoder) uvarint(most int) int {
	if d.err != nil {
		return 0
	}
	x, n := binary.Uvarint(d.data[d.at:])
	if n <= 0 || x > uint64(most) {
		d.fail("a number is out of range")
		return 0
	}
	d.at += n
	return int(x)
}

// floats is the next n doubles.
func (d *decoder) floats(n int) []float64 {
	b := d.take(8 * n)
	if b == nil {
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return x
}

// problem reads a P record after its first byte. It takes no more memory than the
// data that is left.
func (d *decoder) problem() *mapsolver.Problem {
	p := &mapsolver.Problem{Rows: d.uvarint(min(maxCorpus, len(d.data))), Cols: d.uvarint(maxCorpus), Ptr: []int{0}}
	flags := d.uvarint(3)
	for range p.Rows {
		last := -1
		for range d.uvarint(len(d.data)) {
			last += d.uvarint(maxCorpus)
			if d.err != nil {
				return p
			}
			p.Col = append(p.Col, int32(last))
		}
		p.Ptr = append(p.Ptr, len(p.Col))
	}
	if most := maxSpareCols + 8*(p.Rows+len(p.Col)); p.Cols > most {
		d.fail(fmt.Sprintf("a problem of %d columns with %d rows and %d entries; the limit is %d columns", p.Cols, p.Rows, len(p.Col), most))
		return p
	}
	p.Cost = d.floats(len(p.Col))
	if flags&1 != 0 {
		p.RowMiss = d.floats(p.Rows)
	}
	if flags&2 != 0 {
		p.ColMiss = d.floats(p.Cols)
	}
	if d.err == nil {
		if err := p.Validate(); err != nil {
			d.fail(err.Error())
		}
	}
	d.p, d.size = p, -1
	return p
}

// masks is the number of bytes of a restriction of the last problem.
func (d *decoder) masks() int {
	if d.size < 0 {
		d.size = 0
		for r := range d.p.Rows {
			d.size += (choices(d.p, r) + 7) / 8
		}
	}
	return d.size
}

// restriction reads an R record after its first byte.
func (d *decoder) restriction() *mapsolver.Problem {
	p := d.p
	if d.err != nil {
		return p
	}
	q := &mapsolver.Problem{Rows: p.Rows, Cols: p.Cols, Ptr: make([]int, 1, p.Rows+1)}
	q.RowMiss, q.ColMiss = make([]float64, p.Rows), p.ColMiss
	if p.ColMiss == nil {
		q.ColMiss = make([]float64, p.Cols)
		for c := range q.ColMiss {
			q.ColMiss[c] = p.NilColBound()
		}
	}
	for r := range p.Rows {
		n := choices(p, r)
		mask := d.take((n + 7) / 8)
		if d.err != nil {
			return p
		}
		if n%8 > 0 && mask[len(mask)-1]>>(n%8) > 0 {
			d.fail("a row allows a choice that it does not have")
		}
		allowed := func(k int) bool { return mask[k/8]>>(k%8)&1 != 0 }
		for e := p.Ptr[r]; e < p.Ptr[r+1]; e++ {
			if allowed(e - p.Ptr[r]) {
				q.Col, q.Cost = append(q.Col, p.Col[e]), append(q.Cost, p.Cost[e])
			}
		}
		q.Ptr = append(q.Ptr, len(q.Col))
		q.RowMiss[r] = p.RowBound(r)
		if k := p.Ptr[r+1] - p.Ptr[r]; !p.MustServeRow(r) && !allowed(k) {
			q.RowMiss[r] = math.Inf(1)
		}
	}
	return q
}

// answer reads the end of a record.
func (d *decoder) answer() float64 {
	switch d.byte() {
	case 0:
		return math.Inf(1)
	case 1:
		if x := d.floats(1); x != nil {
			if math.IsNaN(x[0]) || math.IsInf(x[0], 0) {
				d.fail("an optimum is no number")
			}
			return x[0]
		}
	default:
		d.fail("the answer is neither 0 nor 1")
	}
	return math.NaN()
}
