"""Checks the bounds of certificate.bin: python3 certificate.py certificate.bin

Prints a lower bound of the cost of every assignment, the cost of the one in
the file, and the SHA-256 of the problem, which solve.json says as well. It follows certificate.md and nothing else; sums are exact (fractions),
so it is slow, and right. It does not look at detections.csv and tracks.csv.
"""

import hashlib
import struct
import sys
from fractions import Fraction
from math import inf


def crc32c(data):
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    crc = 0xFFFFFFFF
    for b in data:
        crc = crc >> 8 ^ table[(crc ^ b) & 255]
    return crc ^ 0xFFFFFFFF


def sections(data):
    assert data[:8] in (b"MTTCERT\1", b"MTTCERT\2"), "not a certificate of version 1 or 2"
    at = 8
    while at < len(data):
        tag, index, length = struct.unpack_from("<4sIQ", data, at)
        end = at + 16 + length
        assert struct.unpack_from("<I", data, end)[0] == crc32c(data[at:end]), (tag, index, "checksum")
        yield tag, index, data[at + 16 : end]
        at = end + 4


class Gap:
    def __init__(self, payload, first, last):
        rows, cols, arcs, entries = struct.unpack_from("<IIIQ", payload)
        at = 20

        def take(kind, n):
            nonlocal at
            values = struct.unpack_from("<%d%s" % (n, kind), payload, at)
            at += struct.calcsize("<%d%s" % (n, kind))
            return [Fraction(x) if kind == "d" and x < inf else x for x in values]

        self.rows, self.cols = rows, cols
        self.ptr, self.col = take("I", rows + 1), take("i", arcs)
        self.cost, self.row_miss, self.col_miss = take("d", arcs), take("d", rows), take("d", cols)
        self.d = take("d", entries)
        zeros = [Fraction(0)] * (arcs + rows + cols)
        self.v, self.death = (zeros, zeros) if first else (take("d", arcs), take("d", rows))
        self.u, self.birth = (zeros, zeros) if last else (take("d", arcs), take("d", cols))
        self.price, self.next = take("d", cols), take("i", rows)
        assert at == len(payload), "length of a gap"
        self.heads = [[] for _ in range(cols)]  # arcs into each column
        for a, j in enumerate(self.col):
            self.heads[j].append(a)
        self.chosen = [None] * cols  # arc into each column
        for i, a in enumerate(self.next):
            if a >= 0:
                assert self.ptr[i] <= a < self.ptr[i + 1], "an arc of another node is chosen"
                assert self.chosen[self.col[a]] is None, "a node is entered twice"
                self.chosen[self.col[a]] = a

    def features(self, payload, left):
        """Makes the matrices of version 2 that the file does not store."""
        before, arcs = len(left.col), len(self.col)
        values = struct.unpack("<%dd" % (2 * before + 2 * arcs + self.rows), payload)
        values = [Fraction(x) if x < inf else x for x in values]
        ins, values = values[:before], values[before:]
        outs, birth, values = values[:arcs], values[arcs : 2 * arcs], values[2 * arcs :]
        death, alone = values[:before], values[before:]
        for j in range(self.rows):
            own = slice(self.ptr[j], self.ptr[j + 1])
            for a in left.heads[j]:
                self.d += [abs(ins[a] - y) for y in outs[own]] + [death[a]]
            self.d += birth[own] + [alone[j]]

    def bound(self):
        v = [min(p, m + b) for p, m, b in zip(self.price, self.col_miss, self.birth)]
        u = [m + b for m, b in zip(self.row_miss, self.death)]
        for i in range(self.rows):
            for a in range(self.ptr[i], self.ptr[i + 1]):
                u[i] = min(u[i], self.cost[a] + self.u[a] + self.v[a] - v[self.col[a]])
        return sum(u) + sum(v)

    def pays(self):
        return (
            sum(self.cost[a] if a >= 0 else miss for a, miss in zip(self.next, self.row_miss))
            + sum(miss for a, miss in zip(self.chosen, self.col_miss) if a is None)
        )


def blocks(left, gap):
    """The least reduced entry of all matrices between two gaps, and the cost of those chosen."""
    at, least, cost = 0, 0, 0
    for j in range(gap.rows):
        ins = left.heads[j] + [None]
        outs = list(range(gap.ptr[j], gap.ptr[j + 1])) + [None]
        values = []
        for a in ins:
            for b in outs:
                u = left.birth[j] if a is None else left.u[a]
                v = gap.death[j] if b is None else gap.v[b]
                values.append(gap.d[at] - u - v)
                if a == left.chosen[j] and (b if b is not None else -1) == gap.next[j]:
                    cost += gap.d[at]
                at += 1
        least += min(values)
    assert at == len(gap.d), "number of matrix entries"
    return least, cost


def start_sum(head, node):
    """Begins the sum of the problem with the detections and the nodes."""
    count = struct.unpack_from("<I", head, 84)[0]
    values = struct.unpack("<%di" % (len(node) // 4), node)
    detections, coasts, rest = values[:count], values[count : 2 * count], values[2 * count :]
    sums = hashlib.sha256(head[:32] + struct.pack("<q", count))
    at = 0
    for n, k in zip(detections, coasts):
        places = rest[at : at + k] + rest[len(rest) // 2 + at : len(rest) // 2 + at + k]
        sums.update(struct.pack("<%dq" % (2 + 2 * k), n, k, *places))
        at += k
    return sums


def add_to_sum(sums, payload, features):
    """Adds a gap without multipliers, prices and assignment."""
    rows, cols, arcs, entries = struct.unpack_from("<IIIQ", payload)
    whole = struct.unpack_from("<%dI" % (rows + 1), payload, 20) + struct.unpack_from("<%di" % arcs, payload, 24 + 4 * rows)
    sums.update(struct.pack("<%dq" % (4 + len(whole)), rows, cols, arcs, entries, *whole))
    at = 24 + 4 * rows + 4 * arcs
    sums.update(payload[at : at + 8 * (arcs + rows + cols + entries)])
    sums.update(struct.pack("<q", 0) if features is None else struct.pack("<q", 1) + features)


def main(name):
    parts = list(sections(open(name, "rb").read()))
    frames = struct.unpack_from("<I", parts[0][2], 84)[0]
    count = max(0, frames - 1)
    want = [(b"head", 0), (b"node", 0)] + [(b"gap ", p) for p in range(count)] + [(b"end ", 0)]
    features = {index: payload for tag, index, payload in parts if tag == b"feat"}
    parts = [part for part in parts if part[0] != b"feat"]
    assert [(tag, index) for tag, index, _ in parts] == want, "sections"
    lower = upper = Fraction(0)
    sums = start_sum(parts[0][2], parts[1][2])
    left = None
    for _, p, payload in parts[2:-1]:
        add_to_sum(sums, payload, features.get(p))
        gap = Gap(payload, p == 0, p == count - 1)
        if p in features:
            gap.features(features[p], left)
        lower, upper = lower + gap.bound(), upper + gap.pays()
        if left:
            least, cost = blocks(left, gap)
            lower, upper = lower + least, upper + cost
        left = gap
    print("lower_bound", float(lower))
    print("upper_bound", float(upper))
    print("costs_sha256", sums.hexdigest())


if __name__ == "__main__":
    main(sys.argv[1])
