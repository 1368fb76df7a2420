#!/usr/bin/env python3
"""Runs public trackers on run folders of mtt, and mtt beside them, and prints one table: one
scorer, mtt score, judges all.

    python3 tools/peers/peers.py --mtt ./mtt --sort FOLDER --bytetrack FOLDER RUN...

The others are not part of mtt, and nothing is fetched: options name checkouts.

    --sort       https://github.com/abewley/sort           boxes
    --oc-sort    https://github.com/noahcao/OC_SORT        boxes
    --bytetrack  https://github.com/ifzhang/ByteTrack      boxes
    --norfair    https://github.com/tryolabs/norfair       points
    --trackpy    https://github.com/soft-matter/trackpy    points
    --filterpy   https://github.com/rlabbe/filterpy        the Kalman filter of SORT and norfair

What these import and do not need here is left out: images, torch. Boxes overlap as cython_bbox
computes it, in numpy; lap.lapjv is SciPy's assignment solver, with its limit on costs as a price of staying
alone. A RUN is a folder with detections and truth that mtt simulate or mtt import made, of boxes for the
first three; several, joined by commas, make one row of means.

SORT, OC-SORT and ByteTrack run at the defaults of their own programs: of confidence 0.6 (ByteTrack begins
tracks from 0.7, and links boxes above 0.1 to them), boxes wider than 1.6 times their height or of less than
100 square pixels left out. They report their own boxes, which are scored as files are, by overlap. mtt has no settings
either: "mtt" are the boxes of the detections, "mtt --fill" with those of gaps in tracks, "mtt --smooth" its own. With --junk N
every frame gets N more boxes of confidence 0 to 0.2, as large as detections and anywhere.

norfair and trackpy want a distance: they get the best, by the truth, of a grid on the first RUN of
each row (--ranges, in the unit of the run), and trackpy of memory 0 and 3 and of its two predictors, norfair
of its waiting times; a setting that takes over 20 s is out. Their links are judged by the detections that they join.

Seconds are of the processor: of the others those of the loop over the scans, of mtt those of the whole
command on one core.
"""

import argparse
import csv
import itertools
import os
import subprocess
import sys
import tempfile
import time
import types
import warnings

import numpy as np
from scipy.optimize import linear_sum_assignment

import stone_soup
from assignment import limited
from stone_soup import Run, copy_of, mtt, write_tracks

DEFAULTS = types.SimpleNamespace(track_thresh=0.6, track_buffer=30, match_thresh=0.9, mot20=False)


def module(name, **members):
    """Something to import in the place of what is not needed."""
    m = types.ModuleType(name)
    m.__dict__.update(members)
    sys.modules[name] = m
    return m


def overlaps(a, b):
    """Intersection over union as cython_bbox has it: corners are pixels that belong to the box."""
    a, b = a[:, None, :], b[None]
    shared = np.minimum(a[..., 2:], b[..., 2:]) - np.maximum(a[..., :2], b[..., :2]) + 1
    inter = np.prod(np.maximum(shared, 0), axis=-1)
    area = [np.prod(z[..., 2:] - z[..., :2] + 1, axis=-1) for z in (a, b)]
    return inter / (area[0] + area[1] - inter)


def lapjv(cost, extend_cost=False, cost_limit=np.inf):
    """lap.lapjv: who pairs for more than the limit stays alone."""
    n, m = cost.shape
    if np.isfinite(cost_limit):
        wide = np.full((n + m, n + m), cost_limit / 2)
        wide[n:, m:], wide[:n, :m] = 0, cost
        cost = wide
    x, y = np.full(n, -1), np.full(m, -1)
    for i, j in zip(*linear_sum_assignment(cost)):
        if i < n and j < m:
            x[i], y[j] = j, i
    return 0.0, x, y


def prepare(o):
    """Lets the checkouts be imported."""
    for name, kind in (("float", float), ("int", int), ("bool", bool)):  # as before numpy 1.24
        if name not in np.__dict__:
            setattr(np, name, kind)
    module("skimage", io=None)
    module("cv2")
    module("lap", lapjv=lapjv)
    module("cython_bbox", bbox_overlaps=overlaps)
    for name in ("torch", "torch.nn", "torch.nn.functional", "matplotlib", "matplotlib.pyplot", "matplotlib.patches"):
        m = module(name, use=lambda *a: None)
        if "." in name:
            parent, _, child = name.rpartition(".")
            setattr(sys.modules[parent], child, m)
    from distutils.version import LooseVersion
    module("looseversion", LooseVersion=LooseVersion)
    if o.bytetrack:
        module("yolox").__path__ = [os.path.join(o.bytetrack, "yolox")]
    if o.norfair:
        module("norfair").__path__ = [os.path.join(o.norfair, "norfair")]
    sys.path[:0] = [f for f in (o.filterpy, o.sort, o.oc_sort, o.trackpy) if f]


# Trackers of boxes: from rows left, top, right, bottom, confidence of each frame to rows frame, id, left, top,
# width, height, and seconds.

