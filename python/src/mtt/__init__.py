"""Multi-target tracking: which detections belong together?

A thin layer around the program mtt: arrays are written to a folder of their own, the program
is run, and what it writes is read. See track, score and assign.
"""

from __future__ import annotations

import csv
import json
import math
import os
import shutil
import subprocess
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

__all__ = ["Answer", "MttError", "assign", "program", "run", "score", "track"]

Array = np.ndarray
Targets = Tuple[Any, Any, Any]  # frames, identities, positions


class MttError(Exception):
    """What the program says went wrong; status is its exit status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Answer:
    """What tracking found. Rows are those of the input, from 0."""

    track: Array  # n whole numbers: the track of each row from 1, 0 for none
    status: str  # optimal, gap reached, …
    lower_bound: float
    upper_bound: float
    gap_percent: float
    seconds: float
    estimates: Mapping[str, Any] = field(repr=False)  # all that the program prints, such as noise and rates
    warnings: Sequence[str] = ()
    states: Optional[Mapping[str, Array]] = field(default=None, repr=False)  # columns of states.csv; None: not written
    notes: str = field(default="", repr=False)  # what was understood of the input
    _time: Optional[Array] = field(default=None, repr=False)

    @property
    def tracks(self) -> list[Array]:
        """The rows of each track, in order of time."""
        order = np.argsort(self._time, kind="stable") if self._time is not None else np.arange(len(self.track))
        numbers = self.track[order]
        return [order[numbers == k] for k in range(1, int(self.track.max(initial=0)) + 1)]

    @property
    def links(self) -> Array:
        """Pairs of rows, m×2: the second follows the first in a track."""
        pairs = [np.column_stack((t[:-1], t[1:])) for t in self.tracks if len(t) > 1]
        return np.concatenate(pairs) if pairs else np.empty((0, 2), int)


def program() -> str:
    """The path of the program: MTT_PROGRAM, that in the package, or that of the search path."""
    inside = Path(__file__).with_name("bin") / ("mtt.exe" if os.name == "nt" else "mtt")
    for path in (os.environ.get("MTT_PROGRAM"), str(inside) if inside.exists() else None, shutil.which("mtt")):
        if path:
            return path
    raise MttError("the program mtt is not found: install the wheel, or name it by MTT_PROGRAM", 127)


def run(*arguments: Union[str, os.PathLike], folder: Optional[str] = None) -> "subprocess.CompletedProcess[str]":
    """Runs the program with the arguments; raises MttError when it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "MTT_PROGRAM"}  # no option of it
    done = subprocess.run([program(), *map(os.fspath, arguments)], capture_output=True, text=True, cwd=folder, encoding="utf-8", env=environment)
    if done.returncode != 0:
        raise MttError(done.stderr.strip() or f"exit status {done.returncode}", done.returncode)
    return done


def _options(options: Mapping[str, Any]) -> list[str]:
    """Keywords as options of the program."""
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, Mapping):
            words.append(flag + "=" + ",".join(f"{k}={v}" for k, v in value.items()))
        elif isinstance(value, (list, tuple)):
            words.append(flag + "=" + ",".join(map(str, value)))
        elif value is not False and value is not None:
            words.append(f"{flag}={value}")
    return words


def _text(value: Any) -> str:
    """A value as a field of a table: floats in the shortest form that reads back, nothing for NaN."""
    if isinstance(value, (float, np.floating)):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else str(value)


def _write(path: Path, columns: Mapping[str, Any]) -> int:
    """Writes columns of one length as a table and returns that length."""
    arrays = {str(name): np.asarray(values) for name, values in columns.items()}
    lengths = {len(a) for a in arrays.values()}
    if len(lengths) != 1:
        raise ValueError(f"columns differ in length: { {name: len(a) for name, a in arrays.items()} }")
    with open(path, "w", newline="", encoding="utf-8") as f:
        table = csv.writer(f)
        table.writerow(arrays)
        for row in zip(*(a.tolist() for a in arrays.values())):
            table.writerow([_text(v) for v in row])
    return lengths.pop()


def _points(positions: Any) -> dict[str, Array]:
    """The columns of n×2 or n×3 positions."""
    p = np.asarray(positions, float)
    if p.ndim != 2 or p.shape[1] not in (2, 3):
        raise ValueError(f"positions have the shape {p.shape}; wanted is n×2 or n×3")
    return {axis: p[:, k] for k, axis in enumerate("xyz"[: p.shape[1]])}


def _table(data: Any) -> dict[str, Any]:
    """The columns of a data frame and the levels of its index that have names, or those of a mapping of names to arrays."""
    names = list(data.columns) if hasattr(data, "columns") else list(data)
    table = {str(name): np.asarray(data[name]) for name in names}
    index = getattr(data, "index", None)
    for level in getattr(index, "names", None) or ():
        if level is not None and str(level) not in table:
            table[str(level)] = np.asarray(index.get_level_values(level))
    return table


