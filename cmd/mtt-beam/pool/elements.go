package pool

// This file cuts the bytes of a bundle's input into elements. Elements stand one after the other
// without lengths; where one ends, its coder says. Lengths are those of the standard coders of the
// Beam model (beam_runner_api.proto, StandardCoders).

import (
	"encoding/binary"
	"errors"
	"fmt"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
)

var errShort = errors.New("pool: the bytes of an element are cut short")

// elementEnds are the offsets in data at which elements of the coder id end.
func elementEnds(coders map[string]*pipepb.Coder, id string, data []byte) ([]int, error) {
	var ends []int
	for at := 0; at < len(data); {
		n, err := elementLen(coders, id, data[at:])
		if err != nil {
			return nil, err
		}
		at += n
		ends = append(ends, at)
	}
	return ends, nil
}

// elementLen is the length of the first element of the coder id in data.
func elementLen(coders map[string]*pipepb.Coder, id string, data []byte) (int, error) {
	c := coders[id]
	at := 0
	var failed error
	take := func(n int) {
		if n < 0 || n > len(data)-at {
			failed = errShort
			n = 0
		}
		at += n
	}
	varint := func() uint64 {
		x, n := binary.Uvarint(data[at:])
		if n <= 0 {
			n = -1
		}
		take(n)
		return x
	}
	length := func() int { return int(min(varint(), uint64(len(data)))) }
	count := func() int {
		take(4)
		if failed != nil {
			return 0
		}
		return int(int32(binary.BigEndian.Uint32(data[at-4:])))
	}
	element := func(part int) {
		parts := c.GetComponentCoderIds()
		if failed != nil || part >= len(parts) {
			failed = errors.Join(failed, errShort)
			return
		}
		var n int
		if n, failed = elementLen(coders, parts[part], data[at:]); failed == nil {
			at += n
		}
	}
	switch urn := c.GetSpec().GetUrn(); urn {
	case "beam:coder:global_window:v1":
	case "beam:coder:bool:v1":
		take(1)
	case "beam:coder:double:v1", "beam:coder:interval_window:v1":
		take(8)
		if urn == "beam:coder:interval_window:v1" {
			varint()
		}
	case "beam:coder:varint:v1":
		varint()
	case "beam:coder:bytes:v1", "beam:coder:string_utf8:v1", "beam:coder:length_prefix:v1":
		take(length())
	case "beam:coder:kv:v1":
		element(0)
		element(1)
	case "beam:coder:iterable:v1", "beam:coder:state_backed_iterable:v1":
		n := count()
		for i := 0; i < n && failed == nil; i++ {
			element(0)
		}
		for more := n == -1; more && failed == nil; { // in pieces, the last of which is empty
			piece := length()
			for i := 0; i < piece && failed == nil; i++ {
				element(0)
			}
			more = piece > 0
		}
	case "beam:coder:windowed_value:v1", "beam:coder:param_windowed_value:v1":
		take(8) // the time
		windows := count()
		for i := 0; i < windows && failed == nil; i++ {
			element(1)
		}
		if failed == nil && at < len(data) { // the pane: up to two numbers follow its first byte
			numbers := int(data[at] >> 4)
			take(1)
			for range min(numbers, 2) {
				varint()
			}
		}
		element(0)
	default:
		failed = fmt.Errorf("pool: elements of coder %q cannot be told apart", urn)
	}
	return at, failed
}
