package dataset

// This file reads tables that name their columns: points in space, in any order
// of columns, under the names that are common for them.

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mtt/internal/text"
)

// synonyms are the names that columns go by, in lower case, words joined by _.
// A unit at the end of a name is taken off before.
var synonyms = map[role]string{
	frame:  "frame frame_id frame_number frame_no frame_nr frame_num frame_index framenumber frameid f image image_id image_number slice scan step position_f",
	stamp:  "time t timestamp time_stamp datetime date_time basedatetime base_date_time seconds position_t",
	ident:  "id track track_id trackid object object_id objectid obj_id target target_id agent agent_id ped ped_id pedestrian pedestrian_id person person_id particle particle_id vehicle vehicle_id mmsi label",
	det:    "det detection det_id detection_id",
	posX:   "x x_pos pos_x posx position_x x_position px xc cx x_center center_x x_centre centre_x xcenter x_coord easting east lon lng long longitude",
	posY:   "y y_pos pos_y posy position_y y_position py yc cy y_center center_y y_centre centre_y ycenter y_coord northing north lat latitude",
	posZ:   "z z_pos pos_z posz position_z z_position pz zc cz z_center center_z z_coord",
	velX:   "vx v_x vel_x velx velocity_x x_vel x_velocity",
	velY:   "vy v_y vel_y vely velocity_y y_vel y_velocity",
	velZ:   "vz v_z vel_z velz velocity_z z_vel z_velocity",
	width:  "w width bb_width box_w box_width bbox_width bbox_w",
	height: "h height bb_height box_h box_height bbox_height bbox_h",
	left:   "left bb_left box_left bbox_left xmin x_min x1 l",
	top:    "top bb_top box_top bbox_top ymin y_min y1",
	right:  "right xmax x_max x2",
	bottom: "bottom ymax y_max y2",
	conf:   "conf confidence score det_score probability prob",
	course: "cog course course_over_ground",
	speed:  "sog speed speed_over_ground",
}

// roleOf is synonyms the other way round.
var roleOf = func() map[string]role {
	m := make(map[string]role)
	for r, names := range synonyms {
		for _, n := range strings.Fields(names) {
			m[n] = r
		}
	}
	return m
}()

// lengths and durations are the units that a column name may end in, in m and
// in s; other units are only taken off.
var (
	lengths   = map[string]float64{"m": 1, "meter": 1, "meters": 1, "metre": 1, "metres": 1, "cm": 0.01, "mm": 0.001, "km": 1000}
	durations = map[string]float64{"s": 1, "sec": 1, "seconds": 1, "ms": 0.001, "us": 1e-6, "ns": 1e-9}
	others    = []string{"px", "pixel", "pixels", "deg", "degrees", "knots", "kn", "kts", "mps"}
)

// meaning is the role of the column name and the unit at its end, "" for none.
func meaning(name string) (role, string) {
	words := strings.FieldsFunc(strings.ToLower(name), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	if r := roleOf[strings.Join(words, "_")]; r != skip {
		return r, ""
	}
	n := len(words)
	if n >= 3 && words[n-1] == "s" && lengths[words[n-2]] > 0 { // vx_m_s
		return roleOf[strings.Join(words[:n-2], "_")], words[n-2]
	}
	if n >= 2 {
		if u := words[n-1]; lengths[u] > 0 || durations[u] > 0 || slices.Contains(others, u) {
			return roleOf[strings.Join(words[:n-1], "_")], u
		}
	}
	return skip, ""
}

// A titled layout is a layout that came of column names.
type titled struct {
	layout
	unit    [roles]string // at the end of the names
	ignored []string      // names that mean nothing here
}

// titles gives the columns of h meaning. Of several columns with one meaning the
// first counts.
func (h *head) titles() *titled {
	t := &titled{layout: layout{sep: h.sep, names: h.title}}
	for _, name := range h.title {
		r, unit := meaning(name)
		if r == skip || t.has(r) {
			r = skip
			t.ignored = append(t.ignored, name)
		}
		t.roles = append(t.roles, r)
		t.unit[r] = unit
	}
	return t
}

// drop takes the meaning off the columns with role r.
func (t *titled) drop(rs ...role) {
	for c, r := range t.roles {
		if r != skip && slices.Contains(rs, r) {
			t.roles[c] = skip
			t.ignored = append(t.ignored, t.names[c])
		}
	}
}

// isGeographic says whether the positions are longitudes and latitudes.
func (t *titled) isGeographic() bool {
	x, y := t.column(posX), t.column(posY)
	return x >= 0 && y >= 0 && strings.HasPrefix(strings.ToLower(t.names[x]), "l") && strings.HasPrefix(strings.ToLower(t.names[y]), "l")
}

const titleHint = "begin with a line of column names, such as frame,id,x,y or time,x,y"

func fitsPoints(h *head) *SyntaxError {
	if h.xml {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "XML, not a table"}
	}
	if h.title == nil {
		return h.bad(&h.lines[0], 0, "there are no column names", titleHint)
	}
	t := h.titles()
	box := t.has(left) && t.has(top) && (t.has(width) && t.has(height) || t.has(right) && t.has(bottom))
	missing := ""
	switch {
	case !t.has(posX) && !box:
		missing = "x"
	case !t.has(posY) && !box:
		missing = "y"
	case !t.has(frame) && !t.has(stamp):
		missing = "frame or time"
	default:
		return nil
	}
	return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1,
		Msg: fmt.Sprintf("no column is named %s", missing), Hint: titleHint}
}

