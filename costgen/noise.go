package costgen

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"mtt"
)

// This file learns how noisy each of several sensors is, and has its detections tell it.

// Told are scans without Shifts in which detections tell the covariance of their noise where that
// was learnt to differ by direction (Cov), by scan (Blur), from place to place (Polar) or by sensor
// (Sensing.Sigma), and with velocities that VelMap has made of those measured. They share all else
// with the scans; where there is none of these, or m is nil, they are the scans.
func (m *Levels) Told(scans []mtt.Scan) []mtt.Scan {
	if m == nil || m.Shifts == nil && m.Cov == [6]float64{} && m.VelMap == [9]float64{} && m.Polar == nil && (m.Sensing == nil || m.Sensing.Sigma == nil) {
		return scans
	}
	told := make([]mtt.Scan, len(scans))
	for t := range scans {
		told[t] = m.ToldOne(&scans[t])
	}
	return told
}

// ToldOne is Told of one scan.
func (m *Levels) ToldOne(s *mtt.Scan) mtt.Scan {
	if m == nil {
		return *s
	}
	told := m.Shifts.without(s)
	if m.Cov != [6]float64{} && s.Cov == nil && s.Len() > 0 {
		width := mtt.Packed(s.Dim)
		told.Cov = make([]float64, 0, s.Len()*width)
		for range s.Len() {
			told.Cov = append(told.Cov, m.Cov[:width]...)
		}
		if times := m.Blur.Of(s.Frame); times != 1 {
			floats.Scale(times*times, told.Cov)
		}
	}
	m.velocities(&told)
	m.Polar.told(&told)
	if m.Sensing == nil {
		return told
	}
	p := m.Sensing
	if s.Sensor >= len(p.Sigma) || p.Sigma[s.Sensor] == 0 || s.Len() == 0 {
		return told
	}
	told.Cov = isotropic(make([]float64, 0, s.Len()*mtt.Packed(s.Dim)), p.Sigma[s.Sensor], s.Dim, s.Len())
	if s.Vel != nil && !m.PositionsOnly {
		told.VelCov = isotropic(make([]float64, 0, s.Len()*mtt.Packed(s.Dim)), p.SigmaV[s.Sensor], s.Dim, s.Len())
	}
	return told
}

// velocities makes velocities, and their covariances, of those measured.
func (m *Levels) velocities(s *mtt.Scan) {
	if s.Vel == nil || m.PositionsOnly || m.VelMap == [9]float64{} {
		return
	}
	dim := s.Dim
	by := mat.NewDense(dim, dim, m.VelMap[:dim*dim])
	vel := make([]float64, len(s.Vel))
	for i := range s.Len() {
		mat.NewVecDense(dim, vel[i*dim:(i+1)*dim]).MulVec(by, mat.NewVecDense(dim, s.VelAt(i)))
	}
	s.Vel = vel
	if s.VelCov == nil {
		return
	}
	width := mtt.Packed(dim)
	cov := make([]float64, 0, len(s.VelCov))
	for i := range s.Len() {
		given := mat.NewSymDense(dim, nil)
		for r, k := 0, i*width; r < dim; r++ {
			for c := 0; c <= r; c, k = c+1, k+1 {
				given.SetSym(r, c, s.VelCov[k])
			}
		}
		var half, made mat.Dense
		half.Mul(by, given)
		made.Mul(&half, by.T())
		for r := range dim {
			for c := range r + 1 {
				cov = append(cov, made.At(r, c))
			}
		}
	}
	s.VelCov = cov
}

// isotropic appends the covariance σ²·I n times, packed.
func isotropic(dst []float64, sigma float64, dim, n int) []float64 {
	for range n {
		for r := range dim {
			for range r {
				dst = append(dst, 0)
			}
			dst = append(dst, sigma*sigma)
		}
	}
	return dst
}

