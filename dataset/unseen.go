package dataset

// This file tells frames that nobody looked at from those in which nothing was detected.

import (
	"cmp"
	"slices"

	"mtt"
	"mtt/internal/text"
)

// A roll counts the detections of the last scans with any, the latest first.
type roll [3]int

// crowd is the least number of detections expected in a scan with which chance leaves less than one scan in
// ten thousand without any: targets that are detected independently of each other, and false alarms, all
// fail to be there with probability e^−crowd at most. Fewer may be gone all at once, as people who walk together.
const crowd = 10

// maxPause is the most frames in a row that nobody looked at. After longer pauses it is mostly others who are
// there, and those who were are better taken for gone.
const maxPause = 10

// add notes a scan of n > 0 detections.
func (r *roll) add(n int) { r[2], r[1], r[0] = cmp.Or(r[1], n), cmp.Or(r[0], n), n }

// unseen reports whether nobody looked at the frames without detections, so many in a row, that come after the
// last scan. Targets that leave one after the other leave frames that were looked at.
func (r *roll) unseen(frames int) bool {
	return 0 < frames && frames <= maxPause && min(r[0], r[1], r[2]) >= crowd
}

// leave drops the scans that nobody looked at, and notes their frames.
func (d *draft) leave() {
	var r roll
	var unseen []int
	for k, pause := 0, 0; k < len(d.Scans); k++ {
		n := d.Scans[k].Len()
		if n == 0 {
			pause++
			continue
		}
		if r.unseen(pause) {
			for _, s := range d.Scans[k-pause : k] {
				unseen = append(unseen, s.Frame)
			}
		}
		pause = 0
		r.add(n)
	}
	if unseen == nil {
		return
	}
	d.Rows = withoutUnseen(d.Rows, d.Scans, unseen)
	d.Scans = withoutUnseen(d.Scans, d.Scans, unseen)
	d.Unseen, d.Uneven = unseen, true
	d.note("%s without a detection where those before have many: taken for frames that nobody looked at, not for targets that were missed", text.Count(len(unseen), "frame"))
}

// withoutUnseen is a list of one for each scan, such as the scans, without those of the unseen frames.
func withoutUnseen[E any](list []E, scans []mtt.Scan, unseen []int) []E {
	if len(unseen) == 0 || list == nil {
		return list
	}
	kept := make([]E, 0, len(list)-len(unseen))
	for k := range list {
		if _, gone := slices.BinarySearch(unseen, scans[k].Frame); !gone {
			kept = append(kept, list[k])
		}
	}
	return kept
}