// readTitled reads the rows of a table that names its columns. Identities may be
// words.
func readTitled(h *head, o *Options) (*source, *titled, error) {
	t := h.titles()
	if !t.has(posX) || !t.has(posY) {
		t.drop(posX, posY)
	} else {
		t.drop(left, top, right, bottom)
	}
	if t.has(width) && t.has(height) {
		t.drop(right, bottom)
	} else {
		t.drop(width, height)
	}
	if !t.has(velX) || !t.has(velY) || t.has(velZ) != t.has(posZ) || o.NoVelocity {
		t.drop(velX, velY, velZ)
	}
	if !t.has(course) || !t.has(speed) || t.has(velX) || !t.isGeographic() || o.NoVelocity {
		t.drop(course, speed)
	}
	if t.has(ident) {
		if c := t.column(ident); slices.ContainsFunc(h.lines, func(p peek) bool {
			if c >= len(p.field) {
				return false
			}
			_, ok := parseInt([]byte(p.field[c]))
			return !ok && p.field[c] != "" && !isNumber(p.field[c])
		}) {
			t.labels = &labels{of: make(map[string]int)}
		}
	}
	if o.DT > 0 && t.has(frame) {
		t.drop(stamp)
	}
	s := &source{}
	var err error
	if s.rows, err = h.rows(&t.layout); err != nil {
		return nil, nil, err
	}
	if f, ok := durations[t.unit[stamp]]; ok {
		for i := range s.rows.time {
			s.rows.time[i] *= f
		}
	}
	return s, t, nil
}

func readPoints(h *head, o *Options) (*source, error) {
	s, t, err := readTitled(h, o)
	if err != nil || s.rows.n == 0 {
		return s, err
	}
	if s.unit, err = t.length(h, s.rows, o); err != nil {
		return nil, err
	}
	timing := ""
	if s.rows.frame == nil {
		if timing, err = s.toFrames(h, o); err != nil {
			return nil, err
		}
	}
	if s.rows.det != nil && !s.numbered() {
		s.rows.det = nil
		t.drop(det)
	}
	what := "points"
	if s.rows.size != nil {
		what = "boxes"
	}
	s.note("understood as %s with column names: %s, %d columns, %s", what, h.separated(), len(t.names), s.rows.spread("rows"))
	if timing != "" {
		s.note("%s", timing)
	}
	s.note("columns read: %s", t.describe())
	if len(t.ignored) > 0 {
		s.note("columns ignored: %s", strings.Join(t.ignored, ", "))
	}
	if t.labels != nil {
		s.note("identities are words, numbered in order of appearance from 1 = %s to %d = %s", t.labels.text[0], len(t.labels.text), t.labels.text[len(t.labels.text)-1])
	}
	return s, nil
}

// numbered says whether the column det counts the detections of each frame from
// 0 or, in a file of targets, can refer to such numbers.
func (s *source) numbered() bool {
	t := s.rows
	if t.id != nil {
		return slices.Min(t.det) >= -1
	}
	by := rows{n: t.n, frame: t.frame, line: t.line, det: t.det}
	by.sortBy(by.det)
	return checkDets(&by, s.name) == nil
}

// describe lists the columns that are read, with their meaning where the name is
// another.
func (t *titled) describe() string {
	word := map[role]string{frame: "frame", ident: "id", det: "det", stamp: "time", posX: "x", posY: "y", posZ: "z", velX: "vx", velY: "vy", velZ: "vz",
		width: "w", height: "h", conf: "conf", left: "left", top: "top", right: "right", bottom: "bottom", course: "course", speed: "speed"}
	var out []string
	for c, r := range t.roles {
		switch {
		case r == skip:
		case strings.EqualFold(word[r], t.names[c]):
			out = append(out, t.names[c])
		default:
			out = append(out, fmt.Sprintf("%s (as %s)", t.names[c], word[r]))
		}
	}
	return strings.Join(out, ", ")
}

// length converts the positions to metres when their unit, by o or by the column
// names, is a length, and returns the unit that results.
func (t *titled) length(h *head, s *rows, o *Options) (string, error) {
	x := posX
	if t.has(left) {
		x = left
	}
	unit := t.unit[x]
	for _, r := range []role{posX, posY, posZ, velX, velY, velZ, left, top, right, bottom, width, height} {
		if t.has(r) && t.unit[r] != unit && !(t.unit[r] == "" && r >= velX) {
			return "", &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1,
				Msg: fmt.Sprintf("%s and %s are in different units", t.names[t.column(x)], t.names[t.column(r)]), Hint: "give all coordinates in one unit"}
		}
	}
	if o.Unit != "" {
		unit = strings.ToLower(o.Unit)
	}
	switch f, ok := lengths[unit]; {
	case ok && f != 1:
		s.scale(f)
		return "m", nil
	case ok:
		return "m", nil
	case unit == "pixel" || unit == "pixels":
		return "px", nil
	}
	return unit, nil
}

