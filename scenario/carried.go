package scenario

import "mtt/internal/rng"

// This file moves the sensor: a camera that shakes, or is carried.

// A carrier knows where the sensor is.
type carrier struct {
	cfg *Config
	at  [3]float64 // without shaking; 0 in the first frame
}

// show moves all of a frame to where the sensor sees it.
func (c *carrier) show(f *Frame, frame int) {
	cfg := c.cfg
	if cfg.Shake == 0 && cfg.Carry == 0 {
		return
	}
	e := normal(rng.Stream(cfg.Seed, "scenario/shake", uint64(frame)), cfg.Dim)
	step := normal(rng.Stream(cfg.Seed, "scenario/carry", uint64(frame)), cfg.Dim)
	var shift [3]float64
	for x := range cfg.Dim {
		if frame > 0 {
			c.at[x] += cfg.Carry * step[x]
		}
		shift[x] = c.at[x] + cfg.Shake*e[x]
	}
	for _, places := range [][]float64{f.Pos, f.Scan.Pos} {
		for k := range places {
			places[k] += shift[k%cfg.Dim]
		}
	}
}
