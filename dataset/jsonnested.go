package dataset

// This file reads JSON in which detections stand in lists within others, as programs that go
// through a video write it: a list of frames, each with a list of its detections. It becomes one
// object for each detection, and is read as such.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// listNames are names of lists of detections, for objects in which several lists stand.
var listNames = strings.Fields("detections dets results objects points boxes bboxes bounding_boxes xyxy ltrb tlbr ltwh tlwh spots particles targets blobs people persons instances annotations predictions measurements")

// The rows of one value are in memory: at most so many bytes, and so many times the bytes read.
const maxNested, growNested = 64 << 20, 16

// A jsonMember is a member of an object.
type jsonMember struct {
	name  string
	value []byte
}

// nestedObjects are the detections of a nested file as objects, one on a line. What stands around a
// list goes with each of its elements. Where that says no frame and no time, the frame is the
// number of a list of detections in the list around it, from 0, or its name where all members of an
// object have numbers as names. Tables by columns, as pandas writes them, become objects, too. An
// empty list becomes one of what stands around it, which has no position.
type nestedObjects struct {
	t         *jsonTable // says what is wrong, and where
	d         *json.Decoder
	array     bool     // the values are in an array
	lists     []string // the names of the lists of detections
	innermost string   // of these: that of which an element is at hand
	buf       []byte
	text      []byte       // of buf that has not been handed on
	joined    []jsonMember // workspace of walk
	empty     []byte       // objects of empty lists before the first detection, which is to name the columns
	some      bool         // there was a detection
	features  bool         // there was a feature of GeoJSON
	err       error
}

// newNestedObjects reads r, which is one array or objects.
func newNestedObjects(name string, r io.Reader, array bool) *nestedObjects {
	n := &nestedObjects{t: &jsonTable{name: name}, d: json.NewDecoder(&numberWords{r: r}), array: array}
	if array {
		_, n.err = n.d.Token()
	}
	return n
}

// Read implements io.Reader.
func (n *nestedObjects) Read(p []byte) (int, error) {
	for len(n.text) == 0 {
		if n.err != nil {
			return 0, n.err
		}
		n.buf = n.buf[:0] // all of it has been handed on
		n.err = n.next()
		n.text = n.buf
	}
	k := copy(p, n.text)
	n.text = n.text[k:]
	return k, nil
}

// next reads the next value.
func (n *nestedObjects) next() error {
	if n.array && !n.d.More() {
		if _, err := n.d.Token(); err != nil {
			return n.t.wrap(err)
		}
		return io.EOF
	}
	var value json.RawMessage
	if err := n.d.Decode(&value); err != nil {
		if err == io.EOF && !n.array {
			return err
		}
		return n.t.wrap(err)
	}
	return n.add(value)
}

// add appends the rows of the next value.
func (n *nestedObjects) add(value []byte) error {
	n.t.number++
	if err := n.walk(nil, value, n.t.number-1, 0); err != nil {
		return err
	}
	if n.some {
		n.buf, n.empty = append(n.buf, n.empty...), n.empty[:0]
	}
	return nil
}

// about says what was made of the file.
func (n *nestedObjects) about() string {
	if len(n.lists) > 0 {
		return "a row for each element of the lists within one another: " + strings.Join(n.lists, ", ")
	}
	return "a row for each element of the lists within one another"
}

// ofDetections says whether a list that was read is one of detections by its name.
func (n *nestedObjects) ofDetections() bool {
	return slices.ContainsFunc(n.lists, func(name string) bool { return slices.Contains(listNames, plainName(name)) })
}

