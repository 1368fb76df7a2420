package pool

// This file tests that bytes are cut where Beam's own decoder ends an element.

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/mtime"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/exec"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

// TestElementEnds encodes windowed keys and values by Beam's encoder.
func TestElementEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	text := func() string { return string(bytes.Repeat([]byte("x"), r.IntN(300))) }
	for name, c := range map[string]struct {
		coder *coder.Coder
		value func() any
	}{
		"varint": {coder.NewVarInt(), func() any { return int64(math.Exp(40*r.Float64())) - 1e6 }},
		"string": {coder.NewString(), func() any { return text() }},
		"bytes":  {coder.NewBytes(), func() any { return []byte(text()) }},
		"double": {coder.NewDouble(), func() any { return r.Float64() }},
		"bool":   {coder.NewBool(), func() any { return r.IntN(2) == 0 }},
		"kv": {coder.NewKV([]*coder.Coder{coder.NewVarInt(), coder.NewString()}), func() any {
			return &exec.FullValue{Elm: int64(r.IntN(1e9)), Elm2: text()}
		}},
	} {
		windowed := coder.NewW(c.coder, coder.NewGlobalWindow())
		ids, coders, err := graphx.MarshalCoders([]*coder.Coder{windowed})
		if err != nil {
			t.Fatal(err)
		}
		var data bytes.Buffer
		var want []int
		values := exec.MakeElementEncoder(c.coder)
		for range 50 {
			pane := typex.PaneInfo{Timing: typex.PaneTiming(1 + r.IntN(3)), Index: int64(r.IntN(3)), NonSpeculativeIndex: int64(r.IntN(3))}
			err := exec.EncodeWindowedValueHeader(exec.MakeWindowEncoder(coder.NewGlobalWindow()), window.SingleGlobalWindow, mtime.ZeroTimestamp, pane, &data)
			if err != nil {
				t.Fatal(err)
			}
			v, ok := c.value().(*exec.FullValue)
			if !ok {
				v = &exec.FullValue{Elm: c.value()}
			}
			if err := values.Encode(v, &data); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			want = append(want, data.Len())
		}
		got, err := elementEnds(coders, ids[0], data.Bytes())
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: elements end at %v, %v; want %v", name, got, err, want)
		}
		if _, err := elementEnds(coders, ids[0], data.Bytes()[:data.Len()-1]); err == nil && name != "bool" {
			t.Errorf("%s: a last element without its last byte is taken for one", name)
		}
	}
}

// TestIterable cuts groups, whole and in pieces, which end with an empty one.
func TestIterable(t *testing.T) {
	spec := func(urn string, parts ...string) *pipepb.Coder {
		return &pipepb.Coder{Spec: &pipepb.FunctionSpec{Urn: urn}, ComponentCoderIds: parts}
	}
	coders := map[string]*pipepb.Coder{
		"text": spec("beam:coder:string_utf8:v1"), "list": spec("beam:coder:iterable:v1", "text"),
		"other": spec("somebody:else:v1"), "others": spec("beam:coder:iterable:v1", "other"),
	}
	whole := []byte{0, 0, 0, 2, 1, 'a', 2, 'b', 'c'}
	pieces := []byte{255, 255, 255, 255, 1, 1, 'a', 2, 0, 1, 'b', 0}
	ends, err := elementEnds(coders, "list", slices.Concat(whole, pieces, whole))
	if want := []int{9, 21, 30}; err != nil || !slices.Equal(ends, want) {
		t.Errorf("groups end at %v, %v; want %v", ends, err, want)
	}
	for _, bad := range [][]byte{{0, 0}, {127, 255, 255, 255, 1, 'a'}, whole[:8], {255, 255, 255, 255, 1, 1, 'a'}} {
		if ends, err := elementEnds(coders, "list", bad); err == nil {
			t.Errorf("%v is cut at %v", bad, ends)
		}
	}
	if _, err := elementEnds(coders, "others", whole); err == nil {
		t.Error("elements of an unknown coder are cut")
	}
}
