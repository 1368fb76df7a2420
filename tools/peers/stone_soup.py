#!/usr/bin/env python3
"""Runs the tracker of Stone Soup (https://github.com/dstl/Stone-Soup) on run folders
of mtt, and mtt beside it, and prints one table: one scorer, mtt score, judges all.

    PYTHONPATH=/path/to/Stone-Soup python3 tools/peers/stone_soup.py --mtt ./mtt RUN...

Stone Soup is not part of mtt: install it, or name a checkout in PYTHONPATH. A RUN is
a folder with detections and truth that mtt simulate or mtt import made; several,
joined by commas, make one row of means.

Stone Soup's tracker is the one of its tutorials: MultiTargetTracker with Kalman filters
of nearly constant velocity, global nearest neighbours by optimal assignment
(GNNWith2DAssignment in its faster form with a k-d tree, eight neighbours each; --plain
for the form without), MultiMeasurementInitiator (a track takes min_points detections) and
UpdateTimeStepsDeleter (time_steps_since_update scans without one end it). It is told the noise, the
acceleration, the spread of speeds and the rates that mtt works with, given or
estimated, and gets the best, by the truth, of a grid of settings on the first RUN of
each row: the hypothesiser (Mahalanobis distance, or probabilities), its gate, the
detections that a track needs, the scans that it outlives, and a factor for the
acceleration. mtt gets no grid.

Seconds are of the processor: of Stone Soup those of the loop over the scans, of mtt
those of the whole command on one core, with reading and writing. The last of the two
leaves out the share of the clock in which mtt estimates what Stone Soup is told.

    python3 tools/peers/stone_soup.py --mtt ./mtt --data ../shared/data --renew docs/benchmarks/README.md

makes the scenes of the table in that file, tracks them with mtt alone, which takes no checkout, and writes its
rows anew. Rows of recordings that are not in --data stay as they are.
"""

import argparse
import csv
import datetime
import itertools
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings

import numpy as np

START = datetime.datetime(2000, 1, 1)


class Run:
    """The detections of a run folder: scans[k] holds rows of the table."""

    def __init__(self, folder):
        with open(os.path.join(folder, "run.toml"), "rb") as f:
            self.scans_meta = tomllib.load(f)["scans"]
        m = self.scans_meta
        first, step, count = m.get("first", 0), m.get("step", 1), m["count"]
        self.interval = m.get("interval", 1.0)
        self.dim = m.get("dim", 2)
        with open(os.path.join(folder, "detections.csv"), newline="") as f:
            rows = list(csv.DictReader(f))
        self.axes = "xyz"[: self.dim]
        self.vel = bool(rows) and "vx" in rows[0]
        self.frames = [first + step * k for k in range(count)]
        by_frame = {f: [] for f in self.frames}
        for r in rows:
            by_frame[int(r["frame"])].append(r)
        self.scans = [by_frame[f] for f in self.frames]