def with_sort(scans, o):
    import sort
    sort.KalmanBoxTracker.count = 0
    return over_boxes(scans, sort.Sort().update, lambda r: (r[4], r[0], r[1], r[2] - r[0], r[3] - r[1]), all=True)


def with_oc_sort(scans, o):
    from trackers.ocsort_tracker.ocsort import OCSort
    t = OCSort(det_thresh=DEFAULTS.track_thresh, iou_threshold=0.3, asso_func="iou", delta_t=3, inertia=0.2)
    return over_boxes(scans, lambda b: t.update(b, (1, 1), (1, 1)), lambda r: (r[4], r[0], r[1], r[2] - r[0], r[3] - r[1]))


def with_bytetrack(scans, o):
    from yolox.tracker.byte_tracker import BaseTrack, BYTETracker
    BaseTrack._count = 0
    t = BYTETracker(DEFAULTS)
    return over_boxes(scans, lambda b: t.update(b, (1, 1), (1, 1)), lambda r: (r.track_id, *r.tlwh))


def over_boxes(scans, update, row, all=False):
    out, seconds = [], 0.0
    for frame, boxes in scans:
        boxes = boxes.copy()  # some write into it
        began = time.process_time()
        found = update(boxes)
        seconds += time.process_time() - began
        for r in found:
            r = row(r)
            if all or r[3] * r[4] > 100 and r[3] / r[4] <= 1.6:
                out.append((frame, *r))
    return out, seconds


BOXES = {"SORT": ("sort", with_sort), "OC-SORT": ("oc_sort", with_oc_sort), "ByteTrack": ("bytetrack", with_bytetrack)}


# Trackers of points: from a Run and settings to lists of rows of detections, and seconds.

def with_norfair(run, settings):
    from norfair.tracker import Detection, Tracker
    reach, wait = settings
    tracker = Tracker(distance_function="euclidean", distance_threshold=reach, **wait)
    rows, seconds = {}, 0.0
    for scan in run.scans:
        found = [Detection(points=np.array([[float(r[a]) for a in run.axes]]), data=r) for r in scan]
        began = time.process_time()
        tracker.update(detections=found)
        for t in tracker.tracked_objects:
            if any(t.last_detection is d for d in found):
                rows.setdefault(t.initializing_id, (t, []))[1].append(t.last_detection.data)
        seconds += time.process_time() - began
    return [r for t, r in rows.values() if not t.is_initializing], seconds


def with_trackpy(run, settings):
    import pandas
    import trackpy
    trackpy.quiet()
    reach, (memory, steady) = settings
    rows = [r for s in run.scans for r in s]
    frame = pandas.DataFrame({a: [float(r[a]) for r in rows] for a in run.axes})
    frame["frame"] = [int(r["frame"]) for r in rows]
    frame["row"] = range(len(rows))
    link = trackpy.predict.NearestVelocityPredict().link_df if steady else trackpy.link
    began = time.process_time()
    try:
        linked = link(frame, reach, memory=memory, pos_columns=list(run.axes))
    except trackpy.SubnetOversizeException:
        return None, 0
    seconds = time.process_time() - began
    tracks = [[rows[k] for k in of["row"]] for _, of in linked.sort_values("frame", kind="stable").groupby("particle")]
    return [t for t in tracks if len(t) > 1], seconds


POINTS = {
    "norfair": ("norfair", with_norfair, [{}, {"initialization_delay": 1}, {"initialization_delay": 1, "hit_counter_max": 4}]),
    "trackpy": ("trackpy", with_trackpy, list(itertools.product([0, 3], [False, True]))),
}


def boxes_of(run):
    """Frames with rows left, top, right, bottom, confidence."""
    for frame, scan in zip(run.frames, run.scans):
        x, y, w, h, conf = (np.array([float(r[c]) for r in scan]) for c in ("x", "y", "w", "h", "conf"))
        yield frame, np.column_stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2, conf])


def add_junk(folder, into, n, seed):
    """A copy of a run of boxes with n more in each frame."""
    copy_of(folder, into)
    table = os.path.join(into, "detections.csv")
    with open(table, newline="") as f:
        rows = list(csv.DictReader(f))
    r = np.random.default_rng(seed)
    number = lambda c: np.array([float(row[c]) for row in rows])
    x, y, w, h = (number(c) for c in "xywh")
    right, bottom = (x + w / 2).max(), (y + h / 2).max()
    by_frame = {f: [] for f in Run(folder).frames}
    last = max(int(row.get("row", 0)) for row in rows)
    for row in rows:
        by_frame[int(row["frame"])].append(row)
    with open(table, "w", newline="") as f:
        out = csv.DictWriter(f, rows[0].keys(), lineterminator="\n", restval="")
        out.writeheader()
        for frame, own in by_frame.items():
            out.writerows(own)
            for k, like in enumerate(r.integers(0, len(rows), n)):
                box = {"frame": frame, "det": len(own) + k, "w": w[like], "h": h[like], "conf": r.uniform(0, 0.2),
                       "x": r.uniform(w[like] / 2, right - w[like] / 2), "y": r.uniform(h[like] / 2, bottom - h[like] / 2)}
                if "row" in rows[0]:
                    last += 1
                    box["row"] = last
                out.writerow(box)
    return into