def _read(path: Path) -> dict[str, Array]:
    """The columns of a table of numbers."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = csv.reader(f)
        names = next(rows)
        values = np.array([[float(v) if v else math.nan for v in row] for row in rows], float).reshape(-1, len(names))
    return {name: values[:, k] for k, name in enumerate(names)}


def track(times: Any, positions: Any = None, *, columns: Optional[Mapping[str, str]] = None, velocities: Any = None,
          sizes: Any = None, conf: Any = None, **options: Any) -> Answer:
    """Finds which detections belong together.

    Either times are n times or frames and positions n×2 or n×3, perhaps with velocities (n×2 or
    n×3), sizes (n×2) and conf (n); or times is a data frame, or a mapping of names to
    arrays, whose columns the program understands by their names or by columns (role to name).
    Whole-numbered times are frames. Rows without a position (NaN) are in no track; identities in the data
    are not read.

    Options are those of "mtt track", with _ for -. Raises MttError when the program fails, and
    ValueError for arrays that do not fit together.
    """
    if positions is None:
        table = _table(times)
    else:
        when = np.asarray(times)
        whole = np.issubdtype(when.dtype, np.integer)
        table = {"frame" if whole else "time": when, **_points(positions)}
        if velocities is not None:
            table.update({"v" + axis: v for axis, v in _points(velocities).items()})
        if sizes is not None:
            box = np.asarray(sizes, float)
            table.update({"w": box[:, 0], "h": box[:, 1]})
        if conf is not None:
            table["conf"] = np.asarray(conf, float)
    with tempfile.TemporaryDirectory(prefix="mtt-") as name:
        folder = Path(name)
        n = _write(folder / "input.csv", table)
        arguments = ["track", "input.csv", "-o", "run", "--format", "json", "--no-ids", *_options(options)]
        if columns:
            arguments += _options({"columns": dict(columns)})
        done = run(*arguments, folder=name)
        found = json.loads(done.stdout)
        detections = _read(folder / "run" / "detections.csv")
        scans = {}
        for row, f, d, t in zip(detections["row"], detections["frame"], detections["det"], detections.get("time", detections["frame"])):
            scans[int(f), int(d)] = (int(row) - 1, t)
        number = np.zeros(n, int)
        when = np.full(n, math.inf)
        for row, t in scans.values():
            when[row] = t
        tracks = _read(folder / "run" / "tracks.csv")
        for f, k, d in zip(tracks["frame"], tracks["track"], tracks["det"]):
            if d >= 0:
                number[scans[int(f), int(d)][0]] = int(k)
        states = folder / "run" / "states.csv"
        for text in found.get("warnings") or ():
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return Answer(
            track=number, status=found["status"], lower_bound=found["lower_bound"], upper_bound=found["upper_bound"],
            gap_percent=found["gap_percent"], seconds=found["seconds"]["total"], estimates=found,
            warnings=found.get("warnings") or (), states=_read(states) if states.exists() else None, notes=done.stderr, _time=when,
        )


def score(truth: Targets, tracks: Targets, **options: Any) -> dict[str, Any]:
    """Compares tracks with the truth: CLEAR MOT, identity, HOTA, OSPA, GOSPA and more.

    Each side is frames (n), identities (n, from 1 on; 0, as of rows in no track, and below are none: add 1 to what
    counts from 0) and positions (n×2 or n×3). Options are those of "mtt score". Returns what "mtt score --format json" prints.
    """
    with tempfile.TemporaryDirectory(prefix="mtt-") as name:
        folder = Path(name)
        for side, (frames, ids, positions) in (("truth", truth), ("tracks", tracks)):
            number = np.asarray(ids)
            keep = number >= 1
            _write(folder / f"{side}.csv", {"frame": np.asarray(frames)[keep], "id": number[keep],
                                            **{axis: v[keep] for axis, v in _points(positions).items()}})
        done = run("score", "--truth", "truth.csv", "--tracks", "tracks.csv", "--format", "json", *_options(options), folder=name)
        return json.loads(done.stdout)


def assign(costs: Any, *, maximize: bool = False, **options: Any) -> Tuple[Array, Array, float]:
    """The cheapest assignment of rows to columns of a matrix, as SciPy's linear_sum_assignment.

    numpy.inf forbids a pair (-numpy.inf with maximize). Returns rows, their columns and the sum; the
    program proves it by dual prices. Raises MttError with status 3 where there is none. Options are
    those of "mtt lap".
    """
    matrix = np.ascontiguousarray(costs, float)
    if matrix.ndim != 2:
        raise ValueError(f"costs have the shape {matrix.shape}; wanted is a matrix")
    if 0 in matrix.shape:
        return np.empty(0, int), np.empty(0, int), 0.0
    with tempfile.TemporaryDirectory(prefix="mtt-") as name:
        np.save(Path(name) / "costs.npy", matrix)
        done = run("lap", "costs.npy", "-o", "out.jsonl", "--format", "json", *_options({"maximize": maximize, **options}), folder=name)
        found = json.loads(done.stdout)
        with open(Path(name) / "out.jsonl", encoding="utf-8") as f:
            columns = np.array(json.loads(f.readline())["assignment"], int)
    rows = np.flatnonzero(columns >= 0)
    return rows, columns[rows], float(found["objective"])
