"""Tests of the package against the program: PYTHONPATH=python/src python3 -m unittest discover python/tests"""

import itertools
import unittest
import warnings

import numpy as np

import mtt


def scene(targets=6, frames=20, seed=1):
    """Crossing targets, 10 % missed, a false alarm in a frame: frame, identity (0 for none), positions."""
    rng = np.random.default_rng(seed)
    start, speed = rng.uniform(0, 100, (targets, 2)), rng.normal(0, 1.5, (targets, 2))
    rows = []
    for f in range(frames):
        for k in range(targets):
            if rng.random() > 0.1:
                rows.append((f, k + 1, *(start[k] + f * speed[k] + rng.normal(0, 0.1, 2))))
        rows.append((f, 0, *rng.uniform(0, 100, 2)))
    table = np.array(rows)[rng.permutation(len(rows))]
    return table[:, 0].astype(int), table[:, 1].astype(int), table[:, 2:]


class Track(unittest.TestCase):
    def test_arrays(self):
        frames, ids, xy = scene()
        answer = mtt.track(frames, xy)
        self.assertEqual(answer.status, "optimal")
        self.assertLessEqual(answer.lower_bound, answer.upper_bound + 1e-9)
        self.assertEqual(len(answer.track), len(frames))
        right = sum(ids[a] == ids[b] != 0 for a, b in answer.links)
        self.assertGreater(right, 0.95 * len(answer.links))
        for a, b in answer.links:
            self.assertLess(frames[a], frames[b])
        for k, rows in enumerate(answer.tracks):
            self.assertTrue((answer.track[rows] == k + 1).all())

    def test_same_in_any_order_and_form(self):
        frames, _, xy = scene()
        want = mtt.track(frames, xy).track
        order = np.random.default_rng(2).permutation(len(frames))
        again = mtt.track({"frame": frames[order], "x": xy[order, 0], "y": xy[order, 1]}).track
        np.testing.assert_array_equal(want[order], again)
        named = mtt.track({"T": frames, "centroid-0": xy[:, 1], "centroid-1": xy[:, 0]}, columns={"frame": "T", "y": "centroid-0", "x": "centroid-1"})
        np.testing.assert_array_equal(want, named.track)

    def test_index(self):
        """Levels of an index that have names are columns, as of a pandas frame after set_index or groupby."""
        frames, _, xy = scene(targets=3, frames=8)

        class Index:
            names = ["frame", None]

            def get_level_values(self, level):
                return {"frame": frames}[level]

        class Frame(dict):
            columns, index = ["x", "y"], Index()

        answer = mtt.track(Frame(x=xy[:, 0], y=xy[:, 1]))
        np.testing.assert_array_equal(answer.track, mtt.track(frames, xy).track)

    def test_frame(self):
        class Frame(dict):
            @property
            def columns(self):
                return list(self)

        frames, _, xy = scene(3, 8)
        table = Frame(time=0.5 * frames, x=xy[:, 0], y=xy[:, 1])
        table["x"] = np.where(np.arange(len(frames)) == 4, np.nan, table["x"])
        answer = mtt.track(table, engine="greedy", noise=0.1)
        self.assertEqual(answer.track[4], 0)
        self.assertEqual(answer.estimates["frames"] if "frames" in answer.estimates else 8, 8)

    def test_odd_times(self):
        rng = np.random.default_rng(5)
        times = np.cumsum(rng.choice([0.3, 0.5, 1.0, 1.7], 40))
        t = np.repeat(times, 3)
        xy = np.column_stack((np.tile([0.0, 30.0, 60.0], 40) + 2.0 * t, np.tile([5.0, 1.0, -4.0], 40) - t)) + rng.normal(0, 0.1, (120, 2))
        answer = mtt.track(t, xy)
        self.assertEqual(int(answer.track.max()), 3)
        self.assertEqual(len(answer.links), 3 * 39)

    def test_missing(self):
        """What is masked is not there: a position, a time, a field of a table."""
        frames, _, xy = scene(targets=3, frames=8)
        blank = xy.copy()
        blank[5] = np.nan
        want = mtt.track(frames, blank)
        self.assertEqual(want.track[5], 0)
        masked = np.ma.array(xy, mask=np.isnan(blank))
        late = np.ma.array(frames, mask=np.isnan(blank[:, 0]))
        for answer in (mtt.track(frames, masked), mtt.track(late, xy), mtt.track(np.where(late.mask, np.nan, 0.5 * frames), xy),
                       mtt.track({"frame": frames, "x": masked[:, 0], "y": xy[:, 1]})):
            np.testing.assert_array_equal(answer.track, want.track)
            np.testing.assert_array_equal(answer.links, want.links)

    def test_named_fields(self):
        """Arrays with named fields, plain and as np.recarray, columns of vectors, tables as of Arrow."""
        frames, _, xy = scene(targets=3, frames=8)
        want = mtt.track(frames, xy).track
        fields = np.zeros(len(frames), [("frame", int), ("pos", float, (2,))])
        fields["frame"], fields["pos"] = frames, xy

        class Arrow(dict):
            column_names = property(list)
            columns = property(lambda self: list(self.values()))

        for table in (np.rec.fromarrays([frames, xy[:, 0], xy[:, 1]], names="frame,x,y"), fields, {"frame": frames, "xy": xy},
                      Arrow(frame=frames, x=xy[:, 0], y=xy[:, 1])):
            np.testing.assert_array_equal(mtt.track(table).track, want)

    def test_spans(self):
        """Spans of time are seconds, whatever they are counted in."""
        frames, _, xy = scene(targets=3, frames=8)
        want = mtt.track(2.5 * frames, xy)
        for unit, per in (("ns", 2_500_000_000), ("ms", 2500)):
            span = (per * frames).astype(f"timedelta64[{unit}]")
            for answer in (mtt.track(span, xy), mtt.track({"time": span, "x": xy[:, 0], "y": xy[:, 1]})):
                np.testing.assert_array_equal(answer.track, want.track)
                self.assertEqual(answer.estimates["max_speed"], want.estimates["max_speed"])

    def test_nothing(self):
        """Of nothing there are no tracks."""
        for answer in (mtt.track([], []), mtt.track(np.empty(0, int), np.empty((0, 3))), mtt.track({"frame": [], "x": [], "y": []})):
            self.assertEqual((len(answer.track), answer.tracks, len(answer.links), answer.status), (0, [], 0, "optimal"))
        np.testing.assert_array_equal(mtt.track([0, 1], np.full((2, 2), np.nan)).track, [0, 0])

    def test_faults(self):
        with self.assertRaisesRegex(ValueError, "ndarray and there are no positions; wanted are two arrays"):
            mtt.track(np.zeros((4, 3)))
        with self.assertRaisesRegex(ValueError, "wanted is n×2 or n×3"):
            mtt.track([1, 2], [1, 2])
        with self.assertRaisesRegex(ValueError, "differ in length"):
            mtt.track([1, 2, 3], [[1, 2], [3, 4]])
        with self.assertRaisesRegex(mtt.MttError, "no column is named x") as caught:
            mtt.track({"frame": [1], "a": [2]})
        self.assertEqual(caught.exception.status, 2)


