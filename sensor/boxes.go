package sensor

import (
	"fmt"

	"mtt"
)

// This file takes boxes in pictures: centre, size and confidence.

// Boxes converts the boxes of a detector in pictures. The zero value takes the left and
// top sides, width and height, as most files have them.
type Boxes struct {
	Corners    bool    // left, top, right, bottom; else left, top, width, height
	Confidence bool    // a confidence as well
	Sigma      float64 // px: standard deviation of each coordinate of the centre; 0: to be learnt
}

// newBoxes is the converter of a description, for files with left, top, width, height
// and confidence.
func newBoxes(s *Sensor) (Converter, error) {
	b := &Boxes{Confidence: true}
	if err := s.only("position"); err != nil {
		return nil, err
	}
	if _, told := s.Noise["position"]; told {
		sigma, err := s.noise("position")
		if err != nil {
			return nil, err
		}
		b.Sigma = sigma
	}
	return b, nil
}

// Roles implements [Converter].
func (b *Boxes) Roles() []string {
	roles := []string{"left", "top", "w", "h"}
	if b.Corners {
		roles = []string{"left", "top", "right", "bottom"}
	}
	if b.Confidence {
		roles = append(roles, "conf")
	}
	return roles
}

// Append implements [Converter]. The position is the centre of the box.
func (b *Boxes) Append(s *mtt.Scan, z []float64) error {
	if err := check(b.Roles(), z); err != nil {
		return err
	}
	w, h := z[2], z[3]
	if b.Corners {
		w, h = z[2]-z[0], z[3]-z[1]
	}
	if w < 0 || h < 0 {
		hint := ""
		if b.Corners {
			hint = "; are these left, top, width, height?"
		}
		return fmt.Errorf("sensor: %w: a box %v wide and %v high%s", ErrMeasurement, w, h, hint)
	}
	s.Dim = 2
	s.Pos = append(s.Pos, z[0]+w/2, z[1]+h/2)
	s.Size = append(s.Size, w, h)
	s.Cov = appendIsotropic(s.Cov, b.Sigma, 2)
	if b.Confidence {
		s.Conf = append(s.Conf, z[4])
	}
	return nil
}