// walk appends the rows of a value, which stands at index in its list; of are the members of what
// is around it.
func (n *nestedObjects) walk(of []jsonMember, value []byte, index, depth int) error {
	of = slices.Clip(of)
	if depth > 8 {
		return n.t.bad("lists nested deeper than eight")
	}
	switch value[0] {
	default:
		return n.t.bad(fmt.Sprintf("%.20s stands where an object or a list should", value))
	case '[':
		if isNested(value) {
			values, err := elementsOf(value)
			if err != nil {
				return n.t.wrap(err)
			}
			return n.each(of, values, nil, n.innermost, index, depth)
		}
		coordinates, err := elementsOf(value)
		for i, x := range coordinates {
			name := strconv.Itoa(i)
			switch sides := sidesIn(n.innermost); {
			case len(coordinates) == 2 || len(coordinates) == 3:
				name = "xyz"[i : i+1]
			case len(coordinates) > 3 && i < 4 && sides != "":
				name = sides + "." + name
			}
			of = append(of, jsonMember{name, x})
		}
		if err != nil {
			return n.t.wrap(err)
		}
		return n.row(of)
	case '{':
	}
	members, err := membersOf(value)
	if err != nil {
		return n.t.wrap(err)
	}
	for i, again := range repeated(members) {
		if again {
			return n.t.twice(members[i].name)
		}
	}
	geo := isGeoFeature(members)
	if !geo && !slices.ContainsFunc(members, isCompound) {
		n.joined = append(append(n.joined[:0], of...), members...)
		return n.row(n.joined)
	}
	rows := byColumns(members)
	if geo {
		n.features = true
		if rows, err = featureRows(members); err != nil {
			return n.t.bad(err.Error())
		}
	}
	if rows != nil {
		for _, row := range rows {
			if err := n.row(append(of, row...)); err != nil {
				return err
			}
		}
		return nil
	}
	if key := elementwise(members); key != nil {
		return n.elements(of, members, key, index)
	}
	if areFrames(members) {
		for _, m := range members {
			if err := n.walk(append(of, jsonMember{"frame", fmt.Appendf(nil, "%q", m.name)}), m.value, 0, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	var lists []jsonMember
	for _, m := range members {
		if isNested(m.value) {
			lists = append(lists, m)
		} else {
			of = append(of, m)
		}
	}
	if len(lists) == 0 || isPlaced(of) {
		return n.row(of)
	}
	if len(lists) > 1 {
		lists = slices.DeleteFunc(lists, func(m jsonMember) bool { return !slices.Contains(listNames, plainName(m.name)) })
	}
	if len(lists) != 1 {
		return n.t.bad("several lists in one object: which has the detections?")
	}
	n.listed(lists[0].name)
	values, err := elementsOf(lists[0].value)
	if err != nil {
		return n.t.wrap(err)
	}
	of, beside := n.beside(of, members, len(values))
	return n.each(of, values, beside, lists[0].name, index, depth)
}

// listed notes the name of a list that is read.
func (n *nestedObjects) listed(name string) {
	if !slices.Contains(n.lists, name) {
		n.lists = append(n.lists, name)
	}
}

// sidesIn is what boxes of four numbers without names are called in a list of that name, "" where
// it is none of boxes.
func sidesIn(list string) string {
	switch name := plainName(list); {
	case strings.Contains(name, "box"):
		return "bbox"
	case slices.Contains([]string{"xyxy", "ltrb", "tlbr", "ltwh", "tlwh"}, name):
		return name
	}
	return ""
}

// beside are the members that are lists of what each of count detections has, as scores and labels
// beside boxes, and what is left of around; values are all elements of theirs, detection by detection.
func (n *nestedObjects) beside(around, members []jsonMember, count int) (left []jsonMember, values [][]jsonMember) {
	for _, m := range members {
		name := strings.TrimSuffix(plainName(m.name), "s")
		r, _ := meaning(name)
		if name == "label" { // of kinds, beside boxes
			name, r = "class", class
		}
		if m.value[0] != '[' || isNested(m.value) || !slices.Contains([]role{conf, class, ident}, r) {
			continue
		}
		each, err := elementsOf(m.value)
		if err != nil || len(each) != count {
			continue
		}
		if values == nil {
			values = make([][]jsonMember, count)
		}
		for i := range each {
			values[i] = append(values[i], jsonMember{name, each[i]})
		}
		around = slices.DeleteFunc(slices.Clone(around), func(a jsonMember) bool { return a.name == m.name })
		n.listed(m.name)
	}
	return around, values
}

// each appends the rows of a list of that name, of objects or lists; beside each stands what else it has.
func (n *nestedObjects) each(of []jsonMember, values []json.RawMessage, beside [][]jsonMember, name string, index, depth int) error {
	if (len(values) == 0 || isDetection(values[0])) && !hasTime(of) {
		of = append(of, jsonMember{"frame", strconv.AppendInt(nil, int64(index), 10)})
	}
	if len(values) == 0 {
		return n.object(&n.empty, of)
	}
	for i, value := range values {
		n.innermost = name
		around := of
		if beside != nil {
			around = append(slices.Clip(of), beside[i]...)
		}
		if err := n.walk(around, value, i, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// elementwise is the member of a scan that is a list of the x (left sides, ranges) of its detections; nil: there is none.
func elementwise(members []jsonMember) *jsonMember {
	for i := range members {
		r, _ := meaning(members[i].name)
		if value := members[i].value; slices.Contains([]role{posX, left, distance}, r) && value[0] == '[' && (!isNested(value) || isEmpty(value)) {
			return &members[i]
		}
	}
	return nil
}

// elements appends the rows of a scan of which the members that mean something, key one of them, are
// lists of what each detection has.
func (n *nestedObjects) elements(of, members []jsonMember, key *jsonMember, index int) error {
	first, err := elementsOf(key.value)
	if err != nil {
		return n.t.wrap(err)
	}
	rows := make([][]jsonMember, len(first))
	timed := hasTime(of)
	for _, m := range members {
		r, _ := meaning(m.name)
		timed = timed || r == frame || r == stamp
		if m.value[0] != '[' || r == skip {
			of = append(of, m)
			continue
		}
		values, err := elementsOf(m.value)
		if err != nil {
			return n.t.wrap(err)
		}
		if len(values) != len(rows) {
			return n.t.bad(fmt.Sprintf("%s has %d elements, %s has %d: one for each detection is wanted", m.name, len(values), key.name, len(rows)))
		}
		for i, value := range values {
			rows[i] = append(rows[i], jsonMember{m.name, value})
		}
		n.listed(m.name)
	}
	if !timed {
		of = append(of, jsonMember{"frame", strconv.AppendInt(nil, int64(index), 10)})
	}
	if len(rows) == 0 {
		return n.object(&n.empty, of)
	}
	for _, row := range rows {
		if err := n.row(append(slices.Clip(of), row...)); err != nil {
			return err
		}
	}
	return nil
}

// row appends an object with the members; of those of one name the last, which stands innermost.
func (n *nestedObjects) row(members []jsonMember) error {
	n.some = true
	return n.object(&n.buf, members)
}

// object appends what row says to dst, which is buf or empty.
func (n *nestedObjects) object(dst *[]byte, members []jsonMember) error {
	again := repeated(members)
	buf := append(*dst, '{')
	for i, m := range members {
		if again != nil && again[i] {
			continue
		}
		if buf[len(buf)-1] != '{' {
			buf = append(buf, ',')
		}
		buf = append(append(appendName(buf, m.name), ':'), m.value...)
	}
	buf = append(buf, '}', '\n')
	*dst = buf
	if most := maxNested + growNested*n.d.InputOffset(); int64(len(buf)) > most {
		return n.t.bad(fmt.Sprintf("with what stands around each, the elements of lists become more than %d bytes", most))
	}
	return nil
}

// fewNames is the number of members up to which their names are compared with one another.
const fewNames = 16

// repeated says of each member whether a later one has its name; nil: none has.
func repeated(members []jsonMember) (again []bool) {
	if len(members) > fewNames {
		return repeatedAmongMany(members)
	}
	for i := range members {
		for j := i + 1; j < len(members); j++ {
			if members[i].name == members[j].name {
				return repeatedAmongMany(members)
			}
		}
	}
	return nil
}

// repeatedAmongMany is repeated by a map.
func repeatedAmongMany(members []jsonMember) []bool {
	again, last := make([]bool, len(members)), make(map[string]int, len(members))
	for i, m := range members {
		if before, ok := last[m.name]; ok {
			again[before] = true
		}
		last[m.name] = i
	}
	return again
}

// isCompound says whether the value of a member is a list or an object.
func isCompound(m jsonMember) bool { return m.value[0] == '[' || m.value[0] == '{' }

// appendName appends the name of a member.
func appendName(dst []byte, name string) []byte {
	if strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) {
		quoted, _ := json.Marshal(name)
		return append(dst, quoted...)
	}
	return append(append(append(dst, '"'), name...), '"')
}

// elementsOf are the elements of a list, in its memory or in memory of their own.
func elementsOf(list []byte) (values []json.RawMessage, err error) {
	if bytes.HasPrefix(list, []byte("[")) && plainValue(list, 0, 0, func(_, value []byte) { values = append(values, value) }) == len(list) {
		return values, nil
	}
	values = nil
	err = json.Unmarshal(list, &values)
	return values, err
}

// membersOf are the members of an object, in its memory or in memory of their own.
func membersOf(object []byte) (members []jsonMember, err error) {
	members = make([]jsonMember, 0, 4)
	if bytes.HasPrefix(object, []byte("{")) && plainValue(object, 0, 0, func(name, value []byte) { members = append(members, jsonMember{string(name), value}) }) >= 0 {
		return members, nil
	}
	members = nil
	d := json.NewDecoder(bytes.NewReader(object))
	d.Token()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, jsonMember{fmt.Sprint(key), value})
	}
	return members, nil
}

// isNested says whether a value is a list of lists or objects, or of nothing.
func isNested(value []byte) bool {
	if value[0] != '[' {
		return false
	}
	first := bytes.TrimLeft(value[1:], " \t\r\n")
	return first[0] == '[' || first[0] == '{' || first[0] == ']'
}

// isEmpty says whether a list has no element.
func isEmpty(list []byte) bool { return bytes.TrimLeft(list[1:], " \t\r\n")[0] == ']' }

// isDetection says whether an element of a list is a detection without a time, and no list of some.
func isDetection(value []byte) bool {
	if value[0] != '{' {
		return !isNested(value)
	}
	members, err := membersOf(value)
	return err == nil && !hasTime(members) && !isGeoFeature(members) && elementwise(members) == nil && (isPlaced(members) ||
		!slices.ContainsFunc(members, func(m jsonMember) bool { return isNested(m.value) }))
}

// mean says whether the name of a member, or of the first column that it becomes, has one of the meanings.
func mean(members []jsonMember, roles ...role) bool {
	return slices.ContainsFunc(members, func(m jsonMember) bool {
		name := m.name
		switch {
		case m.value != nil && isNested(m.value):
			return false
		case bytes.HasPrefix(m.value, []byte("{")):
			inner, _ := membersOf(m.value)
			for i := range inner {
				inner[i].name = m.name + "." + inner[i].name
			}
			return mean(inner, roles...)
		case bytes.HasPrefix(m.value, []byte("[")):
			name += ".0"
		}
		r, _ := meaning(name)
		if r == skip {
			r, _ = innerMeaning(name)
		}
		return slices.Contains(roles, r)
	})
}

func hasTime(members []jsonMember) bool  { return mean(members, frame, stamp) }
func isPlaced(members []jsonMember) bool { return mean(members, posX, left, distance) }

// areFrames says whether the members of an object have numbers as names, or names of files with
// numbers, and are lists or objects.
func areFrames(members []jsonMember) bool {
	for _, m := range members {
		stem := strings.TrimSuffix(m.name, path.Ext(m.name))
		before := strings.TrimRight(stem, "0123456789")
		numbered := before != stem && (before == "" || stem != m.name || strings.HasPrefix(plainName(stem), "frame"))
		if !numbered || !isCompound(m) {
			return false
		}
	}
	return len(members) > 0
}

// byColumns are the rows of a table that is an object whose members are its columns, as pandas
// writes them: lists, or objects with the same names, or names and data; nil: it is no such table.
func byColumns(members []jsonMember) (rows [][]jsonMember) {
	of := make(map[string][]byte)
	for _, m := range members {
		of[m.name] = m.value
	}
	if names, data := of["columns"], of["data"]; names != nil && data != nil {
		var columns []string
		var table [][]json.RawMessage
		if json.Unmarshal(names, &columns) != nil || json.Unmarshal(data, &table) != nil {
			return nil
		}
		for _, cells := range table {
			if len(cells) != len(columns) {
				return nil
			}
			row := make([]jsonMember, len(cells))
			for c := range cells {
				row[c] = jsonMember{columns[c], cells[c]}
			}
			rows = append(rows, row)
		}
		return rows
	}
	if slices.ContainsFunc(members, func(m jsonMember) bool { return !isCompound(m) }) {
		return nil
	}
	names := slices.Clone(members)
	for c := range names {
		names[c].value = nil
	}
	if !isPlaced(names) || !hasTime(names) {
		return nil
	}
	for c, m := range members {
		var cells []json.RawMessage
		switch m.value[0] {
		case '[':
			if isNested(m.value) {
				return nil
			}
			cells, _ = elementsOf(m.value)
		case '{':
			inner, _ := membersOf(m.value)
			for _, cell := range inner {
				cells = append(cells, cell.value)
			}
		}
		if c == 0 {
			rows = make([][]jsonMember, len(cells))
		}
		if len(cells) == 0 || len(cells) != len(rows) {
			return nil
		}
		for i, cell := range cells {
			rows[i] = append(rows[i], jsonMember{m.name, cell})
		}
	}
	return rows
}