// FitNoise estimates the noise of those sensors whose noise is not told (Sensing.Sigma above 0,
// from where it begins; what the description of a sensor says of the noise of positions and
// velocities stays), and Accel, from tracks; the rest of m stays, and Sensing is replaced. sensor
// says whose scan a frame is. Detections of tracks tell covariances; those of the sensors in
// question then tell what was learnt.
//
// The estimate is the likeliest one, as that of [Fit]: the innovations of a sensor, after
// detections of whatever sensor, are as large as its noise, and what is known of the target by
// then, make them. A sensor without detections in tracks keeps its noise.
func FitNoise(m *Levels, tracks []mtt.Track, time func(frame int) float64, sensor func(frame int) int) {
	sensing, levels := *m.Sensing, *m
	sensing.Sigma, sensing.SigmaV = slices.Clone(sensing.Sigma), slices.Clone(sensing.SigmaV)
	levels.Sensing = &sensing
	s := newSearch(&levels, tracks, time, enough/4)
	if s == nil {
		return
	}
	seen := make([]bool, len(sensing.Sigma))
	for k := range s.paths {
		p := &s.paths[k]
		p.scan.Cov, p.scan.VelCov = slices.Clone(p.scan.Cov), slices.Clone(p.scan.VelCov)
		for _, h := range p.hits {
			if k := sensor(h.Frame); k < len(seen) {
				seen[k] = true
			}
		}
	}
	s.noise = func() {
		for k := range s.paths {
			p := &s.paths[k]
			sensing.retell(p.scan.Cov, p.scan.VelCov, s.dim, p.hits, sensor)
		}
	}
	s.free(&levels.Accel, levels.Accel)
	for k, sigma := range sensing.Sigma {
		if sigma == 0 || !seen[k] {
			continue
		}
		told := sensing.Sensors[k].Noise
		if told["position"] == 0 {
			s.free(&sensing.Sigma[k], sigma)
		}
		if s.vel && told["velocity"] == 0 {
			s.free(&sensing.SigmaV[k], sensing.SigmaV[k])
		}
	}
	s.run()
	m.Sensing, m.Accel = &sensing, levels.Accel
	for i := range tracks {
		t := &tracks[i]
		sensing.retell(t.Cov, t.VelCov, t.Dim, t.Hits, sensor)
	}
}

// retell sets covariances of hits, of positions and, where these are there, of velocities, to those
// of the sensors that made them, where they were learnt.
func (p *Sensing) retell(cov, velCov []float64, dim int, hits []mtt.Hit, sensor func(frame int) int) {
	width := mtt.Packed(dim)
	for n, h := range hits {
		k := sensor(h.Frame)
		if k >= len(p.Sigma) || p.Sigma[k] == 0 {
			continue
		}
		isotropic(cov[n*width:n*width], p.Sigma[k], dim, 1)
		if velCov != nil {
			isotropic(velCov[n*width:n*width], p.SigmaV[k], dim, 1)
		}
	}
}

// NoiseCov is Cov as a matrix, dim×dim.
func (m *Levels) NoiseCov() *mat.SymDense {
	cov, k := mat.NewSymDense(m.dim(), nil), 0
	for i := range m.dim() {
		for j := range i + 1 {
			cov.SetSym(i, j, m.Cov[k])
			k++
		}
	}
	return cov
}

// NoiseAxes are the standard deviations of a measured position along the axes of Cov, m, ascending,
// and the direction of the last, of length 1, with its largest coordinate positive; nil where there
// is no Cov.
func (m *Levels) NoiseAxes() (std, along []float64) {
	var eigen mat.EigenSym
	if m.Cov == [6]float64{} || !eigen.Factorize(m.NoiseCov(), true) {
		return nil, nil
	}
	var axes mat.Dense
	eigen.VectorsTo(&axes)
	last := axes.ColView(m.dim() - 1)
	sign := 1.0
	if mat.Max(last) < -mat.Min(last) {
		sign = -1
	}
	for k, v := range eigen.Values(nil) {
		std, along = append(std, math.Sqrt(v)), append(along, sign*last.AtVec(k))
	}
	return std, along
}
