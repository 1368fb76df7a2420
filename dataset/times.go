package dataset

// This file turns the times of rows into scans: rows of one time are a scan, and so are
// rows that a sensor reports one after another, each with its own time. Scans are
// numbered, keep their true times, and are put on a grid only where they lie on one
// within the rounding of the file, or where the options say so.

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"mtt/internal/text"
)

// A beat is one time of a row.
type beat struct {
	source, row int32
	time        float64
}

// clock numbers the scans of the sources by their times, where they have times. What
// stays in the times of rows is when their scan was, from the first scan on; nil where
// scans are d.rate seconds apart for each frame number.
func (d *draft) clock(o *Options, src ...*source) error {
	timed, framed := 0, 0
	for _, s := range src {
		if s.rows.time != nil && s.rows.frame != nil && o.DT > 0 {
			s.rows.time = nil
		}
		if s.rows.time != nil {
			timed++
		}
		if s.rows.frame != nil {
			framed++
		}
	}
	switch {
	case framed < len(src) && timed < len(src):
		return fmt.Errorf("dataset: %s and %s: one says frames, the other times", src[0].name, src[len(src)-1].name)
	case timed == 0:
		look(src)
		return nil
	case framed == len(src):
		look(src)
	}
	beats := beatsOf(src)
	d.Start = beats[0].time
	times := distinct(beats)
	if inDays(times) {
		d.note("times are read as seconds, but look like days, as spreadsheets and MATLAB count them, mostly %.4g s apart: multiply them by 86400, or write dates", typicalStep(times)*day)
	}
	if framed == len(src) {
		return d.byFrames(beats, src)
	}
	for _, s := range src {
		s.rows.frame = make([]int, s.rows.n)
	}
	return d.byTimes(o, beats, times, src)
}

// inDays says whether times look like days since 1900, of now, or since the year 0: they are no
// decimal fractions, as seconds mostly are, and all steps are multiples of a hundredth of a second if
// they are days, of less than a minute. Seconds would be so by chance only of a camera of more than a
// thousand pictures a second, at odd intervals and by the clock of the day.
func inDays(times []float64) bool {
	last := len(times) - 1
	in := func(lo, hi float64) bool { return lo < times[0] && times[last] < hi }
	if last < 5 || !in(20_000, 80_000) && !in(700_000, 760_000) || resolution(times) > 1e-8 || typicalStep(times)*day > 60.5 {
		return false
	}
	const unit, written = 0.01, 2e-4 // s; and what nine decimals of a day leave open
	for k := range last {
		step := (times[k+1] - times[k]) * day
		if n := math.Round(step / unit); n < 1 || math.Abs(step-n*unit) > written {
			return false
		}
	}
	return true
}

// typicalStep is the median of the steps between times in order.
func typicalStep(times []float64) float64 {
	steps := make([]float64, len(times)-1)
	for k := range steps {
		steps[k] = times[k+1] - times[k]
	}
	slices.Sort(steps)
	return steps[len(steps)/2]
}

// beatsOf are the times of all rows, in order.
func beatsOf(src []*source) []beat {
	total := 0
	for _, s := range src {
		total += len(s.rows.time)
	}
	beats, sorted := make([]beat, 0, total), true
	for k, s := range src {
		for i, t := range s.rows.time {
			sorted = sorted && (len(beats) == 0 || beats[len(beats)-1].time <= t)
			beats = append(beats, beat{int32(k), int32(i), t})
		}
	}
	if !sorted {
		slices.SortFunc(beats, func(a, b beat) int {
			return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.source, b.source), cmp.Compare(a.row, b.row))
		})
	}
	return beats
}

// distinct are the times of beats, each once.
func distinct(beats []beat) (times []float64) {
	for _, b := range beats {
		if n := len(times); n == 0 || b.time != times[n-1] {
			times = append(times, b.time)
		}
	}
	return times
}

