// Package scenario simulates targets and the sensor that sees them: scans with
// the truth behind them, for tests, examples and benchmarks.
//
//	scene, err := scenario.Simulate(ctx, &scenario.Config{Targets: 300, Noise: 0.1, VelocityNoise: 0.1})
//
// The curves follow section IV-A of Kawtikwar and Nagi [1]: polynomials with
// random coefficients, walked at constant speed, rotated and shifted. Where the
// paper is silent the choices are those written at [Config], [Kind] and in the
// files of this package.
//
// Scenes differ in how targets move ([Kind]), when they are looked at (Config.Uneven,
// Jitter), and by what: one sensor of positions and velocities, or several of several
// kinds with times and fields of view of their own ([Sensor]), as in [PolarConfig] and
// [PairConfig].
//
// Equal configs give equal bytes on every machine. Each purpose draws from its
// own random stream (motion of one target; position noise, velocity noise,
// misses, false alarms, order, births and deaths of one frame), so that a
// change of one knob leaves the others alone: with more noise the same targets
// fly the same ways, and their errors are the same numbers scaled up.
//
// [1] Kawtikwar, Nagi. Multi-Target Tracking with GPU-Accelerated Data
// Association Engine. FUSION 2023.
package scenario
