#!/usr/bin/env python3
"""Smooths tracks with Stone Soup (https://github.com/dstl/Stone-Soup) and writes them, with the
truth and what the smoother said, as the JSON that the tests of mtt compare with:

    PYTHONPATH=/path/to/Stone-Soup python3 tools/peers/smoothing.py > association/smooth/testdata/stonesoup.json

Stone Soup is not part of mtt: install it, or name a checkout in PYTHONPATH.

Targets move as the model says, in the plane, seen at odd times; every fourth scan misses
them, and predictions pass over it: this smoother takes no predicted states between others, as a
smoothed one stands for its own prediction and stops what comes from later. Filter and smoother are told the parameters and begin with the first detection: its
position and noise, a velocity of 0 with the deviation of speeds. Linear motions have Kalman
filter and smoother, a coordinated turn the extended ones. Each state of a track is

    time, detected x and y, true x and y, smoothed x and y

with null where it was missed.
"""

import datetime
import json
import sys

import numpy as np
from stonesoup.models.measurement.linear import LinearGaussian
from stonesoup.models.transition.linear import (
    CombinedLinearGaussianTransitionModel, ConstantVelocity, OrnsteinUhlenbeck, RandomWalk)
from stonesoup.models.transition.nonlinear import ConstantTurn
from stonesoup.predictor.kalman import ExtendedKalmanPredictor, KalmanPredictor
from stonesoup.smoother.kalman import ExtendedKalmanSmoother, KalmanSmoother
from stonesoup.types.array import StateVectors
from stonesoup.types.detection import Detection
from stonesoup.types.hypothesis import SingleHypothesis
from stonesoup.types.prediction import GaussianStatePrediction
from stonesoup.types.state import GaussianState
from stonesoup.types.track import Track
from stonesoup.updater.kalman import ExtendedKalmanUpdater, KalmanUpdater

START = datetime.datetime(2000, 1, 1)
TRACKS, SCANS = 12, 24

# The parameters have the names and units of motion.Params.
MOTIONS = {
    "velocity": {"sigma": 0.3, "accel": 0.5, "speed": 2},
    "walk": {"sigma": 0.3, "accel": 0.5, "speed": 0},
    "reverting": {"sigma": 0.3, "accel": 0.5, "speed": 2, "revert": 0.4},
    "turn": {"sigma": 0.3, "accel": 0.1, "speed": 5, "turn": 0.1, "turn_walk": 0.01},
}


class Turn(ConstantTurn):
    """ConstantTurn, the same to the last digits; but its differences by a turn rate of 0, from which
    Stone Soup takes derivatives, do not cancel."""

    def function(self, state, noise=False, **kwargs):
        x, vx, y, vy, rate = np.asarray(state.state_vector, dtype=float)
        dt = kwargs["time_interval"].total_seconds()
        half = rate * dt / 2
        chord = dt * np.sinc(half / np.pi)  # sin(half)/(rate/2)
        along, across = chord * np.cos(half), chord * np.sin(half)
        c, s = np.cos(2 * half), np.sin(2 * half)
        return StateVectors([x + along * vx - across * vy, c * vx - s * vy,
                             y + across * vx + along * vy, s * vx + c * vy, rate])


def transition(name, p):
    """The model, its states per axis, and whether it is linear."""
    q = p["accel"] ** 2
    if name == "walk":
        return CombinedLinearGaussianTransitionModel([RandomWalk(q)] * 2), 1, True
    if name == "velocity":
        return CombinedLinearGaussianTransitionModel([ConstantVelocity(q)] * 2), 2, True
    if name == "reverting":
        return CombinedLinearGaussianTransitionModel([OrnsteinUhlenbeck(q, p["revert"])] * 2), 2, True
    return Turn(np.array([q, q]), p["turn_walk"] ** 2), 2, False


def smoothed(name, p, r):
    """One track: rows as the head of this file says."""
    model, each, linear = transition(name, p)
    n = model.ndim_state
    spread = np.array([0.0] + [p["speed"]] * (each - 1))
    spread = np.concatenate([spread, spread, [p["turn"]] if not linear else []])
    x = GaussianState(spread[:, None] * r.standard_normal((n, 1)), np.eye(n), START)
    mapping = [0, each]
    sensor = LinearGaussian(n, mapping, p["sigma"] ** 2 * np.eye(2))
    predictor, updater, smoother = (
        (KalmanPredictor(model), KalmanUpdater(sensor), KalmanSmoother(model)) if linear else
        (ExtendedKalmanPredictor(model), ExtendedKalmanUpdater(sensor), ExtendedKalmanSmoother(model)))

    times, truth, seen = [0.0], [x.state_vector], []
    for k in range(1, SCANS):
        dt = round(r.uniform(0.3, 1.7), 3)
        step = datetime.timedelta(seconds=dt)
        v = model.function(GaussianState(truth[-1], np.eye(n)), noise=False, time_interval=step)
        truth.append(v + model.rvs(time_interval=step, random_state=r).reshape(n, 1))
        times.append(times[-1] + dt)
    states = Track()
    for k in range(SCANS):
        z = np.round(truth[k][mapping] + p["sigma"] * r.standard_normal((2, 1)), 4)
        when = START + datetime.timedelta(seconds=times[k])
        if 0 < k < SCANS - 1 and r.random() < 0.25:
            seen.append([None, None])
            continue
        seen.append([float(v) for v in z[:, 0]])
        if k > 0:
            hypothesis = SingleHypothesis(predictor.predict(states[-1], timestamp=when), Detection(z, when))
            states.append(updater.update(hypothesis))
            continue
        mean, covar = np.zeros((n, 1)), np.diag(spread ** 2)
        mean[mapping] = z
        covar[mapping, mapping] = p["sigma"] ** 2
        states.append(GaussianStatePrediction(mean, covar, timestamp=when))  # or it is not smoothed
    out = {s.timestamp: s for s in smoother.smooth(states)}
    rows = []
    for k in range(SCANS):
        place = [round(float(v), 4) for v in truth[k][mapping, 0]]
        said = [None, None]
        if seen[k][0] is not None:
            state = out[START + datetime.timedelta(seconds=times[k])]
            said = [round(float(v), 6) for v in state.state_vector[mapping, 0]]
        rows.append([round(times[k], 3)] + seen[k] + place + said)
    return rows


def main():
    motions = []
    for name, p in MOTIONS.items():
        r = np.random.RandomState(1)
        motions.append({"motion": name, **p, "tracks": [smoothed(name, p, r) for _ in range(TRACKS)]})
    json.dump(motions, sys.stdout, separators=(",", ":"))
    print()


if __name__ == "__main__":
    main()
