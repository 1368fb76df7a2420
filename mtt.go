package mtt

// This file defines the shared vocabulary: Scan, Hit, Track and States.

// A Scan is what one sensor reports for one frame: Len() detections in no
// particular order. Slices are owned by whoever made the scan; packages of this
// module read them and never keep or change them. What is not reported is nil.
type Scan struct {
	Frame  int       // number of the frame in its source; ascending
	Time   float64   // s; ascending, in steps of any length
	Sensor int       // which of several sensors made it; 0 where there is one
	Dim    int       // 2 or 3
	Pos    []float64 // m (or the unit of the source), row-major Len()×Dim
	Vel    []float64 // m/s, row-major Len()×Dim
	Cov    []float64 // m²: covariance of each position's noise, row-major Len()×Packed(Dim); nil: that of all is the same
	VelCov []float64 // m²/s²: the same of each velocity
	Size   []float64 // width and height of boxes, row-major Len()×2; nil: points
	Conf   []float64 // confidence of the detector, len Len()
	Class  []int32   // what the detector takes it for, len Len()
	Feat   []float64 // features, such as of appearance, row-major Len()×F for any F
}

// Packed is the number of elements in the lower triangle of a dim×dim matrix, which
// is how covariances are kept: xx, xy, yy, and in space xz, yz, zz.
func Packed(dim int) int { return dim * (dim + 1) / 2 }

// Len is the number of detections.
func (s *Scan) Len() int {
	if s.Dim == 0 {
		return 0
	}
	return len(s.Pos) / s.Dim
}

// At is the position of detection i, a view into Pos.
func (s *Scan) At(i int) []float64 { return s.Pos[i*s.Dim : (i+1)*s.Dim : (i+1)*s.Dim] }

// VelAt is the measured velocity of detection i, a view into Vel; nil when
// velocities are not measured.
func (s *Scan) VelAt(i int) []float64 { return row(s.Vel, i, s.Dim) }

// CovAt is the covariance of the position of detection i, packed, a view into Cov;
// nil where Cov is.
func (s *Scan) CovAt(i int) []float64 { return row(s.Cov, i, Packed(s.Dim)) }

// VelCovAt is the covariance of the velocity of detection i, packed, a view into
// VelCov; nil where VelCov is.
func (s *Scan) VelCovAt(i int) []float64 { return row(s.VelCov, i, Packed(s.Dim)) }

// Features is the number of features of each detection.
func (s *Scan) Features() int {
	if n := s.Len(); n > 0 {
		return len(s.Feat) / n
	}
	return 0
}

// FeatAt are the features of detection i, a view into Feat; nil where Feat is.
func (s *Scan) FeatAt(i int) []float64 { return row(s.Feat, i, s.Features()) }

// Pick is the scan with the detections dets only, in that order. It shares no memory with s.
func (s *Scan) Pick(dets []int32) Scan {
	pick := func(flat []float64, width int) []float64 {
		if flat == nil || len(dets) == 0 {
			return nil
		}
		dst := make([]float64, 0, len(dets)*width)
		for _, d := range dets {
			dst = append(dst, row(flat, int(d), width)...)
		}
		return dst
	}
	c := Scan{
		Frame: s.Frame, Time: s.Time, Sensor: s.Sensor, Dim: s.Dim,
		Pos: pick(s.Pos, s.Dim), Vel: pick(s.Vel, s.Dim), Cov: pick(s.Cov, Packed(s.Dim)), VelCov: pick(s.VelCov, Packed(s.Dim)),
		Size: pick(s.Size, 2), Conf: pick(s.Conf, 1), Feat: pick(s.Feat, s.Features()),
	}
	if s.Class != nil && len(dets) > 0 {
		c.Class = make([]int32, len(dets))
		for k, d := range dets {
			c.Class[k] = s.Class[d]
		}
	}
	return c
}

