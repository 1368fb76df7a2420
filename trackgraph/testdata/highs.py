"""Solves the integer programmes of .lp files with HiGHS, by way of scipy: one line of JSON each.

Reads the subset of the LP format that trackgraph writes.
"""
import json, re, sys, time
import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_matrix


def read(path):
    names, objective = {}, {}
    rows, cols, data, low, high = [], [], [], [], []
    zero, part, text = [], None, ""

    def number(v):
        return names.setdefault(v, len(names))

    def terms(s):
        return [(float(c) * (-1 if sign == "-" else 1), number(v))
                for sign, c, v in re.findall(r"([+-]) (\S+) ([a-z]\w*)", s)]

    def finish(s):
        if not s:
            return
        s = s.split(":", 1)[1]
        if part == "Minimize":
            for c, v in terms(s):
                objective[v] = objective.get(v, 0) + c
            return
        left, sense, right = re.match(r"(.*?) (<=|>=|=) (\S+)$", s, re.S).groups()
        r = len(low)
        for c, v in terms(left):
            rows.append(r), cols.append(v), data.append(c)
        right = float(right)
        low.append(-np.inf if sense == "<=" else right)
        high.append(np.inf if sense == ">=" else right)

    for line in open(path):
        line = line.rstrip("\n")
        if line.startswith("\\"):
            continue
        if line in ("Minimize", "Subject To", "Bounds", "Binary", "End"):
            finish(text)
            part, text = line, ""
        elif part in ("Minimize", "Subject To"):
            if ":" in line:
                finish(text)
                text = line
            else:
                text += line
        elif part == "Bounds":
            zero.append(number(line.split()[0]))
    n = len(names)
    c = np.zeros(n)
    for v, x in objective.items():
        c[v] = x
    upper = np.ones(n)
    upper[zero] = 0
    return c, coo_matrix((data, (rows, cols)), shape=(len(low), n)).tocsr(), low, high, upper


for path in sys.argv[1:]:
    c, A, low, high, upper = read(path)
    out = {"file": path}
    for what, integer in (("lp", 0), ("ip", 1)):
        began = time.process_time()
        s = milp(c, constraints=LinearConstraint(A, low, high), bounds=Bounds(np.zeros(len(c)), upper),
                 integrality=np.full(len(c), integer), options={"mip_rel_gap": 0, "time_limit": 600})
        out[what] = None if s.fun is None else float(s.fun)
        out[what + "_status"] = int(s.status)
        out[what + "_seconds"] = round(time.process_time() - began, 3)
    print(json.dumps(out), flush=True)
