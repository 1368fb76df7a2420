package dataset

// This file reads tables that name their columns: points in space, in any order
// of columns, under the names that are common for them.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mtt"
	"mtt/internal/text"
)

// synonyms are the names that columns go by, in lower case, words joined by _.
// A unit at the end of a name is taken off before.
var synonyms = map[role]string{
	frame:     "frame frame_id frame_number frame_no frame_nr frame_num frame_index frame_idx frameidx framenumber frameid f image image_id image_number imagenumber slice scan step position_f bild bildnummer bild_nr fotograma cuadro quadro fotogramma beeld klatka",
	stamp:     "time t timestamp time_stamp stamp datetime date_time basedatetime base_date_time seconds position_t zeit temps tiempo zeitpunkt zeitstempel tempo ts utc time_utc utc_time timestamp_utc utc_timestamp datetime_utc time_of_day time_gmt time_local local_time epoch epoch_time unix_time unixtime elapsed elapsed_time",
	ident:     "track_id trackid track track_number tracknumber track_no track_num trajectory trajectory_id traj_id particle particle_id object_id objectid obj_id object target_id target agent_id agent ped_id ped pedestrian_id pedestrian person_id person vehicle_id vehicle mmsi individual_local_identifier animal_id icao24 icao id label",
	date:      "date date_utc utc_date date_gmt date_local local_date obs_date datum fecha",
	year:      "year",
	month:     "month",
	monthDay:  "day day_of_month",
	hour:      "hour hours hr",
	minute:    "minute minutes",
	second:    "second secs sec",
	mother:    "parent parent_id parentid parent_track parent_track_id parenttrackid mother mother_id",
	det:       "det detection det_id detection_id objectnumber object_number",
	posX:      "x x_pos pos_x posx position_x x_position px xc cx x_center center_x x_centre centre_x centroid_x x_centroid location_center_x areashape_center_x xm xcenter xcentre xcentroid x_coord x_coordinate coord_x xy_0 xyz_0 position_0 positions_0 pos_0 point_0 points_0 easting east lon lng long longitude gps_lon gps_lng gps_long gps_longitude location_lon location_lng location_long location_longitude",
	posY:      "y y_pos pos_y posy position_y y_position py yc cy y_center center_y y_centre centre_y centroid_y y_centroid location_center_y areashape_center_y ym ycenter ycentre ycentroid y_coord y_coordinate coord_y xy_1 xyz_1 position_1 positions_1 pos_1 point_1 points_1 northing north lat latitude gps_lat gps_latitude location_lat location_latitude",
	posZ:      "z z_pos pos_z posz position_z z_position pz zc cz z_center center_z z_centre centre_z centroid_z z_centroid z_coord z_coordinate coord_z xyz_2 position_2 positions_2 pos_2 point_2 points_2",
	velX:      "vx v_x vel_x velx velocity_x velocity_0 vel_0 x_vel x_velocity linear_x",
	velY:      "vy v_y vel_y vely velocity_y velocity_1 vel_1 y_vel y_velocity linear_y",
	velZ:      "vz v_z vel_z velz velocity_z velocity_2 vel_2 z_vel z_velocity linear_z",
	width:     "w width bbox_2 ltwh_2 tlwh_2 " + boxNames("w width"),
	height:    "h height bbox_3 ltwh_3 tlwh_3 " + boxNames("h height"),
	left:      "left xmin x_min x1 l xtl x_tl x_left left_x minx min_x bbox_0 xyxy_0 ltrb_0 tlbr_0 ltwh_0 tlwh_0 " + boxNames("left xmin x_min x1"),
	top:       "top ymin y_min y1 ytl y_tl y_top top_y miny min_y bbox_1 xyxy_1 ltrb_1 tlbr_1 ltwh_1 tlwh_1 " + boxNames("top ymin y_min y1"),
	right:     "right xmax x_max x2 xbr x_br x_right right_x maxx max_x xyxy_2 ltrb_2 tlbr_2 " + boxNames("right xmax x_max x2"),
	bottom:    "bottom ymax y_max y2 ybr y_br y_bottom bottom_y maxy max_y xyxy_3 ltrb_3 tlbr_3 " + boxNames("bottom ymax y_max y2"),
	conf:      "conf confidence score det_score probability prob",
	class:     "class class_id category category_id cls",
	device:    "sensor sensor_id sensor_name sensor_no sensor_index radar radar_id camera camera_id camera_name camera_no cam cam_id cam_no",
	devX:      "sx lpx sigma_x sigmax std_x x_std sd_x x_sd x_sigma stdev_x",
	devY:      "sy lpy sigma_y sigmay std_y y_std sd_y y_sd y_sigma stdev_y",
	devZ:      "sz sigma_z sigmaz std_z z_std sd_z z_sd z_sigma stdev_z",
	devAll:    "sigma noise_std position_std uncertainty uncertainty_xy",
	covXX:     "sxx cov_xx var_x",
	covXY:     "sxy cov_xy",
	covYY:     "syy cov_yy var_y",
	covXZ:     "sxz cov_xz",
	covYZ:     "syz cov_yz",
	covZZ:     "szz cov_zz var_z",
	distance:  "range slant_range rng",
	bearing:   "bearing azimuth azim az brg",
	elevation: "elevation elev el",
	rangeRate: "range_rate doppler radial_velocity",
	heading:   "heading yaw " + ownNames("heading yaw hdg"),
	ownX:      ownNames("x pos_x x_pos position_x position_0 pos_0 translation_x translation_0"),
	ownY:      ownNames("y pos_y y_pos position_y position_1 pos_1 translation_y translation_1"),
	ownZ:      ownNames("z pos_z z_pos position_z position_2 pos_2 translation_z translation_2"),
	ownVX:     ownNames("vx v_x vel_x velocity_x velocity_0 vel_0"),
	ownVY:     ownNames("vy v_y vel_y velocity_y velocity_1 vel_1"),
	ownVZ:     ownNames("vz v_z vel_z velocity_z velocity_2 vel_2"),
	course:    "cog course course_over_ground",
	speed:     "sog speed speed_over_ground",
}

