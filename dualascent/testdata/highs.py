"""Solves multi-frame assignment problems exactly, with HiGHS by way of scipy.

usage: highs.py FILE [SECONDS]

FILE holds one instance on each line, as JSON in the layout of the Go type
Instance; null stands for +Inf. For each instance one line of JSON comes out: the
optimum of the linear relaxation, that of the integer programme, and how far the
latter is proven when SECONDS did not suffice.

Variables: x of every arc, birth and death; y of every finite block entry.
Rows: each node has one out-arc or dies, one in-arc or is born; the rows and
columns of y sum to the x they belong to.
"""

import json
import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_matrix


class Model:
    def __init__(self):
        self.cost, self.row, self.col, self.value, self.rhs = [], [], [], [], []

    def variable(self, cost):
        """Adds a variable; none where the cost is null, which forbids it."""
        if cost is None:
            return None
        self.cost.append(cost)
        return len(self.cost) - 1

    def equation(self, plus, minus, rhs):
        """Adds sum(plus) - sum(minus) = rhs."""
        for sign, variables in ((1, plus), (-1, minus)):
            for v in variables:
                if v is not None:
                    self.row.append(len(self.rhs))
                    self.col.append(v)
                    self.value.append(sign)
        self.rhs.append(rhs)


def build(inst):
    m = Model()
    gaps = inst["gaps"]
    for g in gaps:
        g["x"] = [m.variable(c) for c in g["cost"]]
        g["death"] = [m.variable(c) for c in g["rowmiss"]]
        g["birth"] = [m.variable(c) for c in g["colmiss"]]
        g["out"] = [g["x"][a:b] for a, b in zip(g["ptr"], g["ptr"][1:])]
        g["in"] = [[] for _ in g["colmiss"]]
        for x, j in zip(g["x"], g["col"]):
            g["in"][j].append(x)
        for x, end in zip(g["out"] + g["in"], g["death"] + g["birth"]):
            m.equation(x + [end], [], 1)
    binary = len(m.cost)
    for left, right, block in zip(gaps, gaps[1:], inst["blocks"]):
        for j, start in enumerate(block["ptr"][:-1]):
            ins = left["in"][j] + [left["birth"][j]]
            outs = right["out"][j] + [right["death"][j]]
            width = len(outs)
            y = [[m.variable(block["d"][start + r * width + s]) for s in range(width)] for r in range(len(ins))]
            for r, x in enumerate(ins):
                m.equation(y[r], [x], 0)
            for s, x in enumerate(outs):
                m.equation([row[s] for row in y], [x], 0)
    return m, binary


def solve(inst, seconds):
    m, binary = build(inst)
    if not m.cost:
        return {"lp": 0, "milp": 0, "proven": 0}
    a = csr_matrix((m.value, (m.row, m.col)), shape=(len(m.rhs), len(m.cost)))
    lp = linprog(m.cost, A_eq=a, b_eq=m.rhs, bounds=(0, 1), method="highs")
    if lp.status == 2:
        return {"infeasible": True}
    integral = np.arange(len(m.cost)) < binary
    if np.all(np.abs(lp.x - np.round(lp.x)) < 1e-7):
        return {"lp": lp.fun, "milp": lp.fun, "proven": lp.fun}
    ip = milp(m.cost, constraints=LinearConstraint(a, m.rhs, m.rhs), bounds=Bounds(0, 1),
              integrality=integral.astype(int), options={"time_limit": seconds, "mip_rel_gap": 1e-9})
    if ip.status == 2:
        return {"lp": lp.fun, "infeasible": True}
    return {"lp": lp.fun, "milp": ip.fun, "proven": ip.mip_dual_bound}


if __name__ == "__main__":
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 60
    with open(sys.argv[1]) as lines:
        for line in lines:
            print(json.dumps(solve(json.loads(line), seconds)), flush=True)