// byFrames times the frames of rows that say both frame and time.
func (d *draft) byFrames(beats []beat, src []*source) error {
	scans := make(map[int][]beat)
	for _, b := range beats {
		f := src[b.source].rows.frame[b.row]
		scans[f] = append(scans[f], b)
	}
	frames := make([]int, 0, len(scans))
	for f := range scans {
		frames = append(frames, f)
	}
	slices.Sort(frames)
	times := make([]float64, len(frames))
	spread := 0.0
	for k, f := range frames {
		list := scans[f]
		times[k] = middle(list)
		spread = max(spread, list[len(list)-1].time-list[0].time)
		if k > 0 && !(times[k] > times[k-1]) {
			b := list[0]
			s := src[b.source]
			return &SyntaxError{File: s.name, Line: int(s.rows.line[b.row]), Col: 1,
				Msg: fmt.Sprintf("frame %d is at %v s, frame %d at %v s", frames[k-1], times[k-1], f, times[k]), Hint: "time grows with the frame"}
		}
	}
	if spread > 0 {
		d.note("rows of a frame have times up to %.3g s apart: a scan has their mean time", spread)
	}
	if rate, ok := regular(times, func(k int) int { return frames[k] - frames[0] }); ok {
		d.rate, d.Start = rate, times[0]-rate*float64(frames[0])
		d.dropTimes(src)
		return nil
	}
	at := make(map[int]float64, len(frames))
	for k, f := range frames {
		at[f] = times[k]
	}
	d.Start = times[0]
	for _, b := range beats {
		t := src[b.source].rows
		t.time[b.row] = at[t.frame[b.row]] - d.Start
	}
	d.uneven(times)
	return nil
}

// middle is the mean time of rows in order of time; exactly that of all when they
// have one.
func middle(list []beat) float64 {
	first := list[0].time
	sum := 0.0
	for _, b := range list {
		sum += b.time - first
	}
	return first + sum/float64(len(list))
}

// uneven says that the scans come at odd times.
func (d *draft) uneven(times []float64) {
	low, high := math.Inf(1), 0.0
	for k := 1; k < len(times); k++ {
		low, high = min(low, times[k]-times[k-1]), max(high, times[k]-times[k-1])
	}
	d.note("scans are %.4g to %.4g s apart: every scan keeps its true time", low, high)
}

// A time of day is so many seconds since 1970 at most: of a day of the year 0, as no day is known.
// It lasts a day.
const latestOfDay, day = -6.2e10, 86400.

// isNextDay says whether the time of day after is one of the day after another that comes before
// it: by more than half a day.
func isNextDay(before, after float64) bool {
	return before < latestOfDay && after < latestOfDay && before-after > day/2
}

// midnights has times of day go on after midnight, where rows are in order of time but for that.
func (s *source) midnights() {
	t := s.rows
	if len(t.time) == 0 || t.time[0] > latestOfDay {
		return
	}
	var lines []int32 // of the first row of each day
	done := make(map[int]bool)
	apart := t.id != nil // rows of an identity stand together: midnight may be where another begins
	for i := 1; i < t.n; i++ {
		if t.id != nil && t.id[i] != t.id[i-1] {
			done[t.id[i-1]] = true
			apart = apart && !done[t.id[i]]
		}
		switch {
		case isNextDay(t.time[i-1], t.time[i]):
			lines = append(lines, t.line[i])
		case t.time[i] < t.time[i-1]:
			return
		}
	}
	if len(lines) == 0 || apart {
		return
	}
	later := func(line int32) float64 {
		days, ok := slices.BinarySearch(lines, line)
		if ok {
			days++
		}
		return day * float64(days)
	}
	for i := range t.time {
		t.time[i] += later(t.line[i])
	}
	for i := range t.voids {
		t.voids[i].time += later(t.voids[i].line)
	}
	s.note("times of day begin anew in line %d: what follows is of the next day", lines[0])
}