class Score(unittest.TestCase):
    def test_perfect_and_not(self):
        frames, ids, xy = scene()
        self.assertEqual(mtt.score((frames, ids, xy), (frames, ids, xy))["hota"], 100)
        answer = mtt.track(frames, xy)
        found = mtt.score((frames, ids, xy), (frames, answer.track, xy))
        self.assertGreater(found["mota"], 90)

    def test_faults(self):
        side = ([0, 1], [1, 1], [[0, 0], [1, 1]])
        with self.assertRaisesRegex(ValueError, "truth is of dict; wanted are three arrays"):
            mtt.score({"frame": [0, 1], "id": [1, 1], "x": [0, 1], "y": [0, 1]}, side)
        with self.assertRaisesRegex(ValueError, "tracks has 1 frames, 2 identities and 2 positions"):
            mtt.score(side, ([0], [1, 1], [[0, 0], [1, 1]]))

    def test_times(self):
        at = np.arange(4) * 0.5 + 100
        xy = np.arange(8.0).reshape(4, 2)
        ids = np.ones(4, int)
        self.assertEqual(mtt.score((at, ids, xy), (at, ids, xy))["mota"], 100)
        self.assertEqual(mtt.score((at, ids, xy), (at[1:], ids[1:], xy[1:]))["mota"], 75)
        whole = np.arange(4.0)
        self.assertEqual(mtt.score((whole, ids, xy), (whole.astype(int), ids, xy))["mota"], 100)
        days = np.datetime64("2024-03-01") + (at * 1000).astype("timedelta64[ms]")
        self.assertEqual(mtt.score((days, ids, xy), (days[1:], ids[1:], xy[1:]))["mota"], 75)

    def test_no_tracks(self):
        frames, ids, xy = scene()
        for tracks in (([], [], []), (frames, 0 * ids, xy)):
            self.assertEqual(mtt.score((frames, ids, xy), tracks)["idf1"], 0)

    def test_words(self):
        frames, ids, xy = scene()
        words = np.array([f"a{k}" if k else "" for k in ids])
        lost = np.where(ids == 1, 0, ids)
        want = mtt.score((frames, ids, xy), (frames, lost, xy))["hota"]
        for tracks in (np.where(ids == 1, "", words), np.array([f"b{k}" if k > 1 else None for k in ids], object), np.ma.array(words, mask=ids == 1)):
            self.assertEqual(mtt.score((frames, words, xy), (frames, tracks, xy))["hota"], want)

    def test_64_bits(self):
        long = np.array([2**53, 2**53 + 1, 2**53 + 1, 2**53])
        side = [0, 0, 1, 1], long, [[0, 0], [9, 9], [9, 9], [0, 0]]
        self.assertEqual(mtt.score(side, side)["idf1"], 100)

    def test_warnings(self):
        frames, ids, xy = scene()
        with self.assertWarnsRegex(RuntimeWarning, "one of the frame numbered .1: do both count frames from the same number"):
            mtt.score((frames, ids, xy), (frames + 1, ids, xy))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            mtt.score((frames, ids, xy), (frames, ids, xy))

    def test_masked(self):
        frames, ids, xy = scene()
        lost = np.where(ids == 1, 0, ids)
        want = mtt.score((frames, ids, xy), (frames, lost, xy))
        self.assertLess(want["hota"], 100)
        self.assertEqual(mtt.score((frames, ids, xy), (frames, np.ma.array(ids, mask=ids == 1), xy))["hota"], want["hota"])