// toFrames numbers frames by the time column: by the time itself when times are
// whole numbers, by the steps when they are evenly spaced, and else by intervals
// of the length that o gives. It says what it did.
func (s *source) toFrames(h *head, o *Options) (string, error) {
	t := s.rows
	times := slices.Clone(t.time)
	slices.Sort(times)
	times = slices.Compact(times)
	if !slices.ContainsFunc(times, func(x float64) bool { return x != math.Trunc(x) || math.Abs(x) > maxInt }) && o.DT == 0 && !sparse(times) {
		t.frame = make([]int, t.n)
		for i, x := range t.time {
			t.frame[i] = int(x)
		}
		t.time = nil
		s.count = 1
		return "frames are whole seconds of the time column", nil
	}
	if number, step, ok := even(times); ok {
		t.frame = make([]int, t.n)
		for i, x := range t.time {
			k, _ := slices.BinarySearch(times, x)
			t.frame[i] = number[k]
		}
		if o.DT > 0 {
			t.time = nil
		}
		return fmt.Sprintf("times are %v s apart: frames 0..%d", step, number[len(number)-1]), nil
	}
	every := o.DT
	if every == 0 {
		every = float64(o.Every)
	}
	if every == 0 {
		return "", &SyntaxError{File: h.name, Line: int(t.line[0]), Col: 1, Msg: "the times are not evenly spaced, and there is no frame column",
			Hint: "say how many seconds make a frame (--every)"}
	}
	return s.bin(h, every)
}

// sparse says whether whole-numbered times are a clock, such as seconds since
// 1970 of reports at odd times, and not a count of frames.
func sparse(times []float64) bool {
	if len(times) < 2 {
		return false
	}
	step := 0
	for i := 1; i < len(times); i++ {
		step = gcd(step, int(times[i]-times[i-1]))
	}
	return int(times[len(times)-1]-times[0])/step > 4*len(times)
}

// even finds the step between times in ascending order when they are evenly
// spaced, but for holes and for roundings of up to a quarter of a step, and
// numbers them from 0.
func even(times []float64) (number []int, step float64, ok bool) {
	number = make([]int, len(times))
	if len(times) == 1 {
		return number, 1, true
	}
	steps := make([]float64, 0, len(times)-1)
	for i := 1; i < len(times); i++ {
		steps = append(steps, times[i]-times[i-1])
	}
	slices.Sort(steps)
	step = steps[len(steps)/2]
	for i := 1; i < len(times); i++ {
		k := math.Round((times[i] - times[i-1]) / step)
		if k < 1 || k > 1e6 {
			return nil, 0, false
		}
		number[i] = number[i-1] + int(k)
	}
	step = (times[len(times)-1] - times[0]) / float64(number[len(number)-1])
	for i, x := range times {
		if math.Abs(x-times[0]-step*float64(number[i])) > step/4 {
			return nil, 0, false
		}
	}
	return number, step, true
}

// bin puts reports that come at any time into frames of the given length in s,
// counted from the first report: frame k holds those from k to k+1 lengths after
// it. Of several reports of one target in a frame the last stays.
func (s *source) bin(h *head, every float64) (string, error) {
	t := s.rows
	order := make([]int, t.n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case t.time[a] < t.time[b]:
			return -1
		case t.time[a] > t.time[b]:
			return 1
		}
		return 0
	})
	first, last := t.time[order[0]], t.time[order[t.n-1]]
	if n := (last - first) / every; n > maxInt || tooSparse(int(n), t.n) {
		return "", &SyntaxError{File: h.name, Line: int(t.line[order[t.n-1]]), Col: 1,
			Msg: fmt.Sprintf("%s over %v s make %.3g frames of %v s", text.Count(t.n, "report"), last-first, n, every), Hint: "is the time column in seconds?"}
	}
	t.take(order)
	t.frame = make([]int, t.n)
	for i, x := range t.time {
		t.frame[i] = int((x - first) / every)
	}
	t.time = nil
	s.step, s.count, s.async = 0, every, true
	merged := 0
	if t.id != nil {
		latest := make(map[[2]int]int, t.n)
		for i := range t.n {
			latest[[2]int{t.frame[i], t.id[i]}] = i
		}
		merged = t.keep(func(i int) bool { return latest[[2]int{t.frame[i], t.id[i]}] == i })
	}
	return fmt.Sprintf("reports over %.1f s put into frames of %v s; of several of one target in a frame the last stays: %d of %d left out", last-first, every, merged, t.n+merged), nil
}
