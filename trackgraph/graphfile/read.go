package graphfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"mtt/internal/npz"
	"mtt/internal/text"
	"mtt/trackgraph"
)

// This file reads graphs.

// A File is a graph with the names of its detections.
type File struct {
	trackgraph.Graph
	Names  []string // of the detections; nil: their numbers
	Format string   // csv, jsonl, npz, conservation, lp or mps
}

// Name is the name of detection d.
func (f *File) Name(d int) string {
	if f.Names == nil {
		return strconv.Itoa(d)
	}
	return f.Names[d]
}

// Read reads the graph in a file, whose format its first bytes say. Errors of the content
// are of type [text.SyntaxError].
func Read(name string) (*File, error) {
	in, err := text.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	b := newBuilder(name)
	head := bytes.TrimSpace(text.WithoutMark(data[:min(len(data), 4096)]))
	switch {
	case bytes.HasPrefix(data, []byte("PK")):
		err = b.npz(data)
	case bytes.HasPrefix(head, []byte("[")):
		err = &text.SyntaxError{File: name, Line: 1, Msg: "the file begins with a JSON list", Hint: "write one object on each line, without brackets around and commas between them"}
	case bytes.HasPrefix(head, []byte("{")) && bytes.Contains(data, []byte(`"segmentationHypotheses"`)):
		err = b.conservation(data)
	case bytes.HasPrefix(head, []byte("{")):
		err = b.lines(data, b.jsonLine)
		b.f.Format = "jsonl"
	case isLP(head):
		err = b.programme("lp", data, readLP)
	case isMPS(head):
		err = b.programme("mps", data, readMPS)
	default:
		err = b.lines(data, b.csvLine)
		b.f.Format = "csv"
	}
	if err != nil {
		return nil, err
	}
	if err := b.f.Validate(); err != nil {
		hint := ""
		if msg := err.Error(); b.f.Format == "npz" && (strings.Contains(msg, ": from ") || strings.Contains(msg, "want two of") || strings.Contains(msg, "but there are")) {
			hint = "elements of tail, head, triplet and division count from 0"
		}
		return nil, &text.SyntaxError{File: name, Msg: strings.TrimPrefix(err.Error(), "trackgraph: "), Hint: hint}
	}
	return b.f, nil
}

// programme reads an integer programme that is a tracking problem.
func (b *builder) programme(format string, data []byte, read func(string, []byte) (*programme, error)) error {
	p, err := read(b.name, data)
	if err != nil {
		return err
	}
	if b.f, err = p.graph(); err == nil {
		b.f.Format = format
	}
	return err
}

// A builder collects a graph.
type builder struct {
	f     *File
	name  string // of the file
	line  int
	index map[string]int32
	arc   map[[2]int32]int32
	pairs map[trackgraph.Triplet]bool // of arcs that have a price; divisions have −1 for it, triplets 0
}

func newBuilder(name string) *builder {
	return &builder{f: &File{}, name: name, index: make(map[string]int32), arc: make(map[[2]int32]int32), pairs: make(map[trackgraph.Triplet]bool)}
}