// ownNames are what the sensor's own columns are called.
func ownNames(columns string) string {
	var names []string
	for _, whose := range strings.Fields("own ownship own_ship ego sensor platform observer robot radar lidar") {
		for _, column := range strings.Fields(columns) {
			names = append(names, whose+"_"+column, whose+"_pose_"+column)
		}
	}
	return strings.Join(names, " ")
}

// boxNames are what the columns of a box are called that say so.
func boxNames(columns string) string {
	var names []string
	for _, what := range strings.Fields("bb box bbox boundingbox bounding_box") {
		for _, column := range strings.Fields(columns) {
			names = append(names, what+"_"+column)
		}
	}
	return strings.Join(names, " ")
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
//
// Lengths below a millimetre keep their unit.
var (
	lengths = map[string]float64{"m": 1, "meter": 1, "meters": 1, "metre": 1, "metres": 1, "cm": 0.01, "mm": 0.001, "km": 1000,
		"ft": 0.3048, "foot": 0.3048, "feet": 0.3048, "nmi": 1852, "mi": 1609.344, "mile": 1609.344, "miles": 1609.344}
	durations = map[string]float64{"s": 1, "sec": 1, "secs": 1, "seconds": 1, "ms": 0.001, "us": 1e-6, "ns": 1e-9, "min": 60, "minute": 60, "minutes": 60, "hour": 3600, "hours": 3600}
	others    = []string{"px", "pixel", "pixels", "um", "micron", "microns", "nm", "deg", "degrees", "rad", "radians", "knots", "kn", "kts", "mps"}
)

// plainName is a column name in lower case, its words joined by _.
func plainName(name string) string {
	words := strings.FieldsFunc(inASCII.Replace(strings.ToLower(name)), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	return strings.Join(words, "_")
}

var inASCII = strings.NewReplacer("µ", "u", "μ", "u")

// meaning is the role of the column name and the unit at its end, "" for none.
func meaning(name string) (role, string) { return meaningIn(roleOf, name) }

// meaningIn is meaning by other names.
func meaningIn(roleOf map[string]role, name string) (role, string) {
	if r, unit := meaningOf(roleOf, strings.Split(plainName(name), "_")); r != skip {
		return r, unit
	}
	r, unit := meaningOf(roleOf, strings.Split(plainName(inWords(name)), "_"))
	if unit == "min" { // tMin is the least
		return skip, ""
	}
	return r, unit
}

// inWords has a blank before each capital that begins a word, as in centerX and XPosition.
func inWords(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, c := range letters {
		after := i > 0 && unicode.IsLower(letters[i-1])
		before := i > 0 && i+1 < len(letters) && unicode.IsUpper(letters[i-1]) && unicode.IsLower(letters[i+1])
		if unicode.IsUpper(c) && (after || before) {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// meaningOf is meaning of the words of a name.
func meaningOf(roleOf map[string]role, words []string) (role, string) {
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

// isPrecision says whether a column with the noise of positions has a name that programs of
// microscopy give it, beside which sigma, sx and sy are the widths of spots.
func isPrecision(name string) bool {
	name = plainName(name)
	return strings.HasPrefix(name, "uncertainty") || strings.HasPrefix(name, "lpx") || strings.HasPrefix(name, "lpy")
}

// innerMeaning is meaning of a member of members by the last two names, as of pose.position.x: of
// places, velocities and times. Elements of lists have none: there are others.
func innerMeaning(name string) (role, string) {
	parts := strings.Split(name, ".")
	if len(parts) < 3 || slices.ContainsFunc(parts[:len(parts)-1], isNumber) {
		return skip, ""
	}
	r, unit := meaning(strings.Join(parts[len(parts)-2:], "."))
	if !slices.Contains(innerRoles, r) {
		return skip, ""
	}
	return r, unit
}

var innerRoles = []role{stamp, posX, posY, posZ, velX, velY, velZ}

// inner gives meaning to members of members, of a kind that no column has by its own name.
func (t *titled) inner() {
	timed := t.has(frame) || t.has(stamp)
	placed := t.has(posX) || t.has(left) || t.has(distance)
	for c, name := range t.names {
		r, unit := innerMeaning(name)
		if t.roles[c] != skip || slices.Contains(t.unnamed, c) || r == skip || t.has(r) || r == stamp && timed || r != stamp && placed {
			continue
		}
		t.roles[c], t.unit[r] = r, unit
	}
	s := t.column(stamp)
	if s < 0 {
		return
	}
	of := func(c int) string { // what stands before the unit
		name := plainName(t.names[c])
		return name[:max(0, strings.LastIndexByte(name, '_'))]
	}
	for c, name := range t.names {
		last := strings.TrimPrefix(strings.TrimPrefix(plainName(name), of(c)), "_")
		if t.roles[c] == skip && c != s && of(c) == of(s) && of(c) != "" && durations[t.unit[stamp]] == 1 && slices.Contains(nanoseconds, last) {
			t.roles[c] = nano
		}
	}
}

// fromZero has x0, y0, x1, y1 be the sides of a box.
func (t *titled) fromZero() {
	var columns []int
	for _, name := range strings.Fields("x0 y0 x1 y1") {
		c := slices.IndexFunc(t.names, func(n string) bool { return plainName(n) == name })
		if c < 0 || slices.Contains(t.unnamed, c) || t.roles[c] != skip && t.given[t.roles[c]] {
			return
		}
		columns = append(columns, c)
	}
	if t.has(right) || t.has(bottom) {
		return
	}
	for k, r := range []role{left, top, right, bottom} {
		t.roles[columns[k]] = r
	}
}

// nanoseconds are what those of a second are called that stand beside it, in messages of ROS.
var nanoseconds = strings.Fields("nanosec nanosecs nsec nsecs nanoseconds")

// A titled layout is a layout that came of column names.
type titled struct {
	layout
	unit    [roles]string // at the end of the names
	given   [roles]bool   // by the options
	ignored []string      // names that mean nothing here
	second  [roles]int    // a column of the same name as the one with the role; 0: none
	unnamed []int         // columns of identities that are left out
	onLine  bool          // positions are x alone: no column can be y by another name

	fromSensor bool     // positions count from the sensor, as their names say
	asides     []string // why columns of the sensor, or relative to it, are not read
}

// roleNames are the names of roles in Options.Columns.
var roleNames = map[string]role{
	"frame": frame, "time": stamp, "date": date, "year": year, "month": month, "day": monthDay, "hour": hour, "minute": minute, "second": second, "id": ident, "det": det, "parent": mother, "x": posX, "y": posY, "z": posZ, "vx": velX, "vy": velY, "vz": velZ,
	"left": left, "top": top, "right": right, "bottom": bottom, "w": width, "h": height, "conf": conf, "class": class, "sensor": device,
	"sx": devX, "sy": devY, "sz": devZ, "sigma": devAll,
	"sxx": covXX, "sxy": covXY, "syy": covYY, "sxz": covXZ, "syz": covYZ, "szz": covZZ, "course": course, "speed": speed,
	"f1": feature, "range": distance, "bearing": bearing, "elevation": elevation, "range_rate": rangeRate,
	"own_x": ownX, "own_y": ownY, "own_z": ownZ, "own_vx": ownVX, "own_vy": ownVY, "own_vz": ownVZ, "heading": heading,
}

// Roles are what Options.Columns can say of columns; beside f1 there are f2, f3, ….
func Roles() []string { return slices.Sorted(maps.Keys(roleNames)) }

// roleNamed is the role of that name in Options.Columns, skip for none.
func roleNamed(name string) role {
	if isFeature(name) {
		return feature
	}
	return roleNames[name]
}

// IsRole says whether Options.Columns can say it of a column.
func IsRole(name string) bool { return roleNamed(name) != skip }

// isFeature says whether a name is f1, f2, …, which are features of targets.
func isFeature(name string) bool {
	k, err := strconv.Atoi(strings.TrimPrefix(name, "f"))
	return err == nil && k > 0 && name == "f"+strconv.Itoa(k)
}

// telling are words for what may tell targets apart, and so be a feature.
var telling = strings.Fields("intensity mass brightness area amplitude photons signal flux snr rcs volume perimeter eccentricity hue")

// word is the name of r in Options.Columns; "": it has none.
func (r role) word() string {
	for word, of := range roleNames {
		if of == r {
			return word
		}
	}
	return ""
}

// titles gives the columns of h meaning, as o says or by their names. Of several columns
// that name identities the one with the clearest name counts, of other meanings the first.
func (h *head) titles(o *Options) (*titled, *SyntaxError) {
	t := &titled{layout: layout{sep: h.sep, names: h.title}}
	if h.title == nil && len(h.lines) > 0 {
		for c := range h.lines[0].field {
			t.names = append(t.names, fmt.Sprintf("column %d", c+1))
		}
	}
	t.roles = make([]role, len(t.names))
	var none [roles]bool
	for _, name := range slices.Sorted(maps.Keys(o.Columns)) {
		r := roleNamed(name)
		if r == skip {
			return nil, &SyntaxError{File: h.name, Msg: fmt.Sprintf("no role %q of a column", name), Hint: "the roles are " + strings.Join(Roles(), ", ")}
		}
		if o.Columns[name] == "" { // no column has it
			none[r] = true
			continue
		}
		c, e := h.find(o.Columns[name], t.names)
		if e != nil {
			return nil, e
		}
		if t.roles[c] != skip || slices.Contains(t.unnamed, c) {
			return nil, &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: fmt.Sprintf("column %s is given two roles", t.names[c])}
		}
		if r == ident && o.NoIDs {
			t.unnamed = append(t.unnamed, c)
			continue
		}
		t.roles[c] = r
		_, t.unit[r] = meaning(t.names[c])
		t.given[r] = true
	}
	rank := func(c int) int {
		names := strings.Fields(synonyms[ident])
		return max(slices.Index(names, plainName(t.names[c])), slices.Index(names, plainName(inWords(t.names[c]))))
	}
	for c, name := range t.names {
		if t.roles[c] != skip || slices.Contains(t.unnamed, c) {
			continue
		}
		r, unit := meaning(name)
		if isFeature(plainName(name)) && !none[feature] {
			t.roles[c] = feature
			continue
		}
		if r == ident && o.NoIDs {
			t.unnamed = append(t.unnamed, c)
			continue
		}
		switch before := t.column(r); {
		case r == skip, none[r], r == device && !o.Sensors:
		case before < 0:
			t.roles[c], t.unit[r] = r, unit
		case !t.given[r] && isPrecision(name) && !isPrecision(t.names[before]): // the other is how wide a spot is
			t.roles[before], t.roles[c], t.unit[r] = skip, r, unit
		case !t.given[r] && plainName(name) == plainName(t.names[before]):
			t.second[r] = c
		case r == ident && !t.given[r] && rank(c) < rank(before):
			t.roles[before], t.roles[c] = skip, r
		}
	}
	t.inner()
	t.fromZero()
	if !none[frame] {
		t.pictures(h)
	}
	t.parts()
	t.relative()
	t.directions()
	t.inPolar()
	for c, r := range t.roles {
		if r == skip && !slices.Contains(t.unnamed, c) {
			t.ignored = append(t.ignored, cmp.Or(t.names[c], fmt.Sprintf("%d (without a name)", c+1)))
		}
	}
	t.onLine = t.has(posX)
	for c, r := range t.roles {
		if !slices.Contains([]role{frame, ident, det, class, device, origin, mother, stamp, nano, date, year, month, monthDay, hour, minute, second, posX, velX, conf, feature}, r) && !slices.Contains(t.unnamed, c) {
			t.onLine = false
		}
	}
	for c, r := range t.roles {
		if r != skip && c < len(h.measures) && t.unit[r] == "" {
			t.unit[r] = strings.TrimSuffix(h.measures[c], "_s")
		}
	}
	if c := t.column(stamp); c >= 0 && c < len(h.units) {
		t.unit[stamp] = strings.Trim(strings.ToLower(h.units[c]), "() ")
	}
	return t, nil
}

// find is the column of that name or number.
func (h *head) find(name string, names []string) (int, *SyntaxError) {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		if c := slices.IndexFunc(names, func(n string) bool { return same(n, name) }); c >= 0 {
			return c, nil
		}
	}
	if k, err := strconv.Atoi(name); err == nil && k >= 1 && k <= len(names) {
		return k - 1, nil
	}
	return 0, &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1, Msg: fmt.Sprintf("no column is named %q", name),
		Hint: "the columns are " + strings.Join(names, ", ")}
}

// inShort are names, of which those that are numbered one after the other, as elements of lists
// are, stand for all between the first and the last.
func inShort(names []string) string {
	number := func(name string) (stem string, k int) {
		stem = strings.TrimRight(name, "0123456789")
		k, err := strconv.Atoi(name[len(stem):])
		if err != nil {
			return name, -1
		}
		return stem, k
	}
	var out []string
	for at := 0; at < len(names); {
		stem, first := number(names[at])
		n := 1
		for first >= 0 && at+n < len(names) && names[at+n] == stem+strconv.Itoa(first+n) {
			n++
		}
		if n > 3 {
			out = append(out, names[at]+" to "+names[at+n-1])
		} else {
			out = append(out, names[at:at+n]...)
		}
		at += n
	}
	return strings.Join(out, ", ")
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

// unknown are the names that mean nothing to anybody.
func (t *titled) unknown() (names []string) {
	for _, name := range t.ignored {
		if r, _ := meaning(name); r == skip {
			names = append(names, name)
		}
	}
	return names
}

// isGeographic says whether the positions are longitudes and latitudes.
func (t *titled) isGeographic(o *Options) bool {
	x, y := t.column(posX), t.column(posY)
	if o.Units != "" {
		return x >= 0 && y >= 0 && (o.Units == "deg" || o.Units == "degrees")
	}
	return x >= 0 && y >= 0 && isOf(t.names[x], "lon lng long longitude longitud") && isOf(t.names[y], "lat latitude latitud")
}

// isOf says whether one of the words of a name is one of words.
func isOf(name, words string) bool {
	return slices.ContainsFunc(strings.Split(plainName(inWords(name)), "_"), func(w string) bool {
		return slices.Contains(strings.Fields(words), strings.TrimRight(w, digits))
	})
}

const titleHint = "begin with a line of column names, such as frame,id,x,y or time,x,y, or say which they are (--columns x=NAME,y=NAME,frame=NAME)"

func fitsPoints(h *head, o *Options) *SyntaxError {
	if h.xml {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "XML, not a table"}
	}
	o = layered(h, o)
	hint := func() string {
		if len(o.Columns) > 0 || o.Format == "points" {
			return cmp.Or(h.suggestion(o), titleHint)
		}
		return titleHint // the format of the file is not known, and that says more
	}
	if h.title == nil && len(o.Columns) == 0 {
		return h.bad(&h.lines[0], 0, "there are no column names", hint())
	}
	t, e := h.titles(o)
	if e != nil {
		return e
	}
	box := t.has(left) && t.has(top) && (t.has(width) && t.has(height) || t.has(right) && t.has(bottom)) || t.has(distance) && t.has(bearing) || t.looks()
	missing := ""
	switch {
	case !t.has(posX) && !box:
		missing = "x"
	case !t.has(posY) && !box && !t.onLine:
		missing = "y"
	case !t.has(frame) && !t.has(stamp):
		missing = "frame or time"
	default:
		return nil
	}
	col := 1
	if t.has(posX) || t.has(posY) || t.has(frame) || t.has(stamp) { // the line is right as far as it goes
		col += len(strings.Join(h.title, ","))
	}
	return &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: col,
		Msg: fmt.Sprintf("no column is named %s", missing), Hint: hint()}
}

// kindly are names of columns of words that may say who it is or of what kind.
var kindly = []string{"label", "object", "vehicle", "target", "agent", "particle"}

// readTitled reads the rows of a table that names its columns. Identities may be
// words.
func readTitled(h *head, o *Options) (*source, *titled, error) {
	t, e := h.titles(o)
	if e != nil {
		return nil, nil, e
	}
	t.settle(o)
	t.where = h.where
	t.clocks(h.lines)
	if e := t.once(h); e != nil {
		return nil, nil, e
	}
	if c := t.column(ident); c >= 0 && (h.words(c) || h.long(c)) {
		if slices.Contains(kindly, plainName(t.names[c])) && !t.given[ident] && !t.has(class) && h.again(c, t.column(stamp), t.column(frame)) {
			t.roles[c] = class
		} else {
			t.labels = newLabels()
			t.drop(mother) // a number would name nobody
		}
	}
	t.sensors(o)
	if t.has(class) && h.words(t.column(class)) {
		t.kinds = newLabels()
	}
	if c := t.column(class); c >= 0 && h.wordy == c+1 {
		t.kinds = newLabels()
	}
	if c := t.column(frame); c >= 0 && len(h.lines) > 0 && c < len(h.lines[0].field) {
		t.named = namedAs(h.lines[0].field[c])
	}
	if o.DT > 0 && t.has(frame) {
		t.drop(stamp)
	}
	s := &source{}
	if len(t.unnamed) > 0 {
		s.unnamed = t.names[t.unnamed[0]]
	}
	if t.has(distance) && !o.Sensors {
		t.whose = 1 + slices.IndexFunc(t.names, func(name string) bool { r, _ := meaning(name); return r == device })
		if t.whose > 0 && t.roles[t.whose-1] != skip {
			t.whose = 0
		}
	}
	if len(o.Where) == 0 {
		if t.files = 1 + slices.IndexFunc(t.names, t.isRecording); t.files > 0 {
			t.recordings = newLabels()
		}
	}
	var err error
	if s.rows, err = h.rows(&t.layout); err != nil {
		return nil, nil, err
	}
	if len(o.Where) > 0 && s.rows.n == 0 {
		return nil, nil, &SyntaxError{File: h.name, Msg: "no row is as --where says", Hint: "a row counts where the words are the same, letter by letter"}
	}
	s.mixed(h, t)
	if s.rows.several {
		place := o.Sensor
		if place == nil {
			place = make([]float64, s.rows.dim)
		}
		s.doubts = append(s.doubts, fmt.Sprintf("column %s says different things, and is not read: ranges and bearings of all rows are taken for those of one sensor at %v. If they are of several, "+
			"--sensors FILE says where each of these stands; as they are, tracks would be wrong, and slow to find", t.names[t.whose-1], place))
	}
	if t.kinds != nil {
		s.kinds = t.kinds.text
	}
	if o.Sensors { // whose scan a row without a position is would be lost
		s.rows.voids = nil
	}
	if err := s.dates(h); err != nil {
		return nil, nil, err
	}
	s.midnights()
	s.seconds(t)
	return s, t, nil
}

// sensors has names of sensors stand for their numbers.
func (t *titled) sensors(o *Options) {
	if !t.has(device) {
		return
	}
	for k := range o.Described {
		if name := o.Described[k].Name; name != "" {
			if t.devices == nil {
				t.devices = make(map[string]int)
			}
			if _, twice := t.devices[name]; !twice {
				t.devices[name] = k
			}
		}
	}
}

// once is the error of two columns of one name of which one is read; nil: there are none.
func (t *titled) once(h *head) *SyntaxError {
	for c, r := range t.roles {
		again := t.second[r]
		if r == skip || again == 0 {
			continue
		}
		e := &SyntaxError{File: h.name, Line: max(h.titleAt, 1), Col: 1 + len(strings.Join(t.names[:again], ",")) + 1,
			Msg: fmt.Sprintf("columns %d and %d are both named %s", c+1, again+1, t.names[again]), Hint: "rename one of them"}
		if word := r.word(); word != "" {
			e.Hint += fmt.Sprintf(", or say which is meant by its number: --columns %s=%d", word, c+1)
		}
		return e
	}
	return nil
}

// settle drops the columns that are not needed beside others, and those that lack a companion.
func (t *titled) settle(o *Options) {
	if t.looks() {
		t.drop(posY, posZ, rangeRate, velX, velY, velZ, covXX, covXY, covYY, covXZ, covYZ, covZZ, devX, devY, devZ, devAll)
	}
	if !t.onLine && (!t.has(posX) || !t.has(posY)) {
		t.drop(posX, posY)
	} else {
		t.drop(left, top, right, bottom, distance, bearing, elevation, rangeRate)
	}
	if !t.looks() && (!t.has(distance) || !t.has(bearing) || t.has(left)) {
		t.drop(distance, bearing, elevation, rangeRate)
	}
	if !t.has(stamp) {
		t.drop(nano)
	}
	if !t.has(ident) {
		t.drop(mother)
	}
	if sides := t.has(left) && t.has(right) && t.has(bottom); t.has(width) && t.has(height) && (!sides || t.given[width] || t.given[height]) {
		t.drop(right, bottom)
	} else { // beside four sides they may be those of the picture
		t.drop(width, height)
	}
	t.own(o)
	if !t.has(velX) || !t.has(velY) || t.has(velZ) != t.has(posZ) || o.NoVelocity {
		t.drop(velX, velY, velZ)
	}
	if !t.has(course) || !t.has(speed) || t.has(velX) || !t.isGeographic(o) || o.NoVelocity {
		t.drop(course, speed)
	}
	switch {
	case t.has(covXX) && t.has(covYY) && t.has(covZZ) == t.has(posZ):
		t.drop(devX, devY, devZ, devAll)
	case t.has(devX) && t.has(devY) && t.has(devZ) == t.has(posZ):
		t.drop(covXX, covYY, covZZ, devAll)
	case t.has(devAll):
		t.drop(covXX, covXY, covYY, covXZ, covYZ, covZZ, devX, devY, devZ)
	default:
		t.drop(covXX, covXY, covYY, covXZ, covYZ, covZZ, devX, devY, devZ)
	}
}

// again says whether a word of the column comes twice in one scan of the first lines, as kinds do
// and names do not; at are columns that tell scans apart, -1 for none.
func (h *head) again(c int, at ...int) bool {
	seen := make(map[string]bool)
	for _, p := range h.lines {
		key := ""
		for _, k := range append(at, c) {
			if k >= len(p.field) {
				return false
			}
			if k >= 0 {
				key += p.field[k] + "\n"
			}
		}
		if seen[key] {
			return true
		}
		seen[key] = true
	}
	return false
}

// words says whether the column holds words.
func (h *head) words(c int) bool {
	return slices.ContainsFunc(h.lines, func(p peek) bool {
		if c >= len(p.field) {
			return false
		}
		_, ok := parseInt([]byte(p.field[c]))
		return !ok && !isMissing([]byte(p.field[c])) && !isNumber(p.field[c])
	})
}

// long says whether the column holds whole numbers too large for an integer, as 64 bits of a hash
// are: as words they stay what they are.
func (h *head) long(c int) bool {
	return slices.ContainsFunc(h.lines, func(p peek) bool { return c < len(p.field) && isLong([]byte(p.field[c])) })
}

// seconds makes seconds of the times: by the unit of their column, or by their size, since
// no clock counts 10¹¹ seconds.
func (s *source) seconds(t *titled) {
	times := s.rows.time
	if len(times) == 0 {
		return
	}
	f, ok := durations[t.unit[stamp]]
	if !ok {
		least := math.Inf(1)
		for _, x := range times {
			least = min(least, math.Abs(x))
		}
		unit := ""
		switch {
		case least > 1e17:
			f, unit = 1e-9, "nanoseconds"
		case least > 1e14:
			f, unit = 1e-6, "microseconds"
		case least > 1e11:
			f, unit = 1e-3, "milliseconds"
		default:
			return
		}
		s.note("times of %.3g are taken for %s since 1970", times[0], unit)
	}
	s.rows.eachTime(func(x *float64) {
		if f < 1 {
			*x /= math.Round(1 / f)
		} else {
			*x *= f
		}
	})
}

func readPoints(h *head, o *Options) (*source, error) { return readTable(h, layered(h, o), "") }

// readTable is readPoints; what is what the table holds, in words, "" for points or boxes.
func readTable(h *head, o *Options, what string) (*source, error) {
	s, t, err := readTitled(h, o)
	if err != nil || s.rows.n == 0 {
		return s, err
	}
	s.sides(t)
	if t.looks() {
		err = s.fromDirections(h, t, o)
	} else if s.rows.polar != nil {
		err = s.fromPolar(h, t, o)
	} else {
		s.unit, s.scale, err = t.length(h, s.rows, o)
		if err == nil {
			err = s.fromSensors(h, t, o, s.scale)
		}
	}
	if err != nil {
		return nil, err
	}
	if e := leftOut(s, h); e != nil {
		return nil, e
	}
	flat := s.flat(&t.given)
	if s.rows.det != nil && (s.rows.frame == nil || !s.numbered()) {
		s.rows.det = nil
		t.drop(det)
	}
	switch {
	case what == "" && s.rows.size != nil:
		what = "boxes with column names"
	case what == "":
		what = "points with column names"
	}
	s.note("understood as %s: %s, %d columns, %s", what, h.separated(), len(t.names), s.rows.spread("rows"))
	if h.comma {
		s.note("decimal commas are read as points")
	}
	if h.above > 0 {
		s.note("left out above the names of columns: %s", text.Count(h.above, "line"))
	}
	if h.latin {
		s.note("names are not in UTF-8: they are taken for Latin-1")
	}
	s.note("columns read: %s", t.describe())
	if t.named != nil {
		s.note("frames are the numbers in names of files: %s", t.named)
	}
	if h.measures != nil {
		s.note("line %d is taken for units", h.measuredAt)
	}
	if t.onLine {
		s.note("no column can be y: positions are on a line, where y is 0")
	}
	if len(t.ignored) > 0 {
		s.note("columns ignored: %s", inShort(t.ignored))
	}
	for _, name := range t.ignored {
		if r, _ := meaning(name); r == device && !o.Sensors {
			s.note("column %s is not read: if it says which of several sensors a row is of, --sensors FILE describes these, and each has a place and levels of its own", name)
			break
		}
	}
	s.notes = append(s.notes, t.asides...)
	for _, name := range t.ignored {
		if words := strings.Split(plainName(name), "_"); slices.Contains(telling, words[0]) && s.rows.feat == nil {
			s.note("column %[1]s is not read: if it tells targets apart, --columns f1=%[1]s reads it as a feature of theirs (f2 is another)", name)
			break
		}
	}
	if flat != "" {
		s.note("%s", flat)
	}
	if t.labels != nil {
		s.note("identities are words, numbered in order of appearance from 1 = %s to %d = %s", t.labels.text[0], len(t.labels.text), t.labels.text[len(t.labels.text)-1])
	}
	if t.kinds != nil {
		s.note("classes are words, numbered in order of appearance: %s", strings.Join(t.kinds.text, ", "))
	}
	return s, nil
}

// leftOut is the error of a file none of whose rows has a position.
func leftOut(s *source, h *head) error {
	if s.rows.n == 0 {
		return &SyntaxError{File: h.name, Msg: "no row has a position"}
	}
	return nil
}

// flatness is how much less a coordinate varies than the widest one when it is taken for
// none.
const flatness = 1e-3

// flat drops a coordinate in space that hardly varies, unless the options give it, and
// says so; of positions in a plane it only says so.
func (s *source) flat(given *[roles]bool) string {
	r := s.rows
	var span [3]float64
	widest := 0.0
	for c := range r.dim {
		low, high := math.Inf(1), math.Inf(-1)
		for i := c; i < len(r.pos); i += r.dim {
			x := r.pos[i]
			if x < low {
				low = x
			}
			if x > high {
				high = x
			}
		}
		span[c] = high - low
		widest = max(widest, span[c])
	}
	if widest == 0 || r.n < 3 {
		return ""
	}
	for c := r.dim - 1; c >= 0; c-- {
		name := []string{"x", "y", "z"}[c]
		if span[c] > flatness*widest {
			continue
		}
		varies := "is the same in all rows"
		if span[c] > 0 {
			varies = fmt.Sprintf("varies by %.3g only, other coordinates by %.3g", span[c], widest)
		}
		switch {
		case r.dim == 2:
			return fmt.Sprintf("coordinate %s %s", name, varies)
		case !given[posX+role(c)]:
			r.without(c)
			return fmt.Sprintf("coordinate %s %s: left out, positions are in a plane (--columns %s=NAME keeps it)", name, varies, name)
		}
	}
	return ""
}

// flatten is flat for positions of files that are no tables: it adds what flat says to the notes.
func (s *source) flatten(given *[roles]bool) {
	if given == nil {
		given = &[roles]bool{}
	}
	if said := s.flat(given); said != "" {
		s.note("%s", strings.Replace(said, " (--columns z=NAME keeps it)", "", 1))
	}
}

// without drops coordinate c of positions in space.
func (t *rows) without(c int) {
	less := func(a []float64) []float64 {
		if a == nil {
			return nil
		}
		out := a[:0]
		for i := range a {
			if i%3 != c {
				out = append(out, a[i])
			}
		}
		return out
	}
	t.pos, t.vel = less(t.pos), less(t.vel)
	for _, m := range []*[]float64{&t.cov, &t.velCov} {
		out := (*m)[:0]
		for i := 0; i < len(*m); i += mtt.Packed(3) {
			k := i
			for row := range 3 {
				for col := range row + 1 {
					if row != c && col != c {
						out = append(out, (*m)[k])
					}
					k++
				}
			}
		}
		*m = out
	}
	if len(t.cov) == 0 {
		t.cov = nil
	}
	if len(t.velCov) == 0 {
		t.velCov = nil
	}
	t.dim = 2
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
	var out []string
	for c, r := range t.roles {
		switch {
		case r == skip:
		case r == feature:
			out = append(out, t.names[c]+" (as a feature of targets)")
		case r == nano:
			out = append(out, t.names[c]+" (added to the time)")
		case r == stamp && t.clock == inParts:
			out = append(out, t.names[c]+" (as time of day)")
		case strings.EqualFold(r.word(), t.names[c]):
			out = append(out, t.names[c])
		default:
			out = append(out, fmt.Sprintf("%s (as %s)", t.names[c], r.word()))
		}
	}
	return strings.Join(out, ", ")
}

// length converts the positions to metres when their unit, by o or by the column
// names, is a length, and returns the unit that results and how many of it make one of the file.
func (t *titled) length(h *head, s *rows, o *Options) (unit string, scale float64, err error) {
	x := posX
	if t.has(left) {
		x = left
	}
	unit = t.unit[x]
	if c := t.column(x); unit == "" && c >= 0 && c < len(h.units) {
		unit = strings.Trim(strings.ToLower(h.units[c]), "() ")
	}
	for _, r := range []role{posX, posY, posZ, velX, velY, velZ, left, top, right, bottom, width, height} {
		if t.has(r) && t.unit[r] != t.unit[x] && !(t.unit[r] == "" && r >= velX) {
			return "", 0, &SyntaxError{File: h.name, Line: max(h.skip, 1), Col: 1,
				Msg: fmt.Sprintf("%s and %s are in different units", t.names[t.column(x)], t.names[t.column(r)]), Hint: "give all coordinates in one unit"}
		}
	}
	if o.Units != "" {
		unit = strings.ToLower(o.Units)
	}
	switch f, ok := lengths[unit]; {
	case ok && f != 1:
		s.scale(f)
		return "m", f, nil
	case ok:
		return "m", 0, nil
	}
	return lengthUnit(unit), 0, nil
}
