package scenario

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"mtt"

	"pgregory.net/rapid"
)

// simulate fails the test on an error.
func simulate(t testing.TB, c Config) *Scene {
	t.Helper()
	s, err := Simulate(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// digest hashes every bit of scans and truth.
func digest(s *Scene) string {
	h := fnv.New64a()
	put := func(v any) { binary.Write(h, binary.LittleEndian, v) }
	for i := range s.Scans {
		c := &s.Scans[i]
		put(int64(c.Frame))
		put(c.Time)
		put(c.Pos)
		put(c.Vel)
		put(c.Cov)
		put(c.VelCov)
		put(c.Feat)
		if c.Sensor != 0 {
			put(int64(c.Sensor))
		}
	}
	for i := range s.Truth {
		k := &s.Truth[i]
		put(int64(k.ID))
		for _, hit := range k.Hits {
			put([]int64{int64(hit.Frame), int64(hit.Det)})
		}
		put(k.Pos)
		put(k.Vel)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// The digests were printed once by this package. They are the same on every
// machine and with every compiler flag (GOAMD64=v3, GOARCH=386, …); a change of
// the code that changes one changes the results of everyone who gave a seed.
func TestPinned(t *testing.T) {
	want := map[string]string{
		"burst2": "8670d79d30d0663b",
		"burst3": "6a121f3ef8dd819d",
		"arena2": "b1fb29c17cfc1f16",
		"arena3": "c8491521fa52cad1",
		"cross2": "526dc6b8aacc4109",
		"cross3": "896d8c26e033cfca",
		"steer2": "5e9ef9f8442d09db",
		"steer3": "0bab58d61391c3b8",
		"drift2": "e1ec5bde52bb7801",
		"drift3": "63a1e14b1781569e",

		"walk2":      "d007a778087ea5f8",
		"walk3":      "9efd8bc2f14990e8",
		"reverting2": "a1bb88b87c962af5",
		"reverting3": "b25d1b2ba28983e2",
		"turn2":      "bf1dbce131a66461",
		"turn3":      "f10923043fe01231",
		"bounce2":    "383d1ae502b31f39",
		"bounce3":    "22acd1daf92db311",
		"flow2":      "47538941e7f905ea",
		"flow3":      "6d4c2556cb1eb134",
		"cells2":     "5a592db156cd6a05",
		"cells3":     "6dddd526cd29a9af",
	}
	for _, k := range Kinds() {
		for _, dim := range []int{2, 3} {
			name := fmt.Sprintf("%s%d", k, dim)
			s := simulate(t, Config{
				Scene: k, Dim: dim, Targets: 40, Frames: 60, Seed: 1, Noise: 0.1, VelocityNoise: 0.2,
				Miss: 0.1, Clutter: 3, ClutterRadius: float64(4 * (dim - 2)), Births: 1,
			})
			if got := digest(s); got != want[name] {
				t.Errorf("%s has digest %s, want %s", name, got, want[name])
			}
		}
	}
}

// The same for what scenes may have besides.
func TestPinnedKnobs(t *testing.T) {
	base := Config{Scene: Drift, Targets: 20, Frames: 30, Seed: 1, Noise: 0.1, VelocityNoise: 0.2, Miss: 0.1, Clutter: 3}
	for _, tt := range []struct {
		name, want string
		change     func(c *Config)
	}{
		{"features", "f193c3f4a8c0061a", func(c *Config) { c.Features, c.FeatureNoise = 3, 0.3 }},
		{"features merged", "511e513a321f0d72", func(c *Config) { c.Features, c.FeatureNoise, c.MergeWithin = 3, 0.3, 2 }},
		{"uneven", "2aab601c9e649b90", func(c *Config) { c.Uneven = 0.7 }},
		{"jitter", "e3b184333b753ef5", func(c *Config) { c.Jitter = 0.2 }},
		{"both", "f446fc678472688f", func(c *Config) { c.Scene, c.Uneven, c.Jitter = Steer, 0.5, 0.2 }},
		{"still", "dde59b01094d8885", func(c *Config) { c.Still = 20 }},
		{"fast", "2154202a56f6660b", func(c *Config) { c.Fast, c.FastMin, c.FastMax = 0.5, 5, 10 }},
		{"ring", "8493cb8d40c96c01", func(c *Config) { c.Near, c.Far, c.Scene = 5, 20, Turn }},
		{"polar", "58f97b0c4f6e70c1", func(c *Config) { *c = *PolarConfig() }},
		{"rate", "2286572309721329", func(c *Config) {
			*c = *PolarConfig()
			c.Dim, c.Sensors[0].Place = 3, []float64{0, 0, 10}
			c.Sensors[0].Noise = map[string]float64{"range": 10, "bearing": 0.01, "elevation": 0.01, "range_rate": 1, "speed": 50}
		}},
		{"pair", "c5cf76e4bc24af50", func(c *Config) { *c = *PairConfig(); c.Jitter = 0.1; c.Features = 2 }},
	} {
		c := base
		tt.change(&c)
		if got := digest(simulate(t, c)); got != tt.want {
			t.Errorf("%s has digest %s, want %s", tt.name, got, tt.want)
		}
	}
}

// anyConfig draws a small config from the whole range of what is allowed.
func anyConfig(t *rapid.T) Config {
	c := Config{
		Scene:         rapid.SampledFrom(Kinds()).Draw(t, "scene"),
		Targets:       rapid.IntRange(1, 12).Draw(t, "targets"),
		Frames:        rapid.IntRange(1, 12).Draw(t, "frames"),
		Seed:          rapid.Uint64().Draw(t, "seed"),
		Dim:           rapid.IntRange(2, 3).Draw(t, "dim"),
		Degree:        rapid.SampledFrom([]int{0, 3, 4}).Draw(t, "degree"),
		Interval:      rapid.SampledFrom([]float64{0, 1e-6, 0.04, 3, 1e6}).Draw(t, "interval"),
		A0:            rapid.SampledFrom([]float64{0, 1e-12, 4, 100, 1e6}).Draw(t, "a0"),
		Spread:        rapid.SampledFrom([]float64{0, 1e-12, 10, 1e6}).Draw(t, "spread"),
		SpeedMax:      rapid.SampledFrom([]float64{0, 1e-12, 30, 1e6}).Draw(t, "speed"),
		Noise:         rapid.SampledFrom([]float64{0, 0.1, 1e6}).Draw(t, "noise"),
		VelocityNoise: rapid.SampledFrom([]float64{0, 0.1, 1e6}).Draw(t, "velocity noise"),
		NoVelocity:    rapid.Bool().Draw(t, "no velocity"),
		Miss:          rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "miss"),
		Clutter:       rapid.SampledFrom([]float64{0, 2}).Draw(t, "clutter"),
		ClutterRadius: rapid.SampledFrom([]float64{0, 4}).Draw(t, "clutter radius"),
	}
	c.Step = rapid.SampledFrom([]float64{0, 0.01, 10}).Draw(t, "step")
	c.Revert = rapid.SampledFrom([]float64{0, 1e-6, 30}).Draw(t, "revert")
	c.Fast = rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(t, "fast")
	c.Still = rapid.SampledFrom([]int{0, 3, 20}).Draw(t, "still")
	c.Uneven = rapid.SampledFrom([]float64{0, 0.7}).Draw(t, "uneven")
	c.Jitter = rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "jitter")
	c.Features = rapid.SampledFrom([]int{0, 1, 4}).Draw(t, "features")
	c.Classes = rapid.SampledFrom([]int{0, 1, 3}).Draw(t, "classes")
	if rapid.Bool().Draw(t, "ring") {
		c.Near, c.Far = 1, 100
	}
	c.Births = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "births") * float64(c.Targets)
	return c
}

// Whatever the config: all numbers are finite, speeds are constant but in Drift,
// chords are V·Interval, truth and scans point at each other, IDs have no holes, and
// Stream gives the frames of Simulate.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyConfig(t)
		s, err := Simulate(context.Background(), &c)
		if err != nil {
			t.Fatal(err)
		}
		cfg, dim := s.Config, s.Config.Dim
		if len(s.Scans) != cfg.Frames {
			t.Fatalf("%d scans, want %d", len(s.Scans), cfg.Frames)
		}
		used := make([]map[int]bool, cfg.Frames)
		for f := range s.Scans {
			scan := &s.Scans[f]
			used[f] = map[int]bool{}
			even := cfg.Uneven == 0 && cfg.Jitter == 0
			if scan.Frame != f || even && scan.Time != float64(f)*cfg.Interval || f > 0 && scan.Time <= s.Scans[f-1].Time || scan.Dim != dim {
				t.Fatalf("frame %d has number %d, time %g, dim %d", f, scan.Frame, scan.Time, scan.Dim)
			}
			if len(scan.Feat) != scan.Len()*cfg.Features || scan.Len() > 0 && scan.Validate() != nil {
				t.Fatalf("frame %d: %v; %d features", f, scan.Validate(), len(scan.Feat))
			}
			if (scan.Vel == nil) != cfg.NoVelocity || scan.Vel != nil && len(scan.Vel) != len(scan.Pos) {
				t.Fatalf("frame %d has %d positions and %d velocities", f, len(scan.Pos), len(scan.Vel))
			}
			for _, v := range append(scan.Pos[:len(scan.Pos):len(scan.Pos)], scan.Vel...) {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("frame %d holds %g", f, v)
				}
			}
		}
		for i := range s.Truth {
			k := &s.Truth[i]
			if k.ID != i+1 || k.Dim != dim || len(k.Hits) == 0 || len(k.Pos) != len(k.Hits)*dim || len(k.Vel) != len(k.Pos) && !cfg.Scene.wanders() {
				t.Fatalf("track %d has ID %d, %d hits, %d and %d numbers", i, k.ID, len(k.Hits), len(k.Pos), len(k.Vel))
			}
			if i < cfg.Targets && k.Hits[0].Frame != 0 {
				t.Fatalf("target %d of %d appears in frame %d", k.ID, cfg.Targets, k.Hits[0].Frame)
			}
			steady := cfg.Still == 0 && slices.Contains([]Kind{Burst, Arena, Cross, Steer, Turn, Bounce}, cfg.Scene)
			straight := steady && cfg.Scene != Turn && cfg.Scene != Bounce
			speed := 0.0
			if k.Vel != nil {
				speed = length(k.Vel[:dim])
			}
			low, high := cfg.SpeedMin, cfg.SpeedMax
			if cfg.Fast > 0 {
				low, high = min(low, cfg.FastMin), max(high, cfg.FastMax)
			}
			for h, hit := range k.Hits {
				if hit.Frame != k.Hits[0].Frame+h {
					t.Fatalf("target %d skips a frame before %d", k.ID, hit.Frame)
				}
				if steady {
					if v := length(k.Vel[h*dim : (h+1)*dim]); math.Abs(v-speed) > 1e-13*speed || v < low*(1-1e-13) || v > high*(1+1e-13) {
						t.Fatalf("target %d has speed %g, then %g", k.ID, speed, v)
					}
				}
				if h > 0 && straight {
					chord, size := 0.0, length(k.At(h))+length(k.At(h-1))
					for d := range dim {
						chord += (k.At(h)[d] - k.At(h - 1)[d]) * (k.At(h)[d] - k.At(h - 1)[d])
					}
					if want := speed * (s.Scans[hit.Frame].Time - s.Scans[hit.Frame-1].Time); math.Abs(math.Sqrt(chord)-want) > 1e-14*want+4e-16*size+1e-15*speed*s.Scans[hit.Frame].Time {
						t.Fatalf("target %d moves by %g, want %g", k.ID, math.Sqrt(chord), want)
					}
				}
				if hit.Det == -1 {
					continue
				}
				if hit.Det < 0 || hit.Det >= s.Scans[hit.Frame].Len() || used[hit.Frame][hit.Det] {
					t.Fatalf("target %d is detection %d of frame %d with %d", k.ID, hit.Det, hit.Frame, s.Scans[hit.Frame].Len())
				}
				used[hit.Frame][hit.Det] = true
				if cfg.Noise == 0 && !reflect.DeepEqual(s.Scans[hit.Frame].At(hit.Det), k.At(h)) {
					t.Fatalf("target %d at %v is seen without noise at %v", k.ID, k.At(h), s.Scans[hit.Frame].At(hit.Det))
				}
				if cfg.Miss == 1 {
					t.Fatalf("target %d is seen although every target is missed", k.ID)
				}
			}
		}
		streamed := Scene{Config: cfg, Scans: []mtt.Scan{}}
		for f, err := range Stream(context.Background(), &c) {
			if err != nil {
				t.Fatal(err)
			}
			streamed.Scans = append(streamed.Scans, f.Scan)
			streamed.add(f)
		}
		if !reflect.DeepEqual(*s, streamed) {
			t.Fatalf("Stream and Simulate differ")
		}
	})
}