func (b *builder) fault(hint, format string, args ...any) error {
	return &text.SyntaxError{File: b.name, Line: b.line, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

// lines calls read for each line.
func (b *builder) lines(data []byte, read func([]byte) error) error {
	l := text.NewLines(bytes.NewReader(data), b.name)
	for {
		line, err := l.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.line = l.Line
		if line[0] == '#' {
			continue
		}
		if err := read(line); err != nil {
			return err
		}
	}
}

// prices of a detection; NaN is the default.
type prices struct{ use, birth, end, unused, divide, merge float64 }

// detection adds one.
func (b *builder) detection(id string, frame int, p prices) error {
	if _, ok := b.index[id]; ok {
		return b.fault("", "a second detection %q", id)
	}
	f := b.f
	b.index[id] = int32(len(f.Frame))
	f.Names = append(f.Names, id)
	f.Frame = append(f.Frame, frame)
	or := func(x, without float64) float64 {
		if math.IsNaN(x) {
			return without
		}
		return x
	}
	f.Use, f.Birth, f.End = append(f.Use, or(p.use, 0)), append(f.Birth, or(p.birth, 0)), append(f.End, or(p.end, 0))
	f.False = append(f.False, or(p.unused, 0))
	f.Divide, f.Merge = append(f.Divide, or(p.divide, math.Inf(1))), append(f.Merge, or(p.merge, math.Inf(1)))
	return nil
}

// find is the detection of a name.
func (b *builder) find(id string) (int32, error) {
	d, ok := b.index[id]
	if !ok {
		hint := "detections come before the arcs between them"
		if b.f.Format == "conservation" {
			hint = "src and dest are ids of segmentationHypotheses"
		}
		if _, whole := b.index[strings.TrimSuffix(id, ".0")]; whole {
			hint = fmt.Sprintf("there is one called %q: names are compared as they are written", strings.TrimSuffix(id, ".0"))
		}
		return 0, b.fault(hint, "no detection is called %q", id)
	}
	return d, nil
}

func (b *builder) addArc(tail, head string, cost float64) error {
	i, err := b.find(tail)
	if err != nil {
		return err
	}
	j, err := b.find(head)
	if err != nil {
		return err
	}
	if i == j {
		return b.fault("each arc leads to a later detection", "an arc from %s to itself", tail)
	}
	if b.f.Frame[i] >= b.f.Frame[j] {
		return b.fault("the earlier detection comes first", "an arc from %s of frame %d to %s of frame %d does not go forward in time",
			tail, b.f.Frame[i], head, b.f.Frame[j])
	}
	if _, ok := b.arc[[2]int32{i, j}]; ok {
		return b.fault("", "a second arc from %s to %s", tail, head)
	}
	b.arc[[2]int32{i, j}] = int32(len(b.f.Cost))
	b.f.Tail, b.f.Head, b.f.Cost = append(b.f.Tail, i), append(b.f.Head, j), append(b.f.Cost, cost)
	return nil
}

func (b *builder) findArc(tail, head string) (int32, error) {
	i, err := b.find(tail)
	if err != nil {
		return 0, err
	}
	j, err := b.find(head)
	if err != nil {
		return 0, err
	}
	a, ok := b.arc[[2]int32{i, j}]
	if !ok {
		return 0, b.fault("arcs come before what refers to them", "there is no arc from %s to %s", tail, head)
	}
	return a, nil
}

// pair adds a triplet or a division.
func (b *builder) pair(kind string, names []string, cost float64) error {
	first, err := b.findArc(names[0], names[1])
	if err != nil {
		return err
	}
	from := names[1]
	if kind == "division" {
		from = names[0]
	}
	second, err := b.findArc(from, names[2])
	if err != nil {
		return err
	}
	if first == second {
		return b.fault("a division has two daughters", "a division of %s into %s and itself", names[0], names[1])
	}
	key := trackgraph.Triplet{In: first, Out: second}
	if kind == "division" {
		key = trackgraph.Triplet{In: min(first, second), Out: max(first, second), Cost: -1}
	}
	if b.pairs[key] {
		return b.fault("", "a second price of the %s %s", kind, strings.Join(names, ", "))
	}
	b.pairs[key] = true
	if kind == "division" {
		b.f.Divisions = append(b.f.Divisions, trackgraph.Division{First: first, Second: second, Cost: cost})
	} else {
		b.f.Triplets = append(b.f.Triplets, trackgraph.Triplet{In: first, Out: second, Cost: cost})
	}
	return nil
}

// fields are those of a line of CSV, without blanks around them, or quotes.
func (b *builder) fields(line string) (w []string, err error) {
	if !strings.Contains(line, `"`) {
		w = strings.Split(line, ",")
		for k := range w {
			w[k] = strings.TrimSpace(w[k])
		}
		return w, nil
	}
	for {
		line = strings.TrimSpace(line)
		rest, quoted := strings.CutPrefix(line, `"`)
		if !quoted {
			field, after, more := strings.Cut(line, ",")
			if w = append(w, strings.TrimSpace(field)); !more {
				return w, nil
			}
			line = after
			continue
		}
		var field strings.Builder
		for {
			part, after, closed := strings.Cut(rest, `"`)
			if !closed {
				return nil, b.fault("", "the quote before field %d has no other", len(w)+1)
			}
			field.WriteString(part)
			if rest = after; !strings.HasPrefix(rest, `"`) {
				break
			}
			field.WriteByte('"')
			rest = rest[1:]
		}
		w = append(w, field.String())
		if rest = strings.TrimSpace(rest); rest == "" {
			return w, nil
		} else if rest[0] != ',' {
			return nil, b.fault("fields are separated by commas", "%q follows the quoted field %d", rest[:1], len(w))
		}
		line = rest[1:]
	}
}

func (b *builder) csvLine(line []byte) error {
	w, err := b.fields(string(line))
	if err != nil {
		return err
	}
	kind := w[0]
	if n, ok := counts[kind]; ok { // spreadsheets fill up lines with empty fields
		for len(w) > n[1] && w[len(w)-1] == "" {
			w = w[:len(w)-1]
		}
	}
	number := func(k int) (float64, error) {
		if k >= len(w) || w[k] == "" {
			return math.NaN(), nil
		}
		x, err := strconv.ParseFloat(w[k], 64)
		if err != nil || math.IsNaN(x) {
			return 0, b.fault("a price is a number, or inf where it is forbidden", "field %d is %q", k+1, w[k])
		}
		return x, nil
	}
	n, ok := counts[kind]
	if !ok {
		hint := "each line begins with detection, arc, triplet or division"
		if strings.ContainsAny(kind, ";\t") {
			hint = "fields are separated by commas, and decimals have a point"
		}
		return b.fault(hint, "the line begins with %q", kind)
	}
	if len(w) < n[0] || len(w) > n[1] {
		return b.fault("a line is "+forms[kind], "%s, want %s", text.Count(len(w), "field"), between(n))
	}
	if kind == "detection" {
		frame, err := wholeNumber(w[2])
		if err != nil {
			return b.fault("the third field is the number of the frame", "field 3 is %q", w[2])
		}
		var p prices
		for k, to := range []*float64{&p.use, &p.birth, &p.end, &p.unused, &p.divide, &p.merge} {
			if *to, err = number(3 + k); err != nil {
				return err
			}
		}
		return b.detection(w[1], frame, p)
	}
	cost, err := number(len(w) - 1)
	if err != nil {
		return err
	}
	if math.IsNaN(cost) || math.IsInf(cost, 0) {
		return b.fault("leave out what is forbidden", "the cost of an %s is %q", kind, w[len(w)-1])
	}
	if kind == "arc" {
		return b.addArc(w[1], w[2], cost)
	}
	return b.pair(kind, w[1:4], cost)
}

// The lines of CSV: how many fields they have, and which.
var (
	counts = map[string][2]int{"detection": {3, 9}, "arc": {4, 4}, "triplet": {5, 5}, "division": {5, 5}}
	forms  = map[string]string{"detection": "detection,ID,FRAME,USE,BIRTH,END,FALSE,DIVIDE,MERGE", "arc": "arc,TAIL,HEAD,COST",
		"triplet": "triplet,FIRST,MIDDLE,LAST,COST", "division": "division,MOTHER,DAUGHTER,DAUGHTER,COST"}
)

func between(n [2]int) string {
	if n[0] == n[1] {
		return strconv.Itoa(n[0])
	}
	return fmt.Sprintf("%d to %d", n[0], n[1])
}

// wholeNumber is the number of a frame, which may be written as 3.0 or 3e2.
func wholeNumber(word string) (int, error) {
	k, err := strconv.Atoi(word)
	if err == nil {
		return k, nil
	}
	x, err := strconv.ParseFloat(word, 64)
	if err == nil && (x != math.Trunc(x) || math.Abs(x) > 1<<53) {
		err = strconv.ErrSyntax
	}
	return int(x), err
}

// bareInfinity is what no JSON has.
var bareInfinity = regexp.MustCompile(`(:\s*\+?)Infinity`)

// A word is a JSON string, or a number taken as it is written.
type word string

func (w *word) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) == nil {
		*w = word(s)
		return nil
	}
	var n json.Number
	if err := json.Unmarshal(data, &n); err != nil {
		return errors.New("a name is a string or a number")
	}
	*w = word(n.String())
	return nil
}