class Assign(unittest.TestCase):
    def test_brute_force(self):
        rng = np.random.default_rng(3)
        for n, m in [(1, 1), (3, 3), (4, 6), (6, 4)]:
            costs = rng.integers(-9, 9, (n, m)).astype(float)
            rows, columns, total = mtt.assign(costs)
            self.assertEqual(len(rows), min(n, m))
            self.assertEqual(len(set(columns)), len(columns))
            self.assertAlmostEqual(costs[rows, columns].sum(), total)
            wide = costs if n <= m else costs.T
            best = min(sum(wide[i, p[i]] for i in range(len(wide))) for p in itertools.permutations(range(wide.shape[1]), len(wide)))
            self.assertAlmostEqual(total, best)
            self.assertAlmostEqual(mtt.assign(-costs, maximize=True)[2], -total)

    def test_sparse(self):
        """A matrix as SciPy keeps it, where what is not stored is forbidden, and a mask, which says the same."""

        class Sparse:  # [[1, 3, .], [0, 9, .], [., ., 12]]
            shape, ndim = (3, 3), 2
            data, indices, indptr = np.array([1, 3, 0, 9, 12]), np.array([0, 1, 0, 1, 2], np.int32), np.array([0, 2, 4, 5], np.int32)

            def tocsr(self):
                return self

        dense = np.ma.array([[1, 3, 0], [0, 9, 0], [0, 0, 12.0]], mask=[[0, 0, 1], [0, 0, 1], [1, 1, 0]])
        for costs in (Sparse(), dense):
            rows, columns, total = mtt.assign(costs)
            self.assertEqual((rows.tolist(), columns.tolist(), total), ([0, 1, 2], [1, 0, 2], 15))
            self.assertEqual(mtt.assign(costs, maximize=True)[2], 22)

    def test_scipy(self):
        try:
            from scipy import sparse
        except ImportError:
            self.skipTest("SciPy is not there")
        costs = np.array([[1, 3, 0], [2, 9, 0], [0, 0, 12.0]])
        for form in (sparse.csr_matrix, sparse.coo_matrix, sparse.csc_matrix, sparse.lil_matrix):
            self.assertEqual(mtt.assign(form(costs))[2], 17)

    def test_large_whole_costs(self):
        """Whole costs that floating-point numbers do not tell apart are warned of."""
        with self.assertWarnsRegex(RuntimeWarning, "beyond 2..53"):
            mtt.assign(np.array([[2**53 + 1, 2], [3, 4]]))

    def test_infeasible(self):
        with self.assertRaises(mtt.MttError) as caught:
            mtt.assign([[np.inf, np.inf], [1, 2]])
        self.assertEqual(caught.exception.status, 3)
        self.assertEqual(mtt.assign(np.empty((0, 3)))[2], 0)
        with self.assertRaises(ValueError):
            mtt.assign([1, 2])


if __name__ == "__main__":
    unittest.main()
