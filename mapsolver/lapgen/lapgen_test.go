package lapgen

import (
	"hash/fnv"
	"math"
	"testing"
)

// TestStreams pins the matrices: published counts and times are about these.
func TestStreams(t *testing.T) {
	const n = 20
	want := map[string]uint64{
		"random":    0x54571bfdd1dd3e54,
		"geometric": 0x94dee81ff33b651f,
		"disjoint":  0x2014061362b02c7,
		"sanity":    0x539c3b7a1cac0e87,
		"rank 1":    0xd5bec4a2873ab885,
		"rank 2":    0xe8e9d94dea4bdfaa,
		"rank 4":    0xbf4d3c18b9f9aed0,
		"rank 8":    0xc580caba4f265f7f,
		"integers":  0x27651c8c548b270c,
	}
	check := func(name string, cost []float64) {
		if len(cost) != n*n {
			t.Fatalf("%s: %d costs", name, len(cost))
		}
		h := fnv.New64a()
		for _, x := range cost {
			b := math.Float64bits(x)
			for range 8 {
				h.Write([]byte{byte(b)})
				b >>= 8
			}
		}
		if got := h.Sum64(); got != want[name] {
			t.Errorf("%s: hash %#x, want %#x", name, got, want[name])
		}
	}
	for _, class := range Classes() {
		check(class.Name, class.Cost(n, 1))
	}
	check("integers", Integers(n, 50, 1))
}
