package mtt

import (
	"errors"
	"fmt"
	"math"
)

// This file checks scans, once for all packages.

// ErrScan marks a scan, or a sequence of scans, that makes no sense.
var ErrScan = errors.New("unusable scan")

// Largest is the largest coordinate, velocity or time that is believed: squares of
// differences stay finite below it.
const Largest = 1e150

// Validate checks that the slices of s fit together and that its numbers can be
// reckoned with: all finite and at most [Largest], variances above 0 and their
// matrices positive definite, sizes not negative. The error wraps [ErrScan] and names
// the frame and the detection. It takes time linear in the scan.
func (s *Scan) Validate() error {
	if !(math.Abs(s.Time) <= Largest) {
		return s.wrong("its time is %v", s.Time)
	}
	if len(s.Pos) == 0 {
		return nil // nothing else is looked at
	}
	if s.Dim != 2 && s.Dim != 3 {
		return s.wrong("its dimension is %d, want 2 or 3", s.Dim)
	}
	if len(s.Pos)%s.Dim != 0 {
		return s.wrong("%d coordinates are not those of points with %d each", len(s.Pos), s.Dim)
	}
	n := s.Len()
	var fault error // the first
	check := func(name string, values []float64, width int) {
		if values == nil || fault != nil {
			return
		}
		if len(values) != n*width || width == 0 {
			fault = s.wrong("%d numbers for the %s of %d detections, want %d each", len(values), name, n, max(1, width))
			return
		}
		for k, x := range values {
			if !(math.Abs(x) <= Largest) {
				fault = s.wrong("detection %d: %s is %v", k/width, name, x)
				return
			}
		}
	}
	check("position", s.Pos, s.Dim)
	check("velocity", s.Vel, s.Dim)
	check("size", s.Size, 2)
	check("confidence", s.Conf, 1)
	check("covariance", s.Cov, Packed(s.Dim))
	check("velocity covariance", s.VelCov, Packed(s.Dim))
	check("feature", s.Feat, s.Features())
	if fault != nil {
		return fault
	}
	if s.Class != nil && len(s.Class) != n {
		return s.wrong("%d classes for %d detections", len(s.Class), n)
	}
	for k, x := range s.Size {
		if x < 0 {
			return s.wrong("detection %d: size is %v, want at least 0", k/2, x)
		}
	}
	if s.VelCov != nil && s.Vel == nil {
		return s.wrong("covariances of velocities without velocities")
	}
	for i := range n {
		if s.Cov != nil && !positive(s.CovAt(i), s.Dim) {
			return s.wrong("detection %d: covariance %v is not positive definite", i, s.CovAt(i))
		}
		if s.VelCov != nil && !positive(s.VelCovAt(i), s.Dim) {
			return s.wrong("detection %d: velocity covariance %v is not positive definite", i, s.VelCovAt(i))
		}
	}
	return nil
}

func (s *Scan) wrong(format string, args ...any) error {
	return fmt.Errorf("frame %d: %w: %s", s.Frame, ErrScan, fmt.Sprintf(format, args...))
}

// positive reports whether a packed matrix is positive definite.
func positive(c []float64, dim int) bool {
	minor := c[0]*c[2] - c[1]*c[1]
	if !(c[0] > 0 && minor > 0) {
		return false
	}
	if dim == 2 {
		return true
	}
	xy, yy, xz, yz, zz := c[1], c[2], c[3], c[4], c[5]
	return c[0]*(yy*zz-yz*yz)-xy*(xy*zz-yz*xz)+xz*(xy*yz-yy*xz) > 0
}

// ValidateAll checks every scan, that their times and frames ascend, by steps for which
// accelerations can be reckoned with: the cube of each, in s, and the largest coordinate over its
// square, are at most [Largest]; and that all that have detections report the same: dimension,
// velocities, sizes and so on, covariances all of one sensor. The error wraps [ErrScan].
func ValidateAll(scans []Scan) error {
	var first *Scan         // with detections
	var tells map[int]*Scan // the same of each sensor; nil: there is that of first only
	far := 0.0              // the largest coordinate
	for t := range scans {
		for _, x := range scans[t].Pos {
			if x = math.Abs(x); x > far {
				far = x
			}
		}
	}
	for t := range scans {
		s := &scans[t]
		if err := s.Validate(); err != nil {
			return err
		}
		if t > 0 {
			before := &scans[t-1]
			if !(s.Time > before.Time) {
				return s.wrong("its time %v is not after that of the scan before, %v; scans out of order, or two with one time stamp", s.Time, before.Time)
			}
			if step := s.Time - before.Time; !(step*step*step <= Largest && far/step/step <= Largest) {
				return s.wrong("its time %v is %v s after that of the scan before: where coordinates are as large as %v, what moves so far in such a time is no number; take another unit of time or of length", s.Time, step, far)
			}
			if s.Frame <= before.Frame {
				return s.wrong("the scan before it is frame %d; frames must ascend", before.Frame)
			}
		}
		if s.Len() == 0 {
			continue
		}
		if first == nil {
			first = s
		}
		like := first
		if s.Sensor != first.Sensor {
			if tells == nil {
				tells = make(map[int]*Scan)
			}
			if tells[s.Sensor] == nil {
				tells[s.Sensor] = s
			}
			like = tells[s.Sensor]
		}
		if (s.Cov == nil) != (like.Cov == nil) || (s.VelCov == nil) != (like.VelCov == nil) {
			return s.wrong("its covariances differ from those of frame %d: all scans of a sensor report them, or none does", like.Frame)
		}
		if lacks := first.unlike(s); lacks != "" {
			return s.wrong("its %s differ from those of frame %d: all scans report the same, or none does", lacks, first.Frame)
		}
	}
	return nil
}

// unlike names what only one of two scans reports, "" where they agree.
func (s *Scan) unlike(o *Scan) string {
	switch {
	case s.Dim != o.Dim:
		return "coordinates"
	case (s.Vel == nil) != (o.Vel == nil):
		return "velocities"
	case (s.Size == nil) != (o.Size == nil):
		return "sizes"
	case (s.Conf == nil) != (o.Conf == nil):
		return "confidences"
	case (s.Class == nil) != (o.Class == nil):
		return "classes"
	case s.Features() != o.Features():
		return "features"
	}
	return ""
}