// dropTimes forgets the times of rows.
func (d *draft) dropTimes(src []*source) {
	for _, s := range src {
		s.rows.time = nil
	}
}

// byTimes numbers scans by the times of rows without frames.
func (d *draft) byTimes(o *Options, beats []beat, times []float64, src []*source) error {
	if len(src) == 1 && (o.DT > 0 || src[0].every > 0 || o.Every > 0 || ownTimes(len(beats), len(times))) { // times will be lost
		if t := src[0].rows; o.Noise == 0 {
			if d.once(t, t.ofTimes(beats)); t.n < len(beats) {
				beats = beatsOf(src)
			}
		}
	}
	if o.DT > 0 {
		return d.bin(o.DT, true, beats, src)
	}
	if every := src[0].every; every > 0 {
		if o.Every > 0 {
			every = float64(o.Every)
		}
		return d.bin(every, false, beats, src)
	}
	if o.Every == 0 && len(src) == 1 && ownTimes(len(beats), len(times)) && len(identities(src)) < 2 && pause(beats) == 0 && d.byTurns(o, beats, src[0]) {
		return nil
	}
	positions := beats
	if look(src) {
		beats = beatsOf(src)
		times = distinct(beats)
		d.Start = beats[0].time
	}
	if gap := clusters(beats, times); gap > 0 && o.Every == 0 {
		return d.scansOf(beats, len(times), gap, src)
	}
	var number func(k int) int
	switch steps, even := even(times); {
	case !slices.ContainsFunc(times, func(x float64) bool { return x != math.Trunc(x) || math.Abs(x) > maxInt }) && !sparse(times):
		d.rate, d.Start = 1, 0
		number = func(k int) int { return int(times[k]) }
		d.note("frames are whole seconds of the time column")
	case even:
		d.rate = 1
		if last := steps[len(steps)-1]; last > 0 {
			d.rate = (times[len(times)-1] - times[0]) / float64(last)
		}
		number = func(k int) int { return steps[k] }
		d.note("times are %.6g s apart: frames 0..%d", d.rate, steps[len(steps)-1])
	case o.Every > 0:
		unlook(src) // frames of a length of their own are all looked at
		return d.bin(float64(o.Every), false, positions, src)
	default:
		return d.scansOf(beats, len(times), 0, src)
	}
	k := 0
	for _, b := range beats {
		for times[k] != b.time {
			k++
		}
		src[b.source].rows.frame[b.row] = number(k)
	}
	d.dropTimes(src)
	d.rarely(src)
	return nil
}

// rarely notes when targets are seen in few of the scans, as reports without
// common times are.
func (d *draft) rarely(src []*source) {
	for _, s := range src {
		t := s.rows
		if t.id == nil {
			continue
		}
		number, ids := t.numbers()
		const never = math.MinInt
		last := slices.Repeat([]int{never}, len(ids)) // frames
		gaps, total := make(map[int]int), 0           // how often one comes
		order := t.frameOrder()
		for _, i := range order {
			if t.id[i] == noID || t.isVoid(i) {
				continue
			}
			k := number(t.id[i])
			if last[k] != never {
				gaps[t.frame[i]-last[k]]++
				total++
			}
			last[k] = t.frame[i]
		}
		before := 0
		for _, typical := range slices.Sorted(maps.Keys(gaps)) {
			if before += gaps[typical]; 2*before > total {
				if typical > 2 && len(ids) > 1 {
					d.note("a target is in one scan of %d: if targets report at times of their own, --dt SECONDS puts reports together", typical)
				}
				break
			}
		}
	}
}

// ownTimes says whether rows at so many distinct times have times of their own: fewer than 1.5 at a time.
func ownTimes(rows, distinct int) bool { return 2*rows < 3*distinct }

// identities are those of all rows; noID is one.
func identities(src []*source) map[int]bool {
	ids := make(map[int]bool)
	for _, s := range src {
		for _, id := range s.rows.id {
			ids[id] = true
		}
	}
	return ids
}