def track(run, levels, gate, confirm, delete, accel, score, plain=False):
    """Tracks with Stone Soup; returns lists of rows of detections, and seconds."""
    from stonesoup.dataassociator.neighbour import GNNWith2DAssignment
    from stonesoup.dataassociator.tree import DetectionKDTreeGNN2D
    from stonesoup.deleter.time import UpdateTimeStepsDeleter
    from stonesoup.hypothesiser.distance import DistanceHypothesiser
    from stonesoup.hypothesiser.probability import PDAHypothesiser
    from stonesoup.initiator.simple import MultiMeasurementInitiator
    from stonesoup.measures import Mahalanobis
    from stonesoup.models.measurement.linear import LinearGaussian
    from stonesoup.models.transition.linear import CombinedLinearGaussianTransitionModel, ConstantVelocity
    from stonesoup.predictor.kalman import KalmanPredictor
    from stonesoup.tracker.simple import MultiTargetTracker
    from stonesoup.types.detection import Detection
    from stonesoup.types.state import GaussianState
    from stonesoup.types.update import Update
    from stonesoup.updater.kalman import KalmanUpdater

    dim = run.dim
    # A mixture of smooth steps and manoeuvres, whose Student's t has twice the variance of
    # its matrix, has this mean spectral density.
    turns = levels["manoeuvre_prob"]
    q = accel ** 2 * ((1 - turns) * levels["accel"] ** 2 + 2 * turns * levels["manoeuvre_accel"] ** 2)
    transition = CombinedLinearGaussianTransitionModel([ConstantVelocity(q) for _ in range(dim)])
    mapping, var = [2 * k for k in range(dim)], [levels["noise"] ** 2] * dim
    if run.vel:
        mapping += [2 * k + 1 for k in range(dim)]
        var += [levels["velocity_noise"] ** 2] * dim
    model = LinearGaussian(ndim_state=2 * dim, mapping=mapping, noise_covar=np.diag(var))
    predictor, updater = KalmanPredictor(transition), KalmanUpdater(model)
    if score == "distance":
        hypothesiser = DistanceHypothesiser(predictor, updater, measure=Mahalanobis(), missed_distance=gate)
    else:
        from scipy.stats import chi2
        volume, alarms = levels["volume"], max(levels["alarms"], 1e-3)
        hypothesiser = PDAHypothesiser(
            predictor, updater, clutter_spatial_density=alarms / volume,
            prob_detect=min(levels["detect"], 0.999), prob_gate=float(chi2.cdf(gate ** 2, len(mapping))))

    def associator():
        if plain:
            return GNNWith2DAssignment(hypothesiser)
        return DetectionKDTreeGNN2D(hypothesiser, predictor, updater, number_of_neighbours=8)

    deleter = UpdateTimeStepsDeleter(delete)
    prior = GaussianState(np.zeros((2 * dim, 1)), np.diag([levels["noise"] ** 2, levels["speed_std"] ** 2] * dim))
    initiator = MultiMeasurementInitiator(
        prior_state=prior, measurement_model=model, deleter=UpdateTimeStepsDeleter(delete),
        data_associator=associator(), updater=updater, min_points=confirm)

    def scans():
        for k, rows in enumerate(run.scans):
            when = START + datetime.timedelta(seconds=k * run.interval)
            found = set()
            for r in rows:
                z = [float(r[a]) for a in run.axes] + ([float(r["v" + a]) for a in run.axes] if run.vel else [])
                found.add(Detection(np.array(z).reshape(-1, 1), timestamp=when, measurement_model=model,
                                    metadata={"scan": k, "row": r}))
            yield when, found

    tracker = MultiTargetTracker(initiator=initiator, deleter=deleter, detector=list(scans()),
                                 data_associator=associator(), updater=updater)
    tracks = set()
    began = time.process_time()
    for _, current in tracker:
        tracks |= current
    seconds = time.process_time() - began
    out = []
    for t in tracks:
        rows = {}
        for s in t.states:
            if isinstance(s, Update):
                meta = s.hypothesis.measurement.metadata
                rows[meta["scan"]] = meta["row"]
        if rows:
            out.append(list(rows.values()))
    out.sort(key=lambda rows: (int(rows[0]["frame"]), int(rows[0]["det"])))
    return out, seconds


