#!/usr/bin/env python3
"""Runs public solvers of dense assignment problems and mtt on the same matrices, one
after the other, and prints one table of processor times as CSV:

    python3 tools/peers/assignment.py --mtt ./mtt --lap /path/to/lap --sizes 1000,1024

The others are not part of mtt. SciPy is timed where it is installed; --lap names a
checkout of https://github.com/gatagat/lap, whose C++ is compiled here with -O3
-march=native. The matrices are those of "mtt bench lap", seed 1, which prints the time of
mtt. All times are of the processor in seconds, the median of repetitions, around
the call alone; all answers must cost the same. Lines that begin with # say which
machine and which commits these were.
"""

import argparse
import csv
import ctypes
import datetime
import io
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

LAP_WRAPPER = """
#include <cstddef>
#include <cstdlib>
#include <vector>
#include "lapjv.h"
extern "C" int solve(unsigned n, double *cost, int *x, int *y) {
	std::vector<double *> rows(n);
	for (unsigned i = 0; i < n; i++) rows[i] = cost + (std::size_t)i * n;
	return lapjv_internal(n, rows.data(), x, y);
}
"""


def commit(folder):
    """The commit of a checkout, or "unknown"."""
    done = subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def build_lap(folder, work):
    """Compiles gatagat/lap; returns a function from a matrix to seconds and cost."""
    source = os.path.join(work, "wrapper.cpp")
    with open(source, "w") as f:
        f.write(LAP_WRAPPER)
    library = os.path.join(work, "lap.so")
    code = os.path.join(folder, "_lapjv_cpp")
    subprocess.run(["g++", "-O3", "-march=native", "-shared", "-fPIC", "-I", code, source,
                    os.path.join(code, "lapjv.cpp"), "-o", library], check=True)
    lib = ctypes.CDLL(library)
    pointer = ctypes.POINTER(ctypes.c_double)
    lib.solve.argtypes = [ctypes.c_uint, pointer, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)]

    def solve(cost):
        n = len(cost)
        x, y = (ctypes.c_int * n)(), (ctypes.c_int * n)()
        data = np.ascontiguousarray(cost, dtype=np.float64)
        began = time.thread_time()
        status = lib.solve(n, data.ctypes.data_as(pointer), x, y)
        took = time.thread_time() - began
        if status != 0:
            raise RuntimeError(f"lap returns {status}")
        return took, cost[np.arange(n), np.frombuffer(x, dtype=np.int32)].sum()

    return solve


def scipy_solver():
    """SciPy's solver, or None."""
    try:
        import scipy
        from scipy.optimize import linear_sum_assignment
    except ImportError:
        return None, ""

    def solve(cost):
        began = time.thread_time()
        rows, cols = linear_sum_assignment(cost)
        return time.thread_time() - began, cost[rows, cols].sum()

    return solve, scipy.__version__


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mtt", default="mtt", help="the program")
    parser.add_argument("--lap", help="a checkout of gatagat/lap")
    parser.add_argument("--sizes", default="1000", help="rows of the matrices, separated by commas")
    parser.add_argument("--repeat", type=int, default=3, help="solves of each matrix")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as work:
        peers, heads = {}, []
        solve, version = scipy_solver()
        if solve:
            peers["SciPy"] = solve
            heads.append(f"SciPy: {version}, linear_sum_assignment")
        if args.lap:
            peers["lap"] = build_lap(args.lap, work)
            heads.append(f"lap: github.com/gatagat/lap {commit(args.lap)}, lapjv")
        if not peers:
            sys.exit("no other solver: install SciPy, or name sources (--lap)")

        matrices = os.path.join(work, "matrices")
        table = subprocess.run([args.mtt, "bench", "lap", "--seeds", "1", "--sizes", args.sizes, "--save", matrices,
                                "--format", "csv", "--quiet"], check=True, capture_output=True, text=True).stdout
        ours = subprocess.run([args.mtt, "version", "--format", "csv"], check=True, capture_output=True, text=True).stdout
        ours = next(csv.DictReader(io.StringIO(ours)))
        print(f"# machine: {os.cpu_count()} processors, {platform.machine()}, {platform.system()}")
        print(f"# date: {datetime.date.today()}")
        print(f"# mtt: {ours['version']}, {ours['revision']}")
        for head in heads:
            print("# " + head)
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(["class", "n", "mtt"] + list(peers))
        for row in csv.DictReader(io.StringIO(table)):
            name = f"{row['class'].replace(' ', '-')}-{row['n']}-seed1.npy"
            cost = np.load(os.path.join(matrices, name))
            line, costs = [row["class"], row["n"], f"{float(row['cpu']):.3g}"], []
            for solve in peers.values():
                runs = [solve(cost) for _ in range(args.repeat)]
                line.append(f"{statistics.median(r[0] for r in runs):.3g}")
                costs.append(runs[0][1])
            answer = subprocess.run([args.mtt, "lap", os.path.join(matrices, name), "--format", "csv", "--quiet"],
                                    check=True, capture_output=True, text=True).stdout
            costs.append(float(next(csv.DictReader(io.StringIO(answer)))["objective"]))
            if max(costs) - min(costs) > 1e-9 * max(1, np.abs(cost).max()) * len(cost):
                sys.exit(f"{name}: the answers cost {costs}")
            out.writerow(line)
            sys.stdout.flush()


if __name__ == "__main__":
    main()