// ByFrame is the index of the scan of each frame.
func ByFrame(scans []Scan) map[int]int {
	index := make(map[int]int, len(scans))
	for t := range scans {
		index[scans[t].Frame] = t
	}
	return index
}

// row is row i of flat data of the given width, a view; nil where flat is.
func row(flat []float64, i, width int) []float64 {
	if flat == nil {
		return nil
	}
	return flat[i*width : (i+1)*width : (i+1)*width]
}

// A Hit is one point of a track: detection Det of the scan whose Frame is
// Frame. Det is -1 where the target was present but not detected, and where a
// file does not say which detection it was.
type Hit struct {
	Frame int
	Det   int
}

// A Track is the history of one target, true or estimated: Hits in ascending
// order of frames, at most one for each frame.
type Track struct {
	ID     int
	Parent int       // ID of the track that ended when its target divided into this one and another; 0: none is known
	Dim    int       // 2 or 3
	Hits   []Hit     // ascending Frame
	Pos    []float64 // m, row-major len(Hits)×Dim
	Vel    []float64 // m/s, row-major len(Hits)×Dim; nil: unknown
	Size   []float64 // width and height, row-major len(Hits)×2; nil: points

	Cov, VelCov []float64 // of Pos and Vel, as in Scan; nil: not told of all
}

// Append appends detection i of s, which must be later than all hits.
func (t *Track) Append(s *Scan, i int) {
	t.Hits = append(t.Hits, Hit{Frame: s.Frame, Det: i})
	t.Pos = append(t.Pos, s.At(i)...)
	t.Vel = append(t.Vel, s.VelAt(i)...)
	n := len(t.Hits) - 1
	t.Cov, t.VelCov = follow(t.Cov, n, s.CovAt(i)), follow(t.VelCov, n, s.VelCovAt(i))
	if s.Size != nil {
		t.Size = append(t.Size, s.Size[2*i], s.Size[2*i+1])
	}
}

// follow appends a row to n rows of its width; nil where the row or one before it is not told.
func follow(rows []float64, n int, row []float64) []float64 {
	if len(rows) != n*len(row) {
		return nil
	}
	return append(rows, row...)
}

// At is the position of hit h, a view into Pos.
func (t *Track) At(h int) []float64 { return t.Pos[h*t.Dim : (h+1)*t.Dim : (h+1)*t.Dim] }

// Between is the part of the track from frame first to frame last, both
// included. Its slices are views.
func (t *Track) Between(first, last int) Track {
	lo, hi := 0, len(t.Hits)
	for lo < hi && t.Hits[lo].Frame < first {
		lo++
	}
	for hi > lo && t.Hits[hi-1].Frame > last {
		hi--
	}
	part := Track{ID: t.ID, Parent: t.Parent, Dim: t.Dim, Hits: t.Hits[lo:hi], Pos: t.Pos[lo*t.Dim : hi*t.Dim]}
	if t.Vel != nil {
		part.Vel = t.Vel[lo*t.Dim : hi*t.Dim]
	}
	if t.Size != nil {
		part.Size = t.Size[2*lo : 2*hi]
	}
	return part
}

// States are what is known of one target at successive scans.
type States struct {
	ID   int       // of its track
	Dim  int       // 2 or 3
	Hits []Hit     // one for each scan from the first detection to the last; Det is -1 where it was not detected
	Time []float64 // s, len(Hits)
	Mean []float64 // m, m/s: position, then velocity, row-major len(Hits)×2Dim
	Cov  []float64 // covariance of Mean, packed, row-major len(Hits)×Packed(2Dim)
	Size []float64 // width and height, row-major len(Hits)×2; nil: points
}

// At is the mean of position and velocity at hit h and their covariance, views into Mean
// and Cov.
func (s *States) At(h int) (mean, cov []float64) {
	return row(s.Mean, h, 2*s.Dim), row(s.Cov, h, Packed(2*s.Dim))
}
