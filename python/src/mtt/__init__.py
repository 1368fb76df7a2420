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
    done = subprocess.run([program(), *map(os.fspath, arguments)], capture_output=True, text=True, cwd=folder, encoding="utf-8")
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
    """A value as a field of a table: floats in the shortest form that reads back, nothing for NaN and what is missing otherwise."""
    if isinstance(value, (float, np.floating)):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None or str(value) in ("<NA>", "NaT") else str(value)


def _array(values: Any) -> Array:
    """Values as an array that keeps its mask, of seconds where they are spans of time."""
    a = np.ma.asarray(values) if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    if a.dtype.kind == "m":
        a = a / np.timedelta64(1, "s")
    elif a.dtype.kind == "M" and np.isnat(a).any():
        a = np.ma.masked_where(np.isnat(a), a)
    return a


def _write(path: Path, columns: Mapping[str, Any], rows: Union[Array, slice] = slice(None)) -> int:
    """Writes those rows of columns of one length as a table and returns that length. Fields that are masked are empty."""
    arrays = {str(name): _array(values) for name, values in columns.items()}
    lengths = {len(a) for a in arrays.values()}
    if len(lengths) != 1:
        raise ValueError(f"columns differ in length: { {name: len(a) for name, a in arrays.items()} }")
    with open(path, "w", newline="", encoding="utf-8") as f:
        table = csv.writer(f)
        table.writerow(arrays)
        for row in zip(*(a[rows].tolist() for a in arrays.values())):
            table.writerow([_text(v) for v in row])
    return lengths.pop()


def _floats(values: Any) -> Array:
    """Numbers as floats, NaN where they are masked."""
    return np.ma.filled(np.ma.asarray(values, float), math.nan)


def _points(positions: Any) -> dict[str, Array]:
    """The columns of n×2 or n×3 positions."""
    p = _floats(positions)
    if p.size == 0 and p.ndim == 1:
        p = p.reshape(0, 2)
    if p.ndim != 2 or p.shape[1] not in (2, 3):
        raise ValueError(f"positions have the shape {p.shape}; wanted is n×2 or n×3")
    return {axis: p[:, k] for k, axis in enumerate("xyz"[: p.shape[1]])}


def _table(data: Any) -> dict[str, Any]:
    """The columns of a data frame and the levels of its index that have names, or those of an array with named fields or of a mapping of
    names to arrays. A column of vectors is one of each of their elements."""
    if isinstance(data, np.ndarray) and data.dtype.names:
        names: list[Any] = list(data.dtype.names)
    elif hasattr(data, "column_names"):  # of Arrow, where columns are arrays
        names = list(data.column_names)
    elif hasattr(data, "columns"):
        names = list(data.columns)
    elif isinstance(data, Mapping):
        names = list(data)
    else:
        raise ValueError(f"times are of {type(data).__name__} and there are no positions; wanted are two arrays, or one table with named columns")
    table: dict[str, Any] = {}
    for name in names:
        values = _array(data[name])
        if values.ndim == 2:
            table.update({f"{name}_{k}": values[:, k] for k in range(values.shape[1])})
        else:
            table[str(name)] = values
    index = getattr(data, "index", None)
    for level in getattr(index, "names", None) or ():
        if level is not None and str(level) not in table:
            table[str(level)] = np.asarray(index.get_level_values(level))
    return table