// length is the Euclidean length of v.
func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

func TestLargeScene(t *testing.T) {
	for _, k := range Kinds() {
		if s := simulate(t, Config{Scene: k, Targets: 5000, Frames: 5, Cycle: 1e6}); s.Scans[4].Len() != 5000 {
			t.Errorf("%s: %d detections, want 5000", k, s.Scans[4].Len())
		}
	}
}

// The live heap while streaming must not depend on how many frames went by.
func TestStreamMemory(t *testing.T) {
	var after []uint64
	for f, err := range Stream(context.Background(), &Config{Scene: Steer, Targets: 200, Frames: 2001, Births: 2, Clutter: 20}) {
		if err != nil {
			t.Fatal(err)
		}
		if f.Scan.Frame%1000 == 0 {
			after = append(after, liveHeap())
		}
	}
	// A frame of 200 targets holds 20 kB; 1000 of them kept would be 20 MB.
	if grown := int64(after[2]) - int64(after[1]); grown > 200e3 {
		t.Errorf("live heap grew by %d bytes in 1000 frames", grown)
	}
}

// liveHeap is the number of bytes reachable.
func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkStream reports the time for one detection and the live heap at the
// last frame, which grows with targets but not with frames.
func BenchmarkStream(b *testing.B) {
	for _, k := range Kinds() {
		for _, size := range [][2]int{{1000, 50}, {1000, 500}, {10000, 50}} {
			b.Run(fmt.Sprintf("%s/n=%d/frames=%d", k, size[0], size[1]), func(b *testing.B) {
				c := Config{Scene: k, Targets: size[0], Frames: size[1], Noise: 0.1, VelocityNoise: 0.1}
				if k == Cells {
					c.Cycle = float64(c.Frames) // else their number doubles every 20 frames
				}
				var live uint64
				for b.Loop() {
					for f, err := range Stream(context.Background(), &c) {
						if err != nil {
							b.Fatal(err)
						}
						if f.Scan.Frame == size[1]-1 {
							b.StopTimer()
							live = liveHeap()
							b.StartTimer()
						}
					}
				}
				b.ReportMetric(float64(live), "live-B")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size[0]*size[1]), "ns/detection")
			})
		}
	}
}

// TestRing starts targets in rings as thin as may be: they are there at once, evenly.
func TestRing(t *testing.T) {
	for _, near := range []float64{0, 50, 90, 99.9, 100 * (1 - 1e-15)} {
		const far, n = 100, 20_000
		r := rand.New(rand.NewPCG(1, uint64(near)))
		inner, right := 0, 0
		for range n {
			p := inRing(r, near, far)
			d := norm(p[0], p[1], 0)
			if d < near*(1-1e-15) || d > far*(1+1e-15) {
				t.Fatalf("at %v, want %v to %v", d, near, far)
			}
			if d*d < (near*near+far*far)/2 {
				inner++
			}
			if p[0] > 0 {
				right++
			}
		}
		if s := 5 * math.Sqrt(n) / 2; near < 100*(1-1e-9) && math.Abs(float64(inner-n/2)) > s || math.Abs(float64(right-n/2)) > s {
			t.Errorf("from %v to %v: of %d, %d are within half of the area, %d on the right", near, float64(far), n, inner, right)
		}
	}
}