func names(list []word) []string {
	out := make([]string, len(list))
	for k, w := range list {
		out[k] = string(w)
	}
	return out
}

// A real is a JSON number, or a string that is one: "inf".
type real float64

func (x *real) UnmarshalJSON(data []byte) error {
	v, err := strconv.ParseFloat(strings.Trim(string(data), `"`), 64)
	if *x = real(v); err != nil || math.IsNaN(v) {
		return fmt.Errorf("%s is not a number, or \"inf\" where it is forbidden", data)
	}
	return nil
}

// A whole is a JSON number that is one.
type whole int

func (k *whole) UnmarshalJSON(data []byte) error {
	v, err := wholeNumber(string(data))
	if *k = whole(v); err != nil {
		return fmt.Errorf("%s is not the number of a frame", data)
	}
	return nil
}

func (b *builder) jsonLine(line []byte) error {
	type object struct {
		Detection                             *word
		Frame                                 *whole
		Use, Birth, End, False, Divide, Merge *real
		Arc, Triplet, Division                []word
		Cost                                  *real
	}
	decode := func(line []byte) (o object, err error) {
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err = d.Decode(&o); err == nil && len(bytes.Trim(line[d.InputOffset():], " ,")) > 0 {
			err = errors.New("another value follows the object")
		}
		return o, err
	}
	o, err := decode(line)
	if err != nil && bytes.Contains(line, []byte("Infinity")) { // as Python writes it
		o, err = decode(bareInfinity.ReplaceAll(line, []byte(`$1"inf"`)))
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		err = fmt.Errorf("%s is a %s", strings.ToLower(wrong.Field), wrong.Value)
	}
	if err != nil {
		return b.fault("one JSON object on each line", "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	or := func(x *real) float64 {
		if x == nil {
			return math.NaN()
		}
		return float64(*x)
	}
	if o.Detection != nil {
		if o.Frame == nil {
			return b.fault("", "detection %s has no frame", *o.Detection)
		}
		return b.detection(string(*o.Detection), int(*o.Frame), prices{or(o.Use), or(o.Birth), or(o.End), or(o.False), or(o.Divide), or(o.Merge)})
	}
	if o.Cost == nil {
		return b.fault("", "no cost, and no detection")
	}
	cost := float64(*o.Cost)
	if math.IsInf(cost, 0) {
		return b.fault("leave out what is forbidden", "the cost is %v", cost)
	}
	switch {
	case len(o.Arc) == 2:
		w := names(o.Arc)
		return b.addArc(w[0], w[1], cost)
	case len(o.Triplet) == 3:
		return b.pair("triplet", names(o.Triplet), cost)
	case len(o.Division) == 3:
		return b.pair("division", names(o.Division), cost)
	}
	return b.fault("", "want arc with 2 names, triplet with 3 or division with 3")
}

// npz reads arrays.
func (b *builder) npz(data []byte) error {
	b.f.Format = "npz"
	file, err := npz.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return &text.SyntaxError{File: b.name, Msg: err.Error()}
	}
	have := make(map[string]bool)
	for _, n := range file.Names() {
		have[strings.TrimSuffix(n, ".npy")] = true
	}
	get := func(name string) ([]float64, error) {
		if !have[name] {
			return nil, nil
		}
		a, err := file.Array(name)
		if err != nil {
			return nil, &text.SyntaxError{File: b.name, Msg: fmt.Sprintf("array %s: %v", name, err)}
		}
		return a.Float64s(), nil
	}
	numbers := func(name string) ([]int32, error) {
		x, err := get(name)
		if err != nil {
			return nil, err
		}
		out := make([]int32, len(x))
		for k, v := range x {
			if v != math.Trunc(v) || math.Abs(v) > math.MaxInt32 {
				return nil, &text.SyntaxError{File: b.name, Msg: fmt.Sprintf("array %s: element %d is %v, want a whole number below 2³¹", name, k, v), Hint: "detections and arcs are meant by their numbers, from 0"}
			}
			out[k] = int32(v)
		}
		return out, nil
	}
	for _, must := range []string{"frame", "tail", "head", "cost"} {
		if !have[must] {
			return &text.SyntaxError{File: b.name, Msg: "no array " + must, Hint: "a graph has the arrays frame, tail, head and cost"}
		}
	}
	for name := range have {
		if known := meant(name); known != "" && !have[known] {
			return &text.SyntaxError{File: b.name, Msg: fmt.Sprintf("array %s has no meaning", name), Hint: "did you mean " + known + "?"}
		}
	}
	f := b.f
	if f.Frame, err = b.frames(file); err != nil {
		return err
	}
	for name, to := range map[string]*[]float64{"use": &f.Use, "birth": &f.Birth, "end": &f.End, "false": &f.False,
		"divide": &f.Divide, "merge": &f.Merge, "cost": &f.Cost} {
		if *to, err = get(name); err != nil {
			return err
		}
	}
	if f.Tail, err = numbers("tail"); err != nil {
		return err
	}
	if f.Head, err = numbers("head"); err != nil {
		return err
	}
	pairs := func(name string, add func(a, b int32, c float64)) error {
		arcs, err := numbers(name)
		if err != nil {
			return err
		}
		costs, err := get(name + "_cost")
		if err != nil {
			return err
		}
		if len(arcs) != 2*len(costs) {
			return &text.SyntaxError{File: b.name, Msg: fmt.Sprintf("%d arcs in %s, but %d costs", len(arcs), name, len(costs)), Hint: "two arcs for each cost"}
		}
		for k, c := range costs {
			add(arcs[2*k], arcs[2*k+1], c)
		}
		return nil
	}
	return errors.Join(
		pairs("triplet", func(a, c int32, x float64) {
			f.Triplets = append(f.Triplets, trackgraph.Triplet{In: a, Out: c, Cost: x})
		}),
		pairs("division", func(a, c int32, x float64) {
			f.Divisions = append(f.Divisions, trackgraph.Division{First: a, Second: c, Cost: x})
		}))
}

