#!/usr/bin/env python3
"""Runs public solvers of sparse assignment problems and mtt on the same problems, one after the
other, and prints one table of processor times as CSV:

    python3 tools/peers/sparse.py --mtt ./mtt --spral FOLDER --lap FOLDER --csa FOLDER

The others are not part of mtt, and nothing is fetched: options name checkouts, which are compiled with
-O3 -march=native, SPRAL's two files by gfortran.

    --spral    https://github.com/ralna/spral    hungarian_match, the rows given as its columns
    --lap      https://github.com/gatagat/lap    lapmod, the best of its three modes
    --csa      https://github.com/rick/CSA       precise costs, queue and stack, on costs rounded to
               10^-6, its clock replaced by that of the thread

The problems are those of "mtt bench lap-sparse", which prints the time of mtt; --classes and --sizes choose
among them. All times are of the processor in milliseconds, around the call alone, medians of repetitions and of
seeds; all answers must cost the same, those of CSA within its rounding. A solver that takes more than --limit seconds is
stopped, and left out of larger problems of that class. Lines that begin with # say which machine and which
commits these were. The table has the form of internal/bench/peers/sparse.csv.
"""

import argparse
import csv
import ctypes
import datetime
import glob
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

from assignment import commit, limited

FLAGS = ["-O3", "-march=native", "-w"]

SPRAL = """
subroutine match(n, ptr, row, val, iperm, num) bind(C)
  use iso_c_binding
  use spral_scaling, only : hungarian_match
  implicit none
  integer(c_int), value :: n
  integer(c_int64_t), intent(in) :: ptr(n+1)
  integer(c_int), intent(in) :: row(*)
  real(c_double), intent(in) :: val(*)
  integer(c_int), intent(out) :: iperm(n), num
  real(c_double) :: u(n), v(n)
  integer :: stat
  call hungarian_match(n, n, ptr, row, val, iperm, num, u, v, stat)
end subroutine
"""

LAPMOD = """
#include <cstdlib>
#include "lapjv.h"
extern "C" int match(unsigned n, double *cc, unsigned *ii, unsigned *kk, int *x, int *y, int mode) {
	return lapmod_internal(n, cc, ii, kk, x, y, (fp_t)mode);
}
"""

# CSA counts sixtieths of a second; this counts microseconds.
CLOCK = """
#include <time.h>
unsigned myclock() {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000u + t.tv_nsec / 1000;
}
"""


class Problem:
    """Rows with their entries in order, and a price that makes all costs positive."""

    def __init__(self, path):
        with open(path) as f:
            f.readline()
            n, m, count = (int(x) for x in f.readline().split())
            table = np.loadtxt(f, ndmin=2)
        if n != m or len(table) != count:
            sys.exit(f"{path}: {n} rows, {m} columns, {len(table)} entries of {count}")
        self.n, self.row, self.col, self.cost = n, table[:, 0].astype(np.int32), table[:, 1].astype(np.int32), table[:, 2]
        self.ptr = np.concatenate([[0], np.cumsum(np.bincount(self.row - 1, minlength=n))])

    def price(self, col_of):
        """The cost of an assignment, which names columns from 0."""
        entry = {(r, c): x for r, c, x in zip(self.row.tolist(), self.col.tolist(), self.cost.tolist())}
        return sum(entry[r + 1, c + 1] for r, c in enumerate(col_of))


def at(array, kind):
    return array.ctypes.data_as(ctypes.POINTER(kind))


def library(name, command):
    subprocess.run(command + ["-shared", "-fPIC", "-o", name], check=True)
    return ctypes.CDLL(name)


def with_spral(folder, work):
    source = os.path.join(work, "match.f90")
    with open(source, "w") as f:
        f.write(SPRAL)
    files = [os.path.join(folder, "src", x) for x in ("matrix_util.f90", "scaling.f90")]
    lib = library(os.path.join(work, "spral.so"), ["gfortran", *FLAGS, "-J", work, *files, source])

    def solve(p):
        low = min(0.0, p.cost.min())
        ptr, cost = (p.ptr + 1).astype(np.int64), p.cost - low
        to, num = np.zeros(p.n, np.int32), ctypes.c_int()
        began = time.thread_time()
        lib.match(p.n, at(ptr, ctypes.c_int64), at(p.col, ctypes.c_int), at(cost, ctypes.c_double), at(to, ctypes.c_int),
                  ctypes.byref(num))
        took = time.thread_time() - began
        col_of = np.empty(p.n, np.int32)
        col_of[to - 1] = np.arange(p.n)  # of each column, the row
        return took, p.price(col_of)

    return solve


def with_lapmod(folder, work):
    source, cpp = os.path.join(work, "lapmod.cpp"), os.path.join(folder, "_lapjv_cpp")
    with open(source, "w") as f:
        f.write(LAPMOD)
    lib = library(os.path.join(work, "lapmod.so"),
                  ["g++", *FLAGS, "-I", cpp, source, os.path.join(cpp, "lapjv.cpp"), os.path.join(cpp, "lapmod.cpp")])

    def solve(p):
        best = None
        for mode in (1, 2, 3):
            cost, ptr, col = p.cost.copy(), p.ptr.astype(np.uint32), (p.col - 1).astype(np.uint32)
            x, y = np.zeros(p.n, np.int32), np.zeros(p.n, np.int32)
            began = time.thread_time()
            lib.match(p.n, at(cost, ctypes.c_double), at(ptr, ctypes.c_uint), at(col, ctypes.c_uint), at(x, ctypes.c_int),
                      at(y, ctypes.c_int), mode)
            took = time.thread_time() - began
            if best is None or took < best[0]:
                best = took, p.price(x)
        return best

    return solve


