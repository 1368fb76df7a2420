package scenario

// This file holds the few vector operations of the package. Products that meet
// a sum are rounded by an explicit conversion, which keeps compilers from fusing
// them and results equal on all machines.

import (
	"math"
	"math/rand/v2"

	"mtt/internal/rng"
)

// norm is the Euclidean length of (x, y, z).
func norm(x, y, z float64) float64 {
	return math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
}

// unit is (x, y, z) at length one.
func unit(x, y, z float64) (ux, uy, uz float64) {
	w := norm(x, y, z)
	return x / w, y / w, z / w
}

// dot is the inner product of u and v.
func dot(u, v *[3]float64) float64 {
	return float64(u[0]*v[0]) + float64(u[1]*v[1]) + float64(u[2]*v[2])
}

// rotate turns the orthonormal u and v in their plane, u towards v, by the
// angle with the given sine and cosine.
func rotate(u, v *[3]float64, sin, cos float64) {
	for i := range u {
		ui, vi := u[i], v[i]
		u[i] = float64(cos*ui) + float64(sin*vi)
		v[i] = float64(cos*vi) - float64(sin*ui)
	}
}

// rotation is the matrix of the unit quaternion (w, x, y, z).
func rotation(w, x, y, z float64) [3][3]float64 {
	p := func(a, b float64) float64 { return 2 * float64(a*b) }
	return [3][3]float64{
		{1 - (p(y, y) + p(z, z)), p(x, y) + p(w, z), p(x, z) - p(w, y)},
		{p(x, y) - p(w, z), 1 - (p(x, x) + p(z, z)), p(y, z) + p(w, x)},
		{p(x, z) + p(w, y), p(y, z) - p(w, x), 1 - (p(x, x) + p(y, y))},
	}
}

// sincos is the sine and cosine of an angle of at most one radian either way,
// by Taylor's series to the 17th and 18th degree. The functions of package math
// may differ between machines in the last bit.
func sincos(angle float64) (sin, cos float64) {
	a2 := float64(angle * angle)
	sin, cos = 1.0/355687428096000, -1.0/6402373705728000 // 1/17!, -1/18!
	sin = -1.0/1307674368000 + float64(a2*sin)
	cos = 1.0/20922789888000 + float64(a2*cos)
	sin = 1.0/6227020800 + float64(a2*sin)
	cos = -1.0/87178291200 + float64(a2*cos)
	sin = -1.0/39916800 + float64(a2*sin)
	cos = 1.0/479001600 + float64(a2*cos)
	sin = 1.0/362880 + float64(a2*sin)
	cos = -1.0/3628800 + float64(a2*cos)
	sin = -1.0/5040 + float64(a2*sin)
	cos = 1.0/40320 + float64(a2*cos)
	sin = 1.0/120 + float64(a2*sin)
	cos = -1.0/720 + float64(a2*cos)
	sin = -1.0/6 + float64(a2*sin)
	cos = 1.0/24 + float64(a2*cos)
	cos = -1.0/2 + float64(a2*cos)
	return angle + float64(angle*float64(a2*sin)), 1 + float64(a2*cos)
}

// sincosTurns is the sine and cosine of an angle in turns.
func sincosTurns(p float64) (sin, cos float64) {
	quarter := math.Floor(4*p + 0.5)
	sin, cos = sincos(2 * math.Pi * (p - quarter/4))
	for range int(quarter-4*math.Floor(quarter/4)) & 3 {
		sin, cos = cos, -sin
	}
	return sin, cos
}

// cross is the vector product of u and v.
func cross(u, v *[3]float64) (w [3]float64) {
	for i := range w {
		j, k := (i+1)%3, (i+2)%3
		w[i] = float64(u[j]*v[k]) - float64(u[k]*v[j])
	}
	return w
}

// inBox draws a point uniform in the box [0, side]^dim.
func inBox(r *rand.Rand, dim int, side float64) (p [3]float64) {
	for i := range dim {
		p[i] = rng.Uniform(r, 0, side)
	}
	return p
}

// inBall draws a point uniform in the disc or ball of the given radius around
// the origin.
func inBall(r *rand.Rand, dim int, radius float64) (p [3]float64) {
	for {
		for i := range dim {
			p[i] = 2*r.Float64() - 1 // exact
		}
		if dot(&p, &p) < 1 {
			break
		}
	}
	for i := range p {
		p[i] = float64(radius * p[i])
	}
	return p
}

// inRing draws a point of the plane that is neither nearer than near nor farther than far, uniformly.
func inRing(r *rand.Rand, near, far float64) (p [3]float64) {
	const tries = 100 // in the disc; as good as never too few where the ring is a third of it
	for range tries {
		if p = inBall(r, 2, far); norm(p[0], p[1], 0) >= near {
			return p
		}
	}
	share := near / far
	square := float64(share*share) + float64(r.Float64()*float64((1-share)*(1+share)))
	radius := min(far*math.Sqrt(square), far)
	for i, x := range direction(r, 2) {
		p[i] = float64(radius * x)
	}
	return p
}

// direction draws a unit vector, uniform in angle.
func direction(r *rand.Rand, dim int) (u [3]float64) {
	if dim == 2 {
		u[0], u[1] = rng.Direction(r)
	} else {
		u[0], u[1], u[2] = rng.Direction3(r)
	}
	return u
}