// meant is the array of a graph that a name is like; "": none, or it is one.
func meant(name string) string {
	short := strings.TrimSuffix(strings.ToLower(name), "s")
	for _, end := range []string{"_cost", "_price"} {
		short = strings.TrimSuffix(short, end)
	}
	for _, known := range []string{"use", "birth", "end", "false", "divide", "merge", "triplet", "division"} {
		if short == known && name != known && name != "triplet_cost" && name != "division_cost" {
			return known
		}
	}
	return ""
}

// frames are whole numbers of up to 64 bits, nanoseconds for instance.
func (b *builder) frames(file *npz.File) ([]int, error) {
	a, err := file.Array("frame")
	if err != nil {
		return nil, &text.SyntaxError{File: b.name, Msg: err.Error()}
	}
	if list, ok := a.Data.([]int64); ok {
		out := make([]int, len(list))
		for k, t := range list {
			out[k] = int(t)
		}
		return out, nil
	}
	list := a.Float64s()
	out := make([]int, len(list))
	for k, x := range list {
		if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return nil, &text.SyntaxError{File: b.name, Msg: fmt.Sprintf("array frame: element %d is %v, want a whole number", k, x)}
		}
		out[k] = int(x)
	}
	return out, nil
}

// conservation reads hypotheses of conservation tracking. Energies are for the states 0 and
// 1; a disappearance or appearance in state 0 is what going on costs. Weights are in
// the energies.
func (b *builder) conservation(data []byte) error {
	b.f.Format = "conservation"
	type energies [][]float64
	var o struct {
		SegmentationHypotheses []struct {
			ID                                                                    word
			Timestep                                                              []int
			Features, DivisionFeatures, AppearanceFeatures, DisappearanceFeatures energies
		}
		LinkingHypotheses []struct {
			Src, Dest word
			Features  energies
		}
		DivisionHypotheses, Exclusions []any
	}
	data = text.WithoutMark(data)
	if err := json.Unmarshal(data, &o); err != nil {
		at, hint := int64(0), ""
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			at, err = wrong.Offset, fmt.Errorf("%s is a %s", wrong.Field, wrong.Value)
			hint = "timestep is a list of frames, and features are a list for each state"
		} else if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			if at = wrong.Offset; at >= int64(len(data)) {
				hint = "the file is cut short"
			}
		}
		b.line = 1 + bytes.Count(data[:min(at, int64(len(data)))], []byte{'\n'})
		return b.fault(hint, "%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if len(o.DivisionHypotheses) > 0 {
		return b.fault("divisionFeatures of a segmentation hypothesis are", "divisionHypotheses are not read")
	}
	if len(o.Exclusions) > 0 {
		return b.fault("a detection that excludes another has no place in this problem", "exclusions are not read")
	}
	var who string // is priced
	of := func(e energies, without float64) (zero, one float64, err error) {
		if e == nil {
			return 0, without, nil
		}
		if len(e) != 2 {
			return 0, 0, b.fault("a detection is one target or none: states from 2 on are of several in one", "%s: %s of energies, want 2", who, text.Count(len(e), "state"))
		}
		for _, x := range e[0] {
			zero += x
		}
		for _, x := range e[1] {
			one += x
		}
		return zero, one, nil
	}
	for k, s := range o.SegmentationHypotheses {
		if s.ID == "" {
			return b.fault("", "segmentation hypothesis %d of the list has no id", k)
		}
		if len(s.Timestep) == 0 {
			return b.fault("", "segmentation hypothesis %s has no timestep", s.ID)
		}
		var p prices
		who = fmt.Sprintf("segmentation hypothesis %s", s.ID)
		unused, used, err := of(s.Features, 0)
		if err != nil {
			return err
		}
		born0, born1, err := of(s.AppearanceFeatures, 0)
		if err != nil {
			return err
		}
		end0, end1, err := of(s.DisappearanceFeatures, 0)
		if err != nil {
			return err
		}
		div0, div1, err := of(s.DivisionFeatures, math.Inf(1))
		if err != nil {
			return err
		}
		rest := born0 + end0 + div0
		p = prices{use: used + rest, unused: unused + rest, birth: born1 - born0, end: end1 - end0, divide: div1 - div0, merge: math.Inf(1)}
		if err := b.detection(string(s.ID), s.Timestep[0], p); err != nil {
			return err
		}
	}
	constant := 0.0
	for _, l := range o.LinkingHypotheses {
		who = fmt.Sprintf("linking hypothesis of %s and %s", l.Src, l.Dest)
		zero, one, err := of(l.Features, 0)
		if err != nil {
			return err
		}
		constant += zero
		if err := b.addArc(string(l.Src), string(l.Dest), one-zero); err != nil {
			return err
		}
	}
	if constant != 0 && len(b.f.Use) > 0 { // links that are not chosen: every answer pays it
		b.f.Use[0] += constant
		b.f.False[0] += constant
	}
	return nil
}