def _nothing(n: int) -> Answer:
    """The answer where none of n rows has a position."""
    return Answer(track=np.zeros(n, int), status="optimal", lower_bound=0.0, upper_bound=0.0, gap_percent=0.0, seconds=0.0, estimates={})


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
    n×3), sizes (n×2) and conf (n); or times is a data frame, an array with named fields or a mapping of names to
    arrays, whose columns the program understands by their names or by columns (role to name).
    Whole-numbered times are frames. Rows without a position (NaN, or masked) are in no track, and so are rows of arrays whose time
    is masked; where there are no rows at all the answer is empty. Identities in the data are not read.

    Options are those of "mtt track", with _ for -. Raises MttError when the program fails, and
    ValueError for arrays that do not fit together.
    """
    rows: Union[Array, slice] = slice(None)
    if positions is None:
        table = _table(times)
        if all(len(values) == 0 for values in table.values()):
            return _nothing(0)
    else:
        when = _array(times)
        whole = np.issubdtype(when.dtype, np.integer)
        points = _points(positions)
        table = {"frame" if whole else "time": when, **points}
        if velocities is not None:
            table.update({"v" + axis: v for axis, v in _points(velocities).items()})
        if sizes is not None:
            box = _floats(sizes)
            table.update({"w": box[:, 0], "h": box[:, 1]})
        if conf is not None:
            table["conf"] = _floats(conf)
        known = ~np.ma.getmaskarray(when)
        if when.dtype.kind == "f":
            known &= ~np.isnan(np.ma.getdata(when))
        rows = np.flatnonzero(known)
        if len(when) == len(points["x"]) and not any(known & ~np.isnan(points["x"])):
            return _nothing(len(when))
    with tempfile.TemporaryDirectory(prefix="mtt-") as name:
        folder = Path(name)
        n = _write(folder / "input.csv", table, rows)
        of = np.arange(n)[rows]  # of each row that the program sees
        arguments = ["track", "input.csv", "-o", "run", "--format", "json", "--no-ids", *_options(options)]
        if columns:
            arguments += _options({"columns": dict(columns)})
        done = run(*arguments, folder=name)
        found = json.loads(done.stdout)
        detections = _read(folder / "run" / "detections.csv")
        scans = {}
        for row, f, d, t in zip(detections["row"], detections["frame"], detections["det"], detections.get("time", detections["frame"])):
            scans[int(f), int(d)] = (of[int(row) - 1], t)
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

    Each side is frames or times (n), identities (n, from 1 on; 0, as of rows in no track, and below are none: add 1 to what
    counts from 0; or words, "" for none) and positions (n×2 or n×3). Options are those of "mtt score". Returns what "mtt score --format json" prints.
    What the program warns of is a RuntimeWarning.
    """
    with tempfile.TemporaryDirectory(prefix="mtt-") as name:
        folder = Path(name)
        for side, targets in (("truth", truth), ("tracks", tracks)):
            if not isinstance(targets, (tuple, list)) or len(targets) != 3:
                raise ValueError(f"{side} is of {type(targets).__name__}; wanted are three arrays: frames or times, identities, positions")
            frames, ids, positions = targets
            if not len(frames) == len(ids) == len(positions):
                raise ValueError(f"{side} has {len(frames)} frames, {len(ids)} identities and {len(positions)} positions; wanted is one of each for each row")
            names = np.ma.asarray(ids)
            words = names.dtype.kind in "US" or names.dtype.kind == "O" and any(isinstance(v, str) for v in names.data.tolist())
            if words:
                number = np.array([_text(v) for v in names.filled("").tolist()], object)
                keep = number != ""
            else:
                number = names.filled(0)
                keep = number >= 1
            when = _array(frames)
            whole = when.dtype.kind in "iu" or when.dtype.kind == "f" and bool(np.all(np.ma.getdata(when) % 1 == 0))
            _write(folder / f"{side}.csv", {"frame" if whole else "time": when[keep], "id": number[keep],
                                            **{axis: v[keep] for axis, v in _points(positions).items()}})
        done = run("score", "--truth", "truth.csv", "--tracks", "tracks.csv", "--format", "json", *_options(options), folder=name)
        for line in done.stderr.splitlines():
            _, warned, text = line.partition("mtt: warning: ")
            if warned:
                warnings.warn(text, RuntimeWarning, stacklevel=2)
        return json.loads(done.stdout)


def assign(costs: Any, *, maximize: bool = False, **options: Any) -> Tuple[Array, Array, float]:
    """The cheapest assignment of rows to columns of a matrix, as SciPy's linear_sum_assignment.

    numpy.inf forbids a pair (-numpy.inf with maximize), and so does a mask; of a sparse matrix of SciPy the pairs that are stored are
    allowed, those with a zero too, as in its min_weight_full_bipartite_matching. Returns rows, their columns and the sum; the
    program proves it by dual prices. Raises MttError with status 3 where there is none. Options are
    those of "mtt lap".
    """
    sparse = costs.tocsr() if hasattr(costs, "tocsr") else None
    if sparse is None:
        forbidden = -math.inf if maximize else math.inf
        whole = np.ma.asarray(costs)
        if whole.dtype.kind in "iu" and whole.size and max(abs(int(whole.max())), abs(int(whole.min()))) > 2**53:
            warnings.warn("whole costs beyond 2**53 are rounded to floating-point numbers", RuntimeWarning, stacklevel=2)
        matrix = np.ascontiguousarray(np.ma.filled(np.ma.asarray(costs, float), forbidden))
    else:
        matrix = sparse
    if matrix.ndim != 2:
        raise ValueError(f"costs have the shape {matrix.shape}; wanted is a matrix")
    if 0 in matrix.shape:
        return np.empty(0, int), np.empty(0, int), 0.0
    with tempfile.TemporaryDirectory(prefix="mtt-") as name:
        file = "costs.npy" if sparse is None else "costs.npz"
        if sparse is None:
            np.save(Path(name) / file, matrix)
        else:  # as scipy.sparse.save_npz writes it
            np.savez(Path(name) / file, format=b"csr", shape=sparse.shape, data=sparse.data.astype(float), indices=sparse.indices, indptr=sparse.indptr)
        done = run("lap", file, "-o", "out.jsonl", "--format", "json", *_options({"maximize": maximize, **options}), folder=name)
        found = json.loads(done.stdout)
        with open(Path(name) / "out.jsonl", encoding="utf-8") as f:
            columns = np.array(json.loads(f.readline())["assignment"], int)
    rows = np.flatnonzero(columns >= 0)
    return rows, columns[rows], float(found["objective"])
