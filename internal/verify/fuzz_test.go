package verify

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
)

// FuzzCheck reads certificates that anybody may have written: whatever they hold, Check
// ends without a panic, and an accepted one has bounds in the right order.
func FuzzCheck(f *testing.F) {
	rng := rand.New(rand.NewPCG(15, 2))
	var right []*dossier
	for range 4 {
		c := randomInstance(rng, 2+rng.IntN(3), rng.NormFloat64)
		if rng.IntN(2) == 0 {
			featured(c, rng.NormFloat64)
		}
		ascend(f, c)
		d := &dossier{c: c, scans: scansOf(c)}
		d.tracks = tracksOf(c, d.scans)
		right = append(right, d)
		f.Add(d.bytes(f), byte(len(right)-1))
	}
	f.Fuzz(func(t *testing.T, file []byte, k byte) {
		d := right[int(k)%len(right)]
		res, err := Check(context.Background(), &Input{Scans: d.scans, Tracks: d.tracks, Certificate: bytes.NewReader(file)})
		if err != nil {
			t.Fatal(err)
		}
		if res.Valid && !(res.LowerBound <= res.UpperBound) {
			t.Errorf("accepted: %+v", res)
		}
	})
}
