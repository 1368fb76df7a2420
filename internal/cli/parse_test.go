package cli

// This file tests that records read from JSON are those that were written.

import (
	"encoding/json"
	"testing"
)

// TestParseRecord reads what records write, and writes it again.
func TestParseRecord(t *testing.T) {
	r := Record{{Key: "b", Value: 1e-7}, {Key: "a", Value: 3}, {Key: "none", Value: nil}, {Key: "big", Value: uint64(1 << 63)}}
	r.Add("inside", Record{{Key: "x", Value: 0.1}, {Key: "y", Value: true}})
	r.Add("rows", []Record{{{Key: "gate", Value: 1.5}}, {{Key: "gate", Value: 2.0}}})
	r.Add("words", []string{"one", "two <&>"})
	r.Add("empty", []string{})
	r.Add("numbers", []float64{1, 2.5})
	want, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ParseRecord(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(back)
	if err != nil || string(got) != string(want) {
		t.Errorf("read %s, %v; want %s", got, err, want)
	}
	if list, ok := back[5].Value.([]Record); !ok || len(list) != 2 {
		t.Errorf("rows are %T", back[5].Value)
	}
	for _, bad := range []string{"", "{", "[1]", `{"a":}`, `{"a":1} {}`, `{"a":[1}`, `{"a":{"b":1}`} {
		if r, err := ParseRecord([]byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, r)
		}
	}
}