// scansOf makes scans of rows at irregular times, of which distinct differ: rows of one time are
// a scan; where gap is given, or nearly every row has a time of its own, a scan ends at a gap in time or
// where an identity comes again.
func (d *draft) scansOf(beats []beat, distinct int, gap float64, src []*source) error {
	ids := identities(src)
	ends := func(k int) bool { return beats[k].time != beats[k-1].time }
	if gap > 0 || ownTimes(len(beats), distinct) && len(ids) != 1 {
		if gap = cmp.Or(gap, pause(beats)); gap > 0 {
			ends = func(k int) bool { return beats[k].time-beats[k-1].time >= gap }
			d.note("rows have times of their own: a scan ends where nothing comes for %.3g s", gap)
		} else if len(ids) > 1 {
			seen := make(map[[2]int]bool)
			ends = func(k int) bool {
				key := func(k int) [2]int {
					b := beats[k]
					if t := src[b.source].rows; t.id != nil && t.id[b.row] != noID {
						return [2]int{int(b.source), t.id[b.row]}
					}
					return [2]int{-1, k}
				}
				if k == 1 {
					seen[key(0)] = true
				}
				again := seen[key(k)]
				if again {
					clear(seen)
				}
				seen[key(k)] = true
				return again
			}
			d.note("rows have times of their own: a scan ends where an identity comes again")
		} else {
			d.note("nearly every row has a time of its own, and is a scan of its own: if a scan takes time, --dt SECONDS says how long; if a sensor turns, --sensor X,Y says where it is")
		}
	}
	var times []float64
	spread := 0.0
	for lo := 0; lo < len(beats); {
		hi := lo + 1
		for hi < len(beats) && !ends(hi) {
			hi++
		}
		at := middle(beats[lo:hi])
		if n := len(times); n > 0 && !(at > times[n-1]) { // rows of equal time, cut by an identity
			at = math.Nextafter(times[n-1], math.Inf(1))
		}
		spread = max(spread, beats[hi-1].time-beats[lo].time)
		for _, b := range beats[lo:hi] {
			src[b.source].rows.frame[b.row] = len(times)
		}
		times = append(times, at)
		lo = hi
	}
	d.Start = times[0]
	for _, s := range src {
		for i, f := range s.rows.frame {
			s.rows.time[i] = times[f] - d.Start
		}
	}
	for k := 1; k < len(times); k++ {
		if !(times[k]-d.Start > times[k-1]-d.Start) {
			b := beats[len(beats)-1]
			return &SyntaxError{File: src[b.source].name, Line: int(src[b.source].rows.line[b.row]), Col: 1,
				Msg: fmt.Sprintf("two scans at %v s", times[k]), Hint: "say how long a scan takes (--dt)"}
		}
	}
	if spread > 0 {
		d.note("rows of a scan have times up to %.3g s apart: a scan has their mean time", spread)
	}
	d.uneven(times)
	return nil
}

// pause is the shortest gap in time between two scans when gaps within scans and
// between them differ clearly, by a factor of three, and come at a steady pace; else 0.
func pause(beats []beat) float64 {
	var gaps []float64
	for k := 1; k < len(beats); k++ {
		gaps = append(gaps, beats[k].time-beats[k-1].time)
	}
	slices.Sort(gaps)
	best, at := 3.0, -1
	for k := 1; k < len(gaps); k++ {
		// At least three scans, of one and a half rows on average.
		if scans := len(gaps) - k + 1; scans < 3 || 2*len(beats) < 3*scans || gaps[k-1] <= 0 {
			continue
		}
		if r := gaps[k] / gaps[k-1]; r > best {
			best, at = r, k
		}
	}
	if at < 0 {
		return 0
	}
	// Scans begin at a steady pace, unlike what comes after an outage.
	var pace []float64
	begin := beats[0].time
	for k := 1; k < len(beats); k++ {
		if beats[k].time-beats[k-1].time >= gaps[at] {
			pace = append(pace, beats[k].time-begin)
			begin = beats[k].time
		}
	}
	slices.Sort(pace)
	usual := pace[len(pace)/2]
	steady := 0
	for _, p := range pace {
		if p > 0.7*usual && p < 1.3*usual {
			steady++
		}
	}
	if 5*steady < 4*len(pace) {
		return 0
	}
	return gaps[at]
}

