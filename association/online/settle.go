package online

import (
	"cmp"
	"slices"

	"mtt"
	"mtt/association/chain"
	"mtt/internal/slab"
)

// This file settles links and numbers tracks.

// names are the tracks that have a detection in the window. Who has none there any more cannot go
// on, and leaves its place to another, so that they take memory for as many tracks as the window
// has.
type names struct {
	list  []name
	free  []int32
	taken int // Takes so far
	from  int // scans that have left the window
}

// A name is that of a track.
type name struct {
	number int // from 1
	last   int // the scan of its last detection, from the first of all on
	part   int // where it is in tracks
	taken  int // Takes when it was put there
}

// add makes a name.
func (n *names) add(number int) (id int32) {
	if last := len(n.free) - 1; last >= 0 {
		id, n.free = n.free[last], n.free[:last]
	} else {
		id, n.list = int32(len(n.list)), append(n.list, name{})
	}
	n.list[id] = name{number: number, taken: -1, last: -1}
	return id
}

// drop forgets the first scan of the window, whose detections have those names.
func (n *names) drop(ids []int32) {
	for _, id := range ids {
		if id >= 0 && n.list[id].last == n.from {
			n.free = append(n.free, id)
		}
	}
	n.from++
}

// forget forgets all.
func (n *names) forget() { n.list, n.free, n.from = n.list[:0], n.free[:0], 0 }

// read lists the detections of scan t in the order in which they came, in the memory of list.
func (k *Tracker) read(list []int32, t int) []int32 {
	list = slab.Grow(list, len(k.orders[t]))
	if t < k.thin { // some are missing
		for i := range list {
			list[i] = int32(i)
		}
		slices.SortFunc(list, func(a, b int32) int { return cmp.Compare(k.orders[t][a], k.orders[t][b]) })
		return list
	}
	for i, n := range k.orders[t] {
		list[n] = int32(i)
	}
	return list
}

// settleNext settles the scan whose time has come. Of a warm-up that is tracked again it is none
// before all of its scans tell what began in them.
func (k *Tracker) settleNext() {
	n := k.w.Len()
	if !k.lesson.steady || k.known > 1 {
		return
	}
	last := n - 1 - k.opts.Lag
	first := max(0, last)
	if k.known > 0 {
		first = 0
	}
	for t := first; t <= last; t++ {
		k.settle(t)
	}
}

// settle puts the detections of scan t on the tracks of those before them, as the links
// are now. A track that has gone on to another detection since is kept for who continues
// that, if both would have it. New tracks are numbered in the order in which their detections came.
func (k *Tracker) settle(t int) {
	prev := k.w.Links().Prev[t]
	var begin, late []int32 // detections that begin tracks; that continue one that has gone on
	for i, p := range prev {
		if p.T < 0 || k.ids[t][i] >= 0 {
			continue
		}
		switch id := k.ids[p.T][p.Det]; {
		case id < 0:
			if before := k.w.Links().Prev[p.T][p.Det]; before.T >= 0 { // found only since the one between was settled
				if id = k.ids[before.T][before.Det]; id >= 0 && k.list[id].last == k.from+int(before.T) {
					k.put(id, p)
					k.put(id, chain.At(t, i))
					continue
				}
			}
			begin = append(begin, int32(i))
		case k.list[id].last == k.from+int(p.T):
			k.put(id, chain.At(t, i))
		default:
			late = append(late, int32(i))
		}
	}
	asRead := func(a, b int32) int { return cmp.Compare(k.orders[t][a], k.orders[t][b]) }
	slices.SortFunc(begin, asRead)
	for _, i := range begin {
		k.count++
		id := k.add(k.count)
		k.put(id, prev[i])
		k.put(id, chain.At(t, int(i)))
	}
	slices.SortFunc(late, asRead)
	for _, i := range late {
		if id := k.ids[prev[i].T][prev[i].Det]; k.list[id].last != k.from+t {
			k.put(id, chain.At(t, int(i)))
		}
	}
}

// put appends a detection to a track.
func (k *Tracker) put(id int32, at chain.Node) {
	k.ids[at.T][at.Det] = id
	scan, n := k.w.Scan(int(at.T)), &k.list[id]
	if now := k.from + int(at.T); n.last >= 0 {
		k.lapses.add(n.last, now)
	}
	n.last = k.from + int(at.T)
	if n.taken != k.taken {
		if k.tracks == nil && k.usual > 0 {
			k.tracks, k.times = make([]mtt.Track, 0, k.usual), make([][]float64, 0, k.usual)
		}
		n.part, n.taken = len(k.tracks), k.taken
		k.tracks, k.times = append(k.tracks, mtt.Track{ID: n.number, Dim: scan.Dim}), append(k.times, nil)
	}
	track := &k.tracks[n.part]
	track.Append(scan, int(at.Det))
	det := int(k.orders[at.T][at.Det])
	track.Hits[len(track.Hits)-1].Det = det
	k.seen(track, scan.Frame, det)
	k.times[n.part] = append(k.times[n.part], scan.Time)
}