SCORES = ["mota", "idf1", "hota", "false_links", "mmep", "itcp", "idsw", "frag", "tracks"]


def file_scores(o, run, rows, name):
    with open(name, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["frame", "id", "x", "y", "w", "h"])
        w.writerows((int(r[0]), int(r[1]), r[2] + r[4] / 2, r[3] + r[5] / 2, r[4], r[5]) for r in sorted(rows))
    return mtt(o.mtt, "score", "--truth", os.path.join(run, "truth.csv"), "--tracks", name)


def exported(o, folder, name, how):
    """Scores of mtt's boxes, exported with an option."""
    subprocess.run([o.mtt, "export", folder, "--to", "mot", how, "-o", name], check=True)
    with open(name) as f:
        rows = [tuple(float(v) for v in line.split(",")[:6]) for line in f]
    return file_scores(o, folder, rows, name + ".csv")


def best_of(o, folder, scratch, follow, grid):
    """The settings of the grid that the truth likes best, fewest wrong, missing and false links."""
    best = None
    for settings in grid:
        tracks, seconds = limited(lambda s: follow(Run(folder), s), settings, 20) or (None, 20)
        if tracks is None:
            continue
        r = links_of(o, folder, scratch, tracks)
        wrong = r["wrong_links"] + r["missing_links"] + r["false_links"]
        print(f"# {os.path.basename(folder)}: {settings}: {wrong} links, {seconds:.3g} s", file=sys.stderr, flush=True)
        if best is None or wrong < best[0]:
            best = wrong, settings
    return best[1]


def links_of(o, folder, scratch, tracks):
    copy = os.path.join(scratch, os.path.basename(folder) + "-peer")
    if not os.path.isdir(copy):
        copy_of(folder, copy)
    tracks.sort(key=lambda rows: (int(rows[0]["frame"]), int(rows[0]["det"])))
    write_tracks(copy, Run(folder), tracks)
    return mtt(o.mtt, "score", copy)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("rows", nargs="+", metavar="RUN[,RUN...]")
    p.add_argument("--mtt", default="mtt", help="the program")
    for name in ("sort", "oc-sort", "bytetrack", "norfair", "trackpy", "filterpy"):
        p.add_argument("--" + name, metavar="FOLDER", help="a checkout")
    p.add_argument("--ranges", default="0.5,1,1.5,2,3,4,6", help="distances for norfair and trackpy")
    p.add_argument("--junk", type=int, default=0, metavar="N", help="boxes that are added to each frame")
    p.add_argument("--draws", type=int, default=1, help="times that junk is drawn, for means")
    o = p.parse_args()
    warnings.filterwarnings("ignore")
    prepare(o)
    print(",".join(["run", "tracker"] + SCORES + ["seconds", "settings"]), flush=True)

    def line(name, who, results, settings=""):
        cells = [name, who] + ["%.4g" % np.mean([r[k] for r, _ in results]) for k in SCORES]
        print(",".join(cells + ["%.3g" % np.mean([s for _, s in results]), str(settings).replace(",", " ")]), flush=True)

    with tempfile.TemporaryDirectory() as scratch:
        for row in o.rows:
            folders = [os.path.normpath(f) for f in row.split(",")]
            name = os.path.basename(folders[0])
            if o.junk:
                folders = [add_junk(f, os.path.join(scratch, f"{os.path.basename(f)}-junk{k}"), o.junk, k + 1)
                           for f in folders for k in range(o.draws)]
            plain, full = [], {"--fill": [], "--smooth": []}
            for f in folders:
                mine, seconds = stone_soup.tracked(o.mtt, f, scratch, "dual")[1:]
                plain.append((mtt(o.mtt, "score", mine), seconds))
                if "w" in Run(f).scans[0][0]:
                    for how, results in full.items():
                        results.append((exported(o, mine, os.path.join(scratch, "exported.txt"), how), seconds))
            line(name, "mtt", plain)
            if full["--fill"]:
                for how, results in full.items():
                    line(name, "mtt " + how, results)
                for who, (option, follow) in BOXES.items():
                    if getattr(o, option):
                        results = []
                        for f in folders:
                            rows, seconds = follow(list(boxes_of(Run(f))), o)
                            results.append((file_scores(o, f, rows, os.path.join(scratch, "peer.csv")), seconds))
                        line(name, who, results)
                continue
            for who, (option, follow, more) in POINTS.items():
                if getattr(o, option):
                    ranges = [float(v) for v in o.ranges.split(",")]
                    settings = best_of(o, folders[0], scratch, follow, itertools.product(ranges, more))
                    results = []
                    for f in folders:
                        tracks, seconds = follow(Run(f), settings)
                        results.append((links_of(o, f, scratch, tracks), seconds))
                    line(name, who, results, settings)


if __name__ == "__main__":
    main()