// clusters is the shortest gap between scans whose rows are stamped one by one by a coarse clock,
// so that several have one time: gaps between scans are tenfold those within them at least, and
// rows fall on the times of their scan by chance. On those of pictures that are taken in bursts
// they do not: each shows about as many. 0: times are no such.
func clusters(beats []beat, times []float64) float64 {
	const clear, chance = 10, 0.5 // rows by chance vary as much as there are, but for the last of a scan; of targets detected with probability p, by 1 - p of that
	distinct := make([]beat, len(times))
	for k := range times {
		distinct[k].time = times[k]
	}
	gap := pause(distinct)
	if gap == 0 {
		return 0
	}
	rows := make([]float64, len(times))
	k := 0
	for _, b := range beats {
		for times[k] != b.time {
			k++
		}
		rows[k]++
	}
	within, sum, varied := 0.0, 0.0, 0.0
	for lo := 0; lo < len(times); {
		hi, n := lo+1, rows[lo]
		for ; hi < len(times) && times[hi]-times[hi-1] < gap; hi++ {
			within = max(within, times[hi]-times[hi-1])
			n += rows[hi]
		}
		if m := float64(hi - lo); m > 1 {
			for _, r := range rows[lo:hi] {
				varied += (r - n/m) * (r - n/m) * m / (m - 1)
			}
			sum += n
		}
		lo = hi
	}
	if gap < clear*within || varied < chance*sum {
		return 0
	}
	return gap
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

// even numbers times in ascending order when they lie on a grid, with holes.
func even(times []float64) (number []int, ok bool) {
	number = make([]int, len(times))
	if len(times) == 1 {
		return number, true
	}
	step := typicalStep(times)
	for i := 1; i < len(times); i++ {
		k := math.Round((times[i] - times[i-1]) / step)
		if k < 1 || k > 1e6 {
			return nil, false
		}
		number[i] = number[i-1] + int(k)
	}
	if tooSparse(number[len(number)-1], len(times)) {
		return nil, false
	}
	_, ok = regular(times, func(k int) int { return number[k] })
	return number, ok
}

// regular fits time k by a straight line over number(k), of which the first is 0, and
// says whether all lie on it within the rounding of the times: no farther than half of
// their last decimal, and a little.
func regular(times []float64, number func(k int) int) (rate float64, ok bool) {
	n := len(times)
	if n == 1 {
		return 1, true
	}
	meanN, meanT := 0.0, 0.0
	for k, t := range times {
		meanN += float64(number(k)) / float64(n)
		meanT += (t - times[0]) / float64(n)
	}
	sxy, sxx := 0.0, 0.0
	for k, t := range times {
		x := float64(number(k)) - meanN
		sxy += x * (t - times[0] - meanT)
		sxx += x * x
	}
	slope := sxy / sxx
	within := max(0.6*resolution(times), 1e-6*slope, 8e-16*math.Abs(times[n-1])) // 0.5, and what the fit may be off
	within = min(within, slope/4)
	if !(slope > 0) {
		return 0, false
	}
	for k, t := range times {
		if math.Abs(t-times[0]-meanT-slope*(float64(number(k))-meanN)) > within {
			return 0, false
		}
	}
	return (times[n-1] - times[0]) / float64(number(n-1)), true
}

// resolution is the last decimal of the times: the largest of 1, 0.1, …, 1e-9 of which
// all are multiples; 0 when none is.
func resolution(times []float64) float64 {
	for unit := 1.0; unit < 2e9; unit *= 10 {
		if !slices.ContainsFunc(times, func(t float64) bool {
			return math.Abs(t*unit-math.Round(t*unit)) > 1e-6+4e-16*math.Abs(t*unit)
		}) {
			return 1 / unit
		}
	}
	return 0
}

// bin puts rows that come at any time into frames of the given length in s, counted from
// the first row. Frames of scans that gather about multiples of that length are centred on
// them. Of several rows of one target in a frame the last stays.
func (d *draft) bin(every float64, scans bool, beats []beat, src []*source) error {
	first, last := beats[0].time, beats[len(beats)-1].time
	if n := (last - first) / every; n > maxInt || tooSparse(int(n), len(beats)) {
		b := beats[len(beats)-1]
		return &SyntaxError{File: src[b.source].name, Line: int(src[b.source].rows.line[b.row]), Col: 1,
			Msg: fmt.Sprintf("%s over %v s make %.3g frames of %v s", text.Count(len(beats), "report"), last-first, n, every), Hint: "is the time column in seconds?"}
	}
	sin, cos := 0.0, 0.0 // the circular mean of where in a frame the times are
	for _, b := range beats {
		s, c := math.Sincos(2 * math.Pi * (b.time - first) / every)
		sin, cos = sin+s, cos+c
	}
	begin := first
	if scans && math.Hypot(sin, cos) > 0.3*float64(len(beats)) {
		begin = first + every*(math.Atan2(sin, cos)/(2*math.Pi)-0.5)
		if begin > first {
			begin -= every
		}
	}
	for _, b := range beats {
		src[b.source].rows.frame[b.row] = int((b.time - begin) / every)
	}
	d.Start, d.rate, d.binned = begin, every, true
	moved := 0.0
	if !slices.ContainsFunc(src, func(s *source) bool { return s.rows.vel == nil || s.origin == nil }) { // of course and speed, which are exact
		for _, s := range src {
			moved = max(moved, s.rows.toMiddle(begin, every))
		}
		d.Start += every / 2
	}
	d.dropTimes(src)
	total, merged, named := len(beats), 0, false
	for k, s := range src {
		t := s.rows
		if t.id == nil {
			continue
		}
		named = true
		latest := make(map[[2]int]int, t.n)
		for _, b := range beats {
			if int(b.source) == k && t.id[b.row] != noID {
				latest[[2]int{t.frame[b.row], t.id[b.row]}] = int(b.row)
			}
		}
		merged += t.keep(func(i int) bool { return t.id[i] == noID || latest[[2]int{t.frame[i], t.id[i]}] == i })
	}
	switch {
	case d.Start > begin:
		defer d.note("positions are moved along course and speed to the middle of their frame, by up to %.3g %s; --no-velocity leaves them where they are", moved, cmp.Or(d.Unit, "units"))
	default:
		defer d.note("the time of a report in its frame, of %v s, is not kept: without course and speed over ground its position stays where it was", every)
	}
	if !named {
		d.note("reports over %.1f s put into frames of %v s", last-first, every)
		return nil
	}
	d.note("reports over %.1f s put into frames of %v s; of several of one target in a frame the last stays: %d of %d left out", last-first, every, merged, total)
	if 2*merged > total {
		d.note("most reports are left out: frames of %v s are too long for these times", every)
	}
	return nil
}

// toMiddle moves positions along their velocities to the middle of their frames, which are every s
// long from begin on, and returns how far one moves at most.
func (t *rows) toMiddle(begin, every float64) (most float64) {
	for i := range t.n {
		dt := begin + (float64(t.frame[i])+0.5)*every - t.time[i]
		far := 0.0
		for c := range t.dim {
			step := dt * t.vel[i*t.dim+c]
			t.pos[i*t.dim+c] += step
			far = math.Hypot(far, step)
		}
		most = max(most, far)
	}
	return most
}
