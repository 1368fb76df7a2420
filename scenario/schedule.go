package scenario

// This file says when which sensor makes a scan.

import "mtt/internal/rng"

// A schedule is the clocks of all sensors; the earliest is next.
type schedule struct {
	cfg   *Config
	clock []clock
	last  float64 // s: time of the last frame
}

// A clock is the next scan of a sensor.
type clock struct {
	period, offset float64 // s
	n              int     // scans before it
	nominal, time  float64 // s: without and with jitter
}

// newSchedule sets all clocks to their first scans.
func newSchedule(cfg *Config) *schedule {
	s := &schedule{cfg: cfg}
	for k := range cfg.Sensors {
		e := &cfg.Sensors[k]
		s.clock = append(s.clock, clock{period: e.Period, offset: e.Offset, nominal: e.Offset, time: e.Offset})
	}
	if cfg.Sensors == nil {
		s.clock = []clock{{period: cfg.Interval}}
	}
	return s
}

// next is the time of the next frame, the time since the one before, and its sensor. Two
// sensors at one time follow each other after a millionth of a period.
func (s *schedule) next(frame int) (time, dt float64, sensor int) {
	for k := range s.clock {
		if s.clock[k].time < s.clock[sensor].time {
			sensor = k
		}
	}
	c := &s.clock[sensor]
	time, dt = c.time, c.time-s.last
	switch {
	case frame == 0:
		dt = 0
	case s.cfg.Sensors == nil && s.cfg.Uneven == 0 && s.cfg.Jitter == 0:
		dt = c.period // not the difference of two times, which is rounded
	case dt <= 0:
		dt = 1e-6 * c.period
		time = s.last + dt
	}
	s.last = time
	c.advance(s.cfg, sensor)
	return time, dt, sensor
}

// advance sets c to its next scan.
func (c *clock) advance(cfg *Config, sensor int) {
	c.n++
	if cfg.Uneven == 0 {
		c.nominal = c.offset + float64(float64(c.n)*c.period)
	} else {
		r := rng.Stream(cfg.Seed, "scenario/interval", uint64(sensor), uint64(c.n))
		c.nominal += float64(c.period * rng.Uniform(r, 1-cfg.Uneven, 1+cfg.Uneven))
	}
	c.time = c.nominal
	if cfg.Jitter > 0 {
		r := rng.Stream(cfg.Seed, "scenario/jitter", uint64(sensor), uint64(c.n))
		c.time += float64(c.period * rng.Uniform(r, -cfg.Jitter, cfg.Jitter))
	}
}
