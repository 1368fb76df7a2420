#!/usr/bin/env python3
"""Runs public solvers of dense assignment problems and mtt on the same matrices, one
after the other, and prints one table of processor times as CSV:

    python3 tools/peers/assignment.py --mtt ./mtt --lap /path/to/lap --sizes 1000,1024

The others are not part of mtt, and nothing is fetched. SciPy is timed where it is installed.
Of sources that are here, options name the checkouts; their C++ is compiled with -O3
-march=native:

    --lap               https://github.com/gatagat/lap, lapjv
    --lapjv             https://github.com/src-d/lapjv, in float64
    --algorithm-1015    https://github.com/sguthe/lap-solver, with epsilon

--library NAME=FILE adds any other as a shared library with

    int solve(unsigned n, double *cost, int *x, int *y)    0: done

which sets x to the column of each row of the row-major matrix of n by n costs.
A solver that takes more than --limit seconds is stopped, and left out of further matrices of
that class.
The matrices are those of "mtt bench lap", seed 1, which prints the time of
mtt. All times are of the processor in seconds, the median of repetitions, around
the call alone; all answers must cost the same. Lines that begin with # say which
machine and which commits these were.
"""

import argparse
import csv
import ctypes
import datetime
import io
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

# Each wrapper makes of a checkout the function that --library asks for. Its C++ is the option's:
# sources, and folders of headers, within the checkout.
WRAPPERS = {
    "lap": ("_lapjv_cpp", ["_lapjv_cpp/lapjv.cpp"], """
#include <cstddef>
#include <cstdlib>
#include <vector>
#include "lapjv.h"
extern "C" int solve(unsigned n, double *cost, int *x, int *y) {
	std::vector<double *> rows(n);
	for (unsigned i = 0; i < n; i++) rows[i] = cost + (std::size_t)i * n;
	return lapjv_internal(n, rows.data(), x, y);
}
"""),
    "lapjv": (".", [], """
#include <tuple>
#include <vector>
#include "lap.h"
extern "C" int solve(unsigned n, double *cost, int *x, int *y) {
	std::vector<double> u(n), v(n);
	lap<true, false>((int)n, cost, x, y, u.data(), v.data());
	return 0;
}
"""),
    "algorithm-1015": ("lap_solver", [], """
#define LAP_QUIET
#include <algorithm>
#include <cmath>
#include <cstring>
#include <chrono>
#include <deque>
#include <iostream>
#include <limits>
#include <vector>
#include "lap.h"
extern "C" int solve(unsigned n, double *cost, int *x, int *y) {
	lap::TableCost<double> table((int)n, (int)n, cost);
	lap::DirectIterator<double, lap::TableCost<double>> rows(table);
	lap::solve<double>((int)n, table, rows, x, true);
	return 0;
}
"""),
}


def commit(folder):
    """The commit of a checkout, or "unknown"."""
    done = subprocess.run(["git", "-C", folder, "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def build(name, folder, work):
    """Compiles a checkout with its wrapper; returns the library."""
    headers, sources, wrapper = WRAPPERS[name]
    source, library = os.path.join(work, name + ".cpp"), os.path.join(work, name + ".so")
    with open(source, "w") as f:
        f.write(wrapper)
    subprocess.run(["g++", "-std=c++17", "-O3", "-march=native", "-w", "-shared", "-fPIC",
                    "-I", os.path.join(folder, headers), source]
                   + [os.path.join(folder, s) for s in sources] + ["-o", library], check=True)
    return library


def library_solver(library):
    """A function from a matrix to seconds and cost, by a library with solve."""
    lib = ctypes.CDLL(os.path.abspath(library))
    pointer = ctypes.POINTER(ctypes.c_double)
    lib.solve.argtypes = [ctypes.c_uint, pointer, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int)]

    def solve(cost):
        n = len(cost)
        x, y = (ctypes.c_int * n)(), (ctypes.c_int * n)()
        data = np.array(cost, dtype=np.float64, order="C")  # a copy, which a solver may change
        began = time.thread_time()
        status = lib.solve(n, data.ctypes.data_as(pointer), x, y)
        took = time.thread_time() - began
        if status != 0:
            raise RuntimeError(f"{library}: solve returns {status}")
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


def limited(solve, cost, seconds):
    """What solve(cost) returns, in a process of its own, or None where it takes longer."""
    fork = multiprocessing.get_context("fork")
    answers, send = fork.Pipe(duplex=False)
    process = fork.Process(target=lambda: send.send(solve(cost)))
    process.start()
    send.close()
    try:
        return answers.recv() if answers.poll(seconds) else None
    except EOFError:
        sys.exit("a solver has crashed")
    finally:
        process.kill()
        process.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mtt", default="mtt", help="the program")
    for name in WRAPPERS:
        parser.add_argument("--" + name, metavar="FOLDER", help="a checkout")
    parser.add_argument("--library", metavar="NAME=FILE", action="append", default=[], help="any other")
    parser.add_argument("--limit", type=float, default=60, help="seconds of one solve")
    parser.add_argument("--sizes", default="1000", help="rows of the matrices, separated by commas")
    parser.add_argument("--repeat", type=int, default=3, help="solves of each matrix")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as work:
        peers, heads = {}, []
        solve, version = scipy_solver()
        if solve:
            peers["SciPy"] = solve
            heads.append(f"SciPy: {version}, linear_sum_assignment")
        for name in WRAPPERS:
            if folder := getattr(args, name.replace("-", "_")):
                peers[name] = library_solver(build(name, folder, work))
                heads.append(f"{name}: {commit(folder)}")
        for library in args.library:
            name, equals, file = library.partition("=")
            if not equals:
                sys.exit(f"--library {library}: want NAME=FILE")
            peers[name] = library_solver(file)
            heads.append(f"{name}: {os.path.basename(file)}")
        if not peers:
            sys.exit("no other solver: install SciPy, or name sources or a library (--help)")

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
        slow = set()  # class and peer
        for row in csv.DictReader(io.StringIO(table)):
            name = f"{row['class'].replace(' ', '-')}-{row['n']}-seed1.npy"
            cost = np.load(os.path.join(matrices, name))
            line, costs = [row["class"], row["n"], f"{float(row['cpu']):.3g}"], []
            for peer, solve in peers.items():
                if (row["class"], peer) in slow:
                    line.append("")
                    continue
                runs = [limited(solve, cost, args.limit)]
                while runs[-1] and len(runs) < args.repeat:
                    runs.append(limited(solve, cost, args.limit))
                if not runs[-1]:
                    slow.add((row["class"], peer))
                    line.append("")
                    continue
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