def write_tracks(folder, run, tracks):
    """Writes tracks.csv as mtt does."""
    columns = [c for c in ["det", "x", "y", "z", "w", "h"] if run.scans and any(c in r for s in run.scans for r in s[:1])]
    rows = [(int(r["frame"]), n + 1, r) for n, t in enumerate(tracks) for r in t]
    rows.sort(key=lambda r: r[:2])
    with open(os.path.join(folder, "tracks.csv"), "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["frame", "track"] + columns)
        for frame, n, r in rows:
            w.writerow([frame, n] + [r[c] for c in columns])


def mtt(binary, *args):
    done = subprocess.run([binary, "--quiet", *args, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


def scored(binary, folder):
    r = mtt(binary, "score", folder)
    return [r[k] for k in SCORES]


def copy_of(run, into):
    shutil.copytree(run, into, ignore=shutil.ignore_patterns("tracks.csv", "solve.json", "score.json", "plots"))
    return into


def tracked(binary, folder, scratch, engine):
    """Tracks a copy of the folder with mtt: what it printed, the copy and the seconds of the processor."""
    mine = copy_of(folder, os.path.join(scratch, os.path.basename(folder) + "-" + engine))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = mtt(binary, "track", mine, "--engine", engine, "--workers", "1")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return made, mine, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def ours(binary, folder, scratch, engine):
    """Tracks with mtt: what it printed, its scores and two kinds of seconds."""
    made, mine, seconds = tracked(binary, folder, scratch, engine)
    clock = made["seconds"]
    return made, scored(binary, mine), seconds, seconds * (1 - clock["estimate"] / clock["total"])


def theirs(binary, folder, scratch, levels, settings, plain):
    """Tracks with Stone Soup: its scores and seconds, twice."""
    run = Run(folder)
    tracks, seconds = track(run, levels, *settings, plain)
    copy = os.path.join(scratch, os.path.basename(folder) + "-stonesoup")
    if not os.path.isdir(copy):
        copy_of(folder, copy)
    write_tracks(copy, run, tracks)
    return scored(binary, copy), seconds, seconds


SCORES = ["mmep", "itcp", "idf1", "hota"]

# The scenes of the table: options of mtt simulate, with five seeds, or of mtt import and files below --data.
POS, MISS, EIGHTH = ["--no-velocity"], ["--miss", "0.1", "--clutter", "10"], ["--every", "8", "--noise", "0.02", "--no-velocity"]
SIMULATED = {
    "steer": ["steer"], "steer, pos": ["steer", *POS], "burst": ["burst"], "burst, pos": ["burst", *POS],
    "steer, miss": ["steer", *MISS], "steer, pos, miss": ["steer", *POS, *MISS],
}
RECORDED = {
    "HERMES bo-360-090-090": (EIGHTH, ["hermes/bo-360-090-090.txt"]),
    "HERMES bot-300-065-065": (EIGHTH, ["hermes/bot-300-065-065.txt"]),
    "HERMES uo-050-180-180": (EIGHTH, ["hermes/uo-050-180-180.txt"]),
    "UCY zara01": (POS, ["pedestrians/zara01/obsmat.txt"]),
    "ETH seq_eth": (POS, ["pedestrians/seq_eth/obsmat.txt"]),
    "TUD-Campus": ([], ["mot15/TUD-Campus/det/det.txt", "mot15/TUD-Campus/gt/gt.txt"]),
    "TUD-Stadtmitte": ([], ["mot15/TUD-Stadtmitte/det/det.txt", "mot15/TUD-Stadtmitte/gt/gt.txt"]),
    "PETS09-S2L1": ([], ["mot15/PETS09-S2L1/det/det.txt", "mot15/PETS09-S2L1/gt/PETS2009-S2L1.xml"]),
}


def scenes(binary, data, scratch):
    """The scenes of the table by name, each a list of run folders."""
    for name, (scene, *options) in SIMULATED.items():
        folders = [os.path.join(scratch, f"{name}-{seed}".replace(", ", "-")) for seed in range(1, 6)]
        for seed, folder in enumerate(folders, 1):
            mtt(binary, "simulate", "--scene", scene, *options, "--seed", str(seed), "-o", folder)
        yield name, folders
    for name, (options, files) in RECORDED.items():
        files = [os.path.join(data, f) for f in files]
        if all(os.path.exists(f) for f in files):
            folder = os.path.join(scratch, name.replace(" ", "-"))
            mtt(binary, "import", *files, *options, "-o", folder)
            yield name, [folder]


def renew(o):
    """Writes the rows of mtt in the table of o.renew anew."""
    with open(o.renew) as f:
        lines = f.read().split("\n")
    first = next(k for k, line in enumerate(lines) if line.startswith("| scene ") and " told " in line)
    row, scene = {}, ""
    for k in range(first + 2, len(lines)):
        if not lines[k].startswith("|"):
            break
        cells = [c.strip() for c in lines[k].split("|")]
        scene = cells[1] or scene
        row[scene, cells[2]] = k
    widths = [len(c) for c in lines[first].split("|")[1:-1]]
    with tempfile.TemporaryDirectory() as scratch:
        for name, folders in scenes(o.mtt, o.data, scratch):
            for engine, who in (("dual", "mtt"), ("gnn", "mtt --engine gnn")):
                results = [ours(o.mtt, f, scratch, engine)[1:] for f in folders]
                mean = lambda pick: sum(pick(r) for r in results) / len(results)
                cells = ["%.3g" % mean(lambda r: r[0][k]) for k in range(len(SCORES))]
                cells += ["%.2g" % mean(lambda r: r[k]) for k in (1, 2)]
                print(name, who, *cells, sep=",", flush=True)
                cells = [name if who == "mtt" else "", who] + cells
                lines[row[name, who]] = "|" + "|".join(f" {c}".ljust(w) for c, w in zip(cells, widths)) + "|"
    with open(o.renew, "w") as f:
        f.write("\n".join(lines))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rows", nargs="*", metavar="RUN[,RUN...]")
    p.add_argument("--renew", metavar="FILE", help="the page whose rows of mtt are written anew")
    p.add_argument("--data", default="../shared/data", metavar="FOLDER", help="recordings for --renew")
    p.add_argument("--mtt", default="mtt", help="the program")
    p.add_argument("--gates", default="3,5", help="gates, in standard deviations")
    p.add_argument("--confirm", default="2,3", help="detections that a track needs")
    p.add_argument("--delete", default="2,4", help="scans without a detection that end a track")
    p.add_argument("--accels", default="1,3", help="factors for the acceleration")
    p.add_argument("--hypothesisers", default="distance,probability")
    p.add_argument("--plain", action="store_true", help="Stone Soup without its k-d tree")
    o = p.parse_args()
    if o.renew:
        return renew(o)
    if not o.rows:
        p.error("name a RUN")
    warnings.filterwarnings("ignore")
    grid = list(itertools.product(
        [float(x) for x in o.gates.split(",")], [int(x) for x in o.confirm.split(",")],
        [int(x) for x in o.delete.split(",")], [float(x) for x in o.accels.split(",")], o.hypothesisers.split(",")))
    print(",".join(["run", "tracker"] + SCORES + ["seconds", "told", "settings"]), flush=True)

    def line(name, who, results, settings=""):
        mean = lambda values: sum(values) / len(values)
        cells = [name, who] + ["%.4g" % mean([r[0][k] for r in results]) for k in range(len(SCORES))]
        cells += ["%.3g" % mean([r[k] for r in results]) for k in (1, 2)]
        print(",".join(cells + [settings]), flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        for row in o.rows:
            folders = [os.path.normpath(f) for f in row.split(",")]
            name = os.path.basename(folders[0])
            levels = []
            for engine in ("dual", "gnn"):
                results = []
                for f in folders:
                    made, *result = ours(o.mtt, f, scratch, engine)
                    results.append(result)
                    if engine == "dual":
                        levels.append({**made["levels"], **made["rates"]})
                line(name, "mtt" if engine == "dual" else "mtt --engine gnn", results)
            steady = len({len(s) for s in Run(folders[0]).scans}) == 1
            best = None
            for settings in grid:
                if steady and settings[1:3] != grid[0][1:3]:
                    continue  # nothing is missed or false: it makes no difference
                result = theirs(o.mtt, folders[0], scratch, levels[0], settings, o.plain)
                found, seconds, _ = result
                note = "%s gate %g confirm %d delete %d accel x%g" % (settings[4:] + settings[:4])
                print(f"# {name}: {note}: mmep {found[0]:.4g} idf1 {found[2]:.4g} {seconds:.3g} s", file=sys.stderr, flush=True)
                if best is None or found[0] < best[0][0]:
                    best = *result, settings, note
            results = [best[:3]] + [theirs(o.mtt, f, scratch, l, best[3], o.plain) for f, l in zip(folders[1:], levels[1:])]
            line(name, "Stone Soup", results, best[4])


if __name__ == "__main__":
    main()
