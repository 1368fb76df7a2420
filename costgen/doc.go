// Package costgen prices links: what it costs to say that two detections, or
// three in a row, belong to one target.
//
// A [Model] is such a price list. Four are built in:
//
//   - [Gaussian] (the default, "nll"): the negative log likelihood of nearly
//     constant velocity motion seen through Gaussian noise, conditioned on the
//     two detections before (or, for the first link, on one). It works with and
//     without measured velocities and comes with calibrated prices for births,
//     deaths, misses and false alarms.
//   - [Trapezoid]: the residual of the trapezoidal rule plus the second
//     difference of the positions, in metres; no parameter at all.
//   - [Paper]: the pair and clamped-spline triplet costs of Kawtikwar and Nagi
//     2023, in metres.
//   - [Funcs]: functions of yours.
//
// Costs are additive along a track, lower is better. [Fit] estimates the noise
// levels of a Gaussian model from tracks.
package costgen
