package dense

import "math"

// This file holds the inner loops over one row, in Go. They say what the
// assembly must do, bit for bit, and are what runs where there is none.
//
// A column that is out of a scan has price -Inf and distance +Inf: its reduced
// cost is +Inf and never wins, so no loop looks at a mask. All slices of a call
// are at least as long as c.

// reduceGo sets d to the reduced costs c-v and returns the least of them, +Inf
// when there is none.
func reduceGo(d, c, v []float64) float64 {
	n := len(c)
	d, v = d[:n], v[:n]
	a, b := math.Inf(1), math.Inf(1)
	for len(c) >= 2 && len(d) >= 2 && len(v) >= 2 {
		x, y := c[0]-v[0], c[1]-v[1]
		d[0], d[1] = x, y
		if x < a {
			a = x
		}
		if y < b {
			b = y
		}
		c, d, v = c[2:], d[2:], v[2:]
	}
	if len(c) == 1 && len(d) == 1 && len(v) == 1 {
		x := c[0] - v[0]
		d[0] = x
		if x < a {
			a = x
		}
	}
	if b < a {
		return b
	}
	return a
}

// relaxGo offers each column the distance (c-v)+delta by way of row, which
// pred then names, and returns the least distance of all columns.
func relaxGo(d, c, v []float64, pred []int32, delta float64, row int32) float64 {
	n := len(c)
	d, v, pred = d[:n], v[:n], pred[:n]
	a, b := math.Inf(1), math.Inf(1)
	j := 0
	for ; j+1 < len(c) && j+1 < len(d) && j+1 < len(v) && j+1 < len(pred); j += 2 {
		x, y := d[j], d[j+1]
		if h := (c[j] - v[j]) + delta; h < x {
			x = h
			d[j], pred[j] = h, row
		}
		if h := (c[j+1] - v[j+1]) + delta; h < y {
			y = h
			d[j+1], pred[j+1] = h, row
		}
		if x < a {
			a = x
		}
		if y < b {
			b = y
		}
	}
	if j < n {
		x := d[j]
		if h := (c[j] - v[j]) + delta; h < x {
			x = h
			d[j], pred[j] = h, row
		}
		if x < a {
			a = x
		}
	}
	if b < a {
		return b
	}
	return a
}

// indexGo returns the first place of x in d, or len(d).
func indexGo(d []float64, x float64) int {
	for j, y := range d {
		if y == x {
			return j
		}
	}
	return len(d)
}

// twoLeastGo sets d to the reduced costs c-v and returns the least two of
// them, equal ones counted twice.
func twoLeastGo(d, c, v []float64) (least, second float64) {
	d, v = d[:len(c)], v[:len(c)]
	least, second = math.Inf(1), math.Inf(1)
	for j, x := range c {
		x -= v[j]
		d[j] = x
		if x < second {
			if x < least {
				least, second = x, least
			} else {
				second = x
			}
		}
	}
	return least, second
}

// columnsGo keeps the least two of the values c-u seen so far in each column.
func columnsGo(least, second, c []float64, u float64) {
	least, second = least[:len(c)], second[:len(c)]
	for j, x := range c {
		x -= u
		if x < second[j] {
			if x < least[j] {
				least[j], second[j] = x, least[j]
			} else {
				second[j] = x
			}
		}
	}
}

// lowerGo lowers each price to (c-u)+bar where that is less. A column that is
// not concerned has bar +Inf, others have 0.
func lowerGo(v, c, bar []float64, u float64) {
	v, bar = v[:len(c)], bar[:len(c)]
	for j, x := range c {
		if x = (x - u) + bar[j]; x < v[j] {
			v[j] = x
		}
	}
}

// magnitudeGo returns the largest magnitude of c and whether none is above
// limit or NaN; when one is, the magnitude means nothing.
func magnitudeGo(c []float64, limit float64) (most float64, ok bool) {
	ok = true
	for _, x := range c {
		x = math.Abs(x)
		if x > most {
			most = x
		}
		if !(x <= limit) {
			ok = false
		}
	}
	return most, ok
}

// cheapestGo lowers each price to the cost in c where that is less; pred then
// names row. It returns what magnitude does.
func cheapestGo(v, c []float64, pred []int32, row int32, limit float64) (most float64, ok bool) {
	v, pred = v[:len(c)], pred[:len(c)]
	for j, x := range c {
		if x < v[j] {
			v[j], pred[j] = x, row
		}
	}
	return magnitudeGo(c, limit)
}

// widenGo copies c into d.
func widenGo(d []float64, c []float32) {
	d = d[:len(c)]
	for j, x := range c {
		d[j] = float64(x)
	}
}

// belowGo lists in dst the places of c where c-v is below limit, and returns their
// number. dst is at least as long as c.
func belowGo(dst []int32, c, v []float64, limit float64) int {
	n := 0
	v, dst = v[:len(c)], dst[:len(c)]
	for j, x := range c {
		if x-v[j] < limit {
			dst[n] = int32(j)
			n++
		}
	}
	return n
}
