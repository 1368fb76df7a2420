package scenario

import (
	"math"
	"testing"

	"mtt/internal/rng"
)

// Inside the disc the turn per step has standard deviation 0.02/√0.19 and
// correlation 0.9 with the next.
func TestHelmTurnRate(t *testing.T) {
	for _, dim := range []int{2, 3} {
		var h helm
		h.draw(rng.Stream(1, "test/helm"), dim)
		const n = 200000
		var sum2, product, last float64
		for range n {
			h.turn(&[3]float64{}, 1, dim)
			sum2 += h.rate[0] * h.rate[0]
			product += h.rate[0] * last
			last = h.rate[0]
		}
		if sd := math.Sqrt(sum2 / n); math.Abs(sd-0.0459) > 0.001 {
			t.Errorf("dim %d: standard deviation %g, want 0.0459", dim, sd)
		}
		if rho := product / sum2; math.Abs(rho-0.9) > 0.005 {
			t.Errorf("dim %d: correlation %g, want 0.9", dim, rho)
		}
		for i := range h.axes {
			for j := range h.axes {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := dot(&h.axes[i], &h.axes[j]); math.Abs(got-want) > 1e-15 {
					t.Errorf("dim %d: after %d steps axes %d and %d have product %g", dim, n, i, j, got)
				}
			}
		}
	}
}

// Outside the disc the heading turns by 0.12 rad towards the centre, and less
// only to end up pointing at it.
func TestHelmSteersBack(t *testing.T) {
	for _, dim := range []int{2, 3} {
		for seed := range uint64(100) {
			var h helm
			r := rng.Stream(seed, "test/helm")
			h.draw(r, dim)
			pos := direction(r, dim)
			for i := range pos {
				pos[i] *= 100
			}
			off := func() float64 { return math.Acos(max(-1, min(1, -dot(&h.axes[0], &pos)/100))) }
			for range 30 {
				before := off()
				h.turn(&pos, 10, dim)
				// To first order in space, where the two turns do not commute.
				if want := max(0, before-turnBack); math.Abs(off()-want) > 0.004 {
					t.Fatalf("dim %d, seed %d: angle to the centre %g, then %g; want %g", dim, seed, before, off(), want)
				}
			}
		}
	}
}

func TestHelmHeadingStraightAway(t *testing.T) {
	h := helm{r: rng.Stream(1, "test/helm"), axes: [3][3]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}
	h.turn(&[3]float64{5, 0, 0}, 1, 2)
	if got := math.Atan2(h.axes[0][1], h.axes[0][0]); math.Abs(got-turnBack) > 1e-15 {
		t.Errorf("heading straight away from the centre turned by %g, want %g", got, turnBack)
	}
}

func TestSincos(t *testing.T) {
	for i := -1000; i <= 1000; i++ {
		x := float64(i) / 1000
		sin, cos := sincos(x)
		if math.Abs(sin-math.Sin(x)) > 3e-16 || math.Abs(cos-math.Cos(x)) > 3e-16 {
			t.Fatalf("sincos(%g) = %g, %g; want %g, %g", x, sin, cos, math.Sin(x), math.Cos(x))
		}
	}
}

func TestRotationIsOrthonormal(t *testing.T) {
	r := rng.Stream(1, "test/rotation")
	for range 1000 {
		m := rotation(rng.Quaternion(r))
		for i := range m {
			j, k := (i+1)%3, (i+2)%3
			for c := range m[i] {
				d, e := (c+1)%3, (c+2)%3
				if cross := m[j][d]*m[k][e] - m[j][e]*m[k][d]; math.Abs(cross-m[i][c]) > 1e-14 {
					t.Fatalf("rows of %v are not a right-handed orthonormal frame", m)
				}
			}
		}
	}
}
