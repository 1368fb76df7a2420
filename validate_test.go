package mtt_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"mtt"
)

// This file tests the checks of scans.

func TestValidate(t *testing.T) {
	good := func() mtt.Scan {
		return mtt.Scan{
			Frame: 7, Time: 1, Dim: 2, Pos: []float64{0, 1, 2, 3}, Vel: []float64{1, 0, 0, 1},
			Cov: []float64{1, 0.5, 1, 2, 0, 2}, VelCov: []float64{1, 0, 1, 1, 0, 1},
			Size: []float64{1, 2, 3, 4}, Conf: []float64{0.5, 1}, Class: []int32{1, 1}, Feat: []float64{1, 2, 3, 4, 5, 6},
		}
	}
	if s := good(); s.Validate() != nil || s.Features() != 3 || s.FeatAt(1)[0] != 4 || s.CovAt(1)[0] != 2 {
		t.Fatalf("a good scan is refused, or read wrongly: %v", s.Validate())
	}
	if err := (&mtt.Scan{Frame: 1, Time: 2}).Validate(); err != nil {
		t.Errorf("an empty scan is refused: %v", err)
	}
	for name, spoil := range map[string]func(s *mtt.Scan){
		"its time":                     func(s *mtt.Scan) { s.Time = math.NaN() },
		"dimension is 4":               func(s *mtt.Scan) { s.Dim = 4 },
		"4 coordinates":                func(s *mtt.Scan) { s.Dim = 3 },
		"detection 1: position":        func(s *mtt.Scan) { s.Pos[2] = math.Inf(1) },
		"velocity is 1e+151":           func(s *mtt.Scan) { s.Vel[0] = 1e151 },
		"2 numbers for the velocity":   func(s *mtt.Scan) { s.Vel = s.Vel[:2] },
		"size is -1":                   func(s *mtt.Scan) { s.Size[3] = -1 },
		"the size of 2":                func(s *mtt.Scan) { s.Size = s.Size[:3] },
		"confidence is NaN":            func(s *mtt.Scan) { s.Conf[0] = math.NaN() },
		"1 classes":                    func(s *mtt.Scan) { s.Class = s.Class[:1] },
		"covariance [1 1 1] is not":    func(s *mtt.Scan) { s.Cov[1] = 1 },
		"velocity covariance [-1":      func(s *mtt.Scan) { s.VelCov[0] = -1 },
		"without velocities":           func(s *mtt.Scan) { s.Vel = nil },
		"5 numbers for the feature":    func(s *mtt.Scan) { s.Feat = s.Feat[:5] },
		"0 numbers for the confidence": func(s *mtt.Scan) { s.Conf = []float64{} },
	} {
		s := good()
		spoil(&s)
		err := s.Validate()
		if !errors.Is(err, mtt.ErrScan) || !strings.Contains(err.Error(), name) || !strings.HasPrefix(err.Error(), "frame 7: ") {
			t.Errorf("want %q: %v", name, err)
		}
	}
}

func TestValidateAll(t *testing.T) {
	pair := func() []mtt.Scan {
		return []mtt.Scan{
			{Frame: 0, Time: 0, Dim: 2, Pos: []float64{0, 1}}, {Frame: 1, Time: 1},
			{Frame: 2, Time: 2.5, Dim: 2, Pos: []float64{0, 1}},
		}
	}
	if err := mtt.ValidateAll(pair()); err != nil {
		t.Errorf("good scans are refused: %v", err)
	}
	other := pair()
	other[0].Cov, other[0].Sensor = []float64{1, 0, 1}, 1
	if err := mtt.ValidateAll(other); err != nil {
		t.Errorf("a sensor that tells covariances beside one that does not: %v", err)
	}
	for name, spoil := range map[string]func(s []mtt.Scan){
		"not after":          func(s []mtt.Scan) { s[1].Time = 0 },
		"must ascend":        func(s []mtt.Scan) { s[2].Frame = 1 },
		"is 1e-80 s after":   func(s []mtt.Scan) { s[1].Time = 1e-80 },
		"is 1e+51 s after":   func(s []mtt.Scan) { s[2].Time = 1e51 },
		"as large as 1e+100": func(s []mtt.Scan) { s[0].Pos[1], s[1].Time = -1e100, 1e-30 },
		"coordinates":        func(s []mtt.Scan) { s[2].Dim, s[2].Pos = 3, []float64{0, 1, 2} },
		"velocities":         func(s []mtt.Scan) { s[2].Vel = []float64{0, 1} },
		"covariances":        func(s []mtt.Scan) { s[0].Cov = []float64{1, 0, 1} },
		"sizes":              func(s []mtt.Scan) { s[0].Size = []float64{1, 1} },
		"confidences":        func(s []mtt.Scan) { s[2].Conf = []float64{1} },
		"classes":            func(s []mtt.Scan) { s[2].Class = []int32{1} },
		"features":           func(s []mtt.Scan) { s[2].Feat = []float64{1} },
	} {
		s := pair()
		spoil(s)
		if err := mtt.ValidateAll(s); !errors.Is(err, mtt.ErrScan) || !strings.Contains(err.Error(), name) {
			t.Errorf("want %q: %v", name, err)
		}
	}
}