def with_csa(folder, work, order):
    source = os.path.join(work, "csa-" + order)
    shutil.copytree(os.path.join(folder, "csa"), source)  # follows its links
    source = os.path.join(source, "prec_costs")
    with open(os.path.join(source, "timer.c"), "w") as f:
        f.write(CLOCK)
    files = ["main.c", "refine.c", "update_epsilon.c", "parse.c", "stack.c", "timer.c", "debug.c"]
    if order == "queue":
        files += ["queue.c"]
    program = os.path.join(source, "solve")
    subprocess.run(["gcc", *FLAGS, "-std=gnu89", "-fcommon", "-DMIN_COST", *(["-DQUEUE_ORDER"] if order == "queue" else []),
                    *files, "-lm", "-o", program], cwd=source, check=True)

    def solve(p):
        whole = np.rint(1e6 * p.cost).astype(np.int64)
        lines = [f"p asn {2 * p.n} {len(whole)}\n"] + [f"n {r}\n" for r in range(1, p.n + 1)]
        lines += [f"a {r} {p.n + c} {x}\n" for r, c, x in zip(p.row.tolist(), p.col.tolist(), whole.tolist())]
        out = subprocess.run([program], input="".join(lines), capture_output=True, text=True, cwd=source).stdout
        found = re.search(r"cost\s+(-?[\d.]+),\s+time\s+([\d.]+)", out)
        if not found:
            raise RuntimeError("CSA: " + out)
        return 60e-6 * float(found[2]), abs(float(found[1])) / 1e6

    return solve


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mtt", default="mtt", help="the program")
    for name in ("spral", "lap", "csa"):
        parser.add_argument("--" + name, metavar="FOLDER", help="a checkout")
    parser.add_argument("--classes", default="", help="parts of the names of classes, separated by commas: random, tracking")
    parser.add_argument("--most", type=int, default=10000, help="the most rows")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=7, help="solves of each problem")
    parser.add_argument("--limit", type=float, default=60, help="seconds of one solve")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as work:
        peers, heads = {}, []
        if args.spral:
            peers["SPRAL"] = with_spral(args.spral, work)
            heads.append(f"SPRAL: {commit(args.spral)}, hungarian_match")
        if args.lap:
            peers["lapmod"] = with_lapmod(args.lap, work)
            heads.append(f"lapmod: {commit(args.lap)}, the best of its three modes")
        if args.csa:
            for order in ("queue", "stack"):
                peers["CSA, " + order] = with_csa(args.csa, work, order)
            heads.append(f"CSA: {commit(args.csa)}, precise costs, rounded to 1e-6")
        if not peers:
            sys.exit("no other solver: name checkouts (--help)")

        kept = os.path.join(work, "problems")
        table = subprocess.run([args.mtt, "bench", "lap-sparse", "--seeds", str(args.seeds), "--save", kept, "--format", "csv",
                                "--quiet"], check=True, capture_output=True, text=True).stdout
        ours = subprocess.run([args.mtt, "version", "--format", "csv"], check=True, capture_output=True, text=True).stdout
        ours = next(csv.DictReader(ours.splitlines()))
        print(f"# machine: {os.cpu_count()} processors, {platform.machine()}, {platform.system()}")
        print(f"# date: {datetime.date.today()}")
        print(f"# ssp: mtt {ours['version']}, {ours['revision']}")
        for head in heads:
            print("# " + head)
        out = csv.writer(sys.stdout, lineterminator="\n")
        out.writerow(["class", "n", "ssp"] + list(peers))
        slow = set()
        for row in csv.DictReader(table.splitlines()):
            if int(row["n"]) > args.most or args.classes and not any(c in row["problem"] for c in args.classes.split(",")):
                continue
            files = sorted(glob.glob(os.path.join(kept, f"{row['problem'].replace(' ', '-')}-{row['n']}-seed*.mtx")))
            times = {peer: [] for peer in peers}
            for file in files:
                p, costs = Problem(file), {}
                for peer, solve in peers.items():
                    if (row["problem"], peer) in slow:
                        continue
                    # One process, so that all but the first find memory and code where mtt's repetitions do.
                    runs = limited(lambda p: [solve(p) for _ in range(args.repeat)], p, args.limit * args.repeat)
                    if not runs:
                        slow.add((row["problem"], peer))
                        continue
                    times[peer].append(1e3 * statistics.median(r[0] for r in runs))
                    costs[peer] = runs[0][1]
                answer = subprocess.run([args.mtt, "lap", file, "--format", "csv", "--quiet"], check=True, capture_output=True,
                                        text=True).stdout
                exact = float(next(csv.DictReader(answer.splitlines()))["objective"])
                for peer, cost in costs.items():
                    if abs(cost - exact) > (1e-6 if peer.startswith("CSA") else 1e-9) * p.n * max(1, np.abs(p.cost).max()):
                        sys.exit(f"{os.path.basename(file)}: {peer} finds {cost}, mtt {exact}")
            out.writerow([row["problem"], row["n"], f"{float(row['cpu_ms']):.3g}"]
                         + [f"{statistics.median(times[peer]):.3g}" if times[peer] else "" for peer in peers])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
