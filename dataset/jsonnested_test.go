package dataset

// This file tests detections in JSON that stand in lists within others.

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestInShort: elements of long lists are not told one by one.
func TestInShort(t *testing.T) {
	for _, tt := range []struct{ names, want string }{
		{"a,b", "a, b"},
		{"q.0,q.1,q.2", "q.0, q.1, q.2"},
		{"q.0,q.1,q.2,q.3,w,q.5", "q.0 to q.3, w, q.5"},
		{"8,9,10,11,x1,x2", "8 to 11, x1, x2"},
		{"a.0.x,a.1.x,1a,,99999999999999999999", "a.0.x, a.1.x, 1a, , 99999999999999999999"},
	} {
		if got := inShort(strings.Split(tt.names, ",")); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.names, got, tt.want)
		}
	}
}

// TestNestedJSON: the same two points in three frames, as programs write them.
func TestNestedJSON(t *testing.T) {
	for _, tt := range []struct{ name, text, note string }{
		{"frames and detections", `{"fps": 2, "frames": [{"frame": 0, "detections": [{"x": 1, "y": 2}, {"x": 5, "y": 6}]},
			{"detections": [{"x": 2, "y": 2}, {"x": 6, "y": 6}], "frame": 1}, {"frame": 2, "detections": [{"x": 3, "y": 2}, {"x": 7, "y": 6}]}]}`, "another: frames, detections"},
		{"a frame on a line", `{"frame": 0, "objects": [{"x": 1, "y": 2}, {"x": 5, "y": 6}], "seen": [[1]]}
			{"frame": 1, "objects": [{"x": 2, "y": 2}, {"x": 6, "y": 6}], "seen": []}
			{"frame": 2, "objects": [{"x": 3, "y": 2}, {"x": 7, "y": 6}], "seen": []}`, "another: objects"},
		{"no frames said", `[{"points": [[1, 2], [5, 6]]}, {"points": [[2, 2], [6, 6]]}, {"points": [[3, 2], [7, 6]]}]`, "another: points"},
		{"messages of ROS", `{"header": {"stamp": {"sec": 1700000000, "nanosec": 0}}, "detections": [{"pose": {"position": {"x": 1, "y": 2, "z": 3}}}, {"pose": {"position": {"x": 5, "y": 6, "z": 3}}}]}
			{"header": {"stamp": {"sec": 1700000000, "nanosec": 500000000}}, "detections": [{"pose": {"position": {"x": 2, "y": 2, "z": 3}}}, {"pose": {"position": {"x": 6, "y": 6, "z": 3}}}]}
			{"header": {"stamp": {"sec": 1700000001, "nanosec": 0}}, "detections": [{"pose": {"position": {"x": 3, "y": 2, "z": 3}}}, {"pose": {"position": {"x": 7, "y": 6, "z": 3}}}]}`, "(added to the time)"},
		{"lists alone", `[[[1, 2], [5, 6]], [[2, 2], [6, 6]], [[3, 2], [7, 6]]]`, "within one another;"},
		{"frames by number", `{"0": [[1, 2], [5, 6]], "1": [[2, 2], [6, 6]], "2": [[3, 2], [7, 6]]}`, ""},
		{"frames by file", `{"frame_00.png": [[1, 2], [5, 6]], "frame_01.png": [[2, 2], [6, 6]], "frame_02.png": [[3, 2], [7, 6]]}`, ""},
		{"places in objects", `{"steps": [{"index": 7, "frame": 0, "boxes": [{"position": {"x": 1, "y": 2}, "mask": [[0]]}, {"position": {"x": 5, "y": 6}}]},
			{"frame": 1, "boxes": [{"position": {"x": 2, "y": 2}}, {"position": {"x": 6, "y": 6}}]}, {"frame": 2, "boxes": [{"position": {"x": 3, "y": 2}}, {"position": {"x": 7, "y": 6}}]}]}`, ""},
		{"boxes", `[{"frame": 0, "boxes": [{"bbox": [0, 1, 2, 2], "mask": [[0]]}, {"bbox": [4, 5, 2, 2]}]}, {"frame": 1, "boxes": [{"bbox": [1, 1, 2, 2]}, {"bbox": [5, 5, 2, 2]}]},
			{"frame": 2, "boxes": [{"bbox": [2, 1, 2, 2]}, {"bbox": [6, 5, 2, 2]}]}]`, "another: boxes"},
		{"boxes of four numbers", `{"frame": 0, "boxes": [[0, 1, 2, 2], [4, 5, 2, 2]]}
			{"frame": 1, "boxes": [[1, 1, 2, 2], [5, 5, 2, 2]]}
			{"frame": 2, "boxes": [[2, 1, 2, 2], [6, 5, 2, 2]]}`, "bbox.2 (as w)"},
		{"what boxes have beside them", `{"frame": 0, "xyxy": [[0, 1, 2, 3], [4, 5, 6, 7]], "scores": [0.5, 0.6], "labels": [1, 1], "size": [640, 480]}
			{"frame": 1, "xyxy": [[1, 1, 3, 3], [5, 5, 7, 7]], "scores": [0.5, 0.6], "labels": [1, 1], "size": [640, 480]}
			{"frame": 2, "xyxy": [[2, 1, 4, 3], [6, 5, 8, 7]], "scores": [0.5, 0.6], "labels": [1, 1], "size": [640, 480]}`, "columns read: frame, score (as conf), class, xyxy.0 (as left), xyxy.1 (as top), xyxy.2 (as right)"},
		{"results by sides", `[[{"name": "car", "box": {"x1": 0, "y1": 1, "x2": 2, "y2": 3}}, {"name": "car", "box": {"x1": 4, "y1": 5, "x2": 6, "y2": 7}}],
			[{"name": "car", "box": {"x1": 1, "y1": 1, "x2": 3, "y2": 3}}, {"name": "car", "box": {"x1": 5, "y1": 5, "x2": 7, "y2": 7}}],
			[{"name": "car", "box": {"x1": 2, "y1": 1, "x2": 4, "y2": 3}}, {"name": "car", "box": {"x1": 6, "y1": 5, "x2": 8, "y2": 7}}]]`, "box.x2 (as right)"},
		{"columns as lists", `{"frame": [0, 0, 1, 1, 2, 2], "x": [1, 5, 2, 6, 3, 7], "y": [2, 6, 2, 6, 2, 6]}`, ""},
		{"columns as objects", `{"frame": {"a": 0, "b": 0, "c": 1, "d": 1, "e": 2, "f": 2}, "x": {"a": 1, "b": 5, "c": 2, "d": 6, "e": 3, "f": 7}, "y": {"a": 2, "b": 6, "c": 2, "d": 6, "e": 2, "f": 6}}`, ""},
		{"a scan on a line, by elements", `{"t": 0, "x": [1, 5], "y": [2, 6], "size": [640, 480]}
			{"t": 1, "x": [2, 6], "y": [2, 6], "size": [640, 480]}
			{"t": 2, "x": [3, 7], "y": [2, 6], "size": [640, 480]}`, "another: x, y;"},
		{"scans without times, by elements", `{"fps": 2, "scans": [{"x": [1, 5], "y": [2, 6]}, {"x": [2, 6], "y": [2, 6]}, {"x": [3, 7], "y": [2, 6]}]}`, "another: scans, x, y;"},
		{"split", `{"columns": ["frame", "x", "y"], "index": [0], "data": [[0, 1, 2], [0, 5, 6], [1, 2, 2], [1, 6, 6], [2, 3, 2], [2, 7, 6]]}`, ""},
		{"of targets", `{"tracks": [{"id": 4, "points": [{"frame": 0, "x": 1, "y": 2}, {"frame": 1, "x": 2, "y": 2}, {"frame": 2, "x": 3, "y": 2}]},
			{"id": 9, "points": [{"frame": 0, "x": 5, "y": 6}, {"frame": 1, "x": 6, "y": 6}, {"frame": 2, "x": 7, "y": 6}]}]}`, "another: tracks, points"},
	} {
		name := filepath.Join(t.TempDir(), "points.json")
		if err := os.WriteFile(name, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		d, err := Read([]string{name}, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if len(d.Scans) != 3 {
			t.Errorf("%s: %d scans", tt.name, len(d.Scans))
			continue
		}
		for k := range d.Scans {
			if got, want := fmt.Sprint(d.Scans[k].Pos), fmt.Sprint([]float64{float64(1 + k), 2, float64(5 + k), 6}); got != want {
				t.Errorf("%s: scan %d is %s, want %s", tt.name, k, got, want)
			}
		}
		if notes := strings.Join(d.Notes, "; "); !strings.Contains(notes, tt.note) {
			t.Errorf("%s: %s, want %q", tt.name, notes, tt.note)
		}
		if targets := len(d.Truth); (tt.name == "of targets") != (targets == 2) {
			t.Errorf("%s: %d targets", tt.name, targets)
		}
	}
}

// TestElements: of lists that are longer in later scans than in all of the first nothing is lost, no
// element is an identity, an empty list is a scan, and lists that differ in length are refused.
func TestElements(t *testing.T) {
	var b strings.Builder
	for k := range 2 * peekLines {
		fmt.Fprintf(&b, "{\"t\": %d, \"x\": [1, 2, 3], \"y\": [4, 5, 6]}\n", k)
	}
	text := b.String() + "{\"t\": 100, \"x\": [], \"y\": []}\n{\"t\": 101, \"x\": [1, 2, 3, 7], \"y\": [4, 5, 6, 8]}\n"
	d := read(t, "scans.jsonl", text, nil)
	if n := len(d.Scans); n != 102 || d.Scans[100].Len() != 0 || !slices.Equal(d.Scans[101].Pos, []float64{1, 4, 2, 5, 3, 6, 7, 8}) || d.Truth != nil {
		t.Errorf("%d scans, the last %+v, %d targets", n, d.Scans[n-1], len(d.Truth))
	}
	sr := NewScanReader(strings.NewReader(text), "scans.jsonl", "jsonl", nil)
	for k := range d.Scans {
		scan, err := sr.Next()
		if err != nil || !slices.Equal(scan.Pos, d.Scans[k].Pos) {
			t.Fatalf("stream: %+v, %v", scan, err)
		}
	}
	_, err := NewScanReader(strings.NewReader(`{"t": 0, "x": [1, 2], "y": [1]}`), "scans.jsonl", "jsonl", nil).Next()
	if err == nil || !strings.Contains(err.Error(), "y has 1 elements, x has 2") {
		t.Error(err)
	}
}

// TestLateNames: what no object has among those that name the columns is not read, and it is said;
// targets side by side are not lost so.
func TestLateNames(t *testing.T) {
	var flat, wide strings.Builder
	for k := range 2 * peekLines {
		late, other := "", ""
		if k > peekLines {
			late, other = `, "z": 3, "note": 1`, `, "p4": {"x": 7, "y": 8}`
		}
		fmt.Fprintf(&flat, "{\"t\": %d, \"x\": 1, \"y\": 2%s}\n", k, late)
		fmt.Fprintf(&wide, "{\"t\": %d, \"p1\": {\"x\": 1, \"y\": 2}, \"p2\": {\"x\": 3, \"y\": 4}, \"p3\": {\"x\": 5, \"y\": 6}%s}\n", k, other)
	}
	noted(t, read(t, "flat.jsonl", flat.String(), nil), "columns are those of the first 50 objects; not read is what comes later: z\n")
	_, err := Read([]string{write(t, "wide.jsonl", wide.String())}, nil)
	if err == nil || !strings.Contains(err.Error(), "come later: p4.x, p4.y") {
		t.Error(err)
	}
	var b strings.Builder
	for k := range 3 * maxLate {
		fmt.Fprintf(&b, "{\"t\": %d, \"x\": 1, \"y\": 2, \"n%d\": 0}\n", k, k)
	}
	sr := NewScanReader(strings.NewReader(b.String()), "stream.jsonl", "jsonl", nil)
	for err = nil; err == nil; {
		_, err = sr.Next()
	}
	if n := len(sr.json.known); n != maxLate {
		t.Errorf("a stream keeps %d names", n)
	}
}

// TestNestedErrors: what cannot be understood is refused where it stands, and flat files are never
// read as nested ones.
func TestNestedErrors(t *testing.T) {
	for _, tt := range []struct {
		text, want string
	}{
		{`[{"a": [{"x": 1, "y": 1}], "b": [{"x": 1, "y": 1}]}]`, "a format that is not known"},
		{`[[[1, 2], [3, 4]], [[1, 2`, "was the file cut short?"},
		{`[[[1, 2], [3, 4]], 7]`, "7 stands where"},
		{strings.Repeat("[", 20) + "1,2" + strings.Repeat("]", 20), ""},
		{`[[[1, 2], [3, 4]], {"points": [{"x": 1, "y": 2}], "other": [{"x": 1, "y": 2}]}]`, ""},
	} {
		_, err := parse("points.json", strings.NewReader(tt.text), 0, &Options{})
		if err == nil && tt.want != "" || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.text, err, tt.want)
		}
	}
	_, err := Read([]string{write(t, "names.json", `[{"frame": 0, "detections": [{"xywh": [1, 2, 3, 4]}, {"xywh": [1, 2, 3, 4]}]}]`)}, nil)
	if err == nil || !strings.Contains(err.Error(), "its columns are frame, xywh.0, xywh.1, xywh.2, xywh.3:") {
		t.Errorf("names within lists: %v", err)
	}
	bomb := fmt.Sprintf(`{"frames": [{"frame": 1, "note": %q, "points": [%s[1, 2]]}]}`, strings.Repeat("a", 1<<16), strings.Repeat("[1, 2], ", 2000))
	if n, err := io.Copy(io.Discard, newNestedObjects("points.json", strings.NewReader(bomb), false)); err == nil || !strings.Contains(err.Error(), "become more than") {
		t.Errorf("a bomb: %d bytes, %v", n, err)
	}
	s, err := parse("points.json", strings.NewReader(`{"a": 1, "b": 2, "c": 3, "d": [[4, 5]]}`), 0, &Options{Columns: map[string]string{"x": "a", "y": "b", "frame": "c"}})
	if err != nil || s.rows.n != 1 || !slices.Equal(s.rows.pos, []float64{1, 2}) {
		t.Errorf("columns that were said: %v", err)
	}
}

// TestRepeated: of members of one name all but the last are repeated, however many there are.
func TestRepeated(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		members := make([]jsonMember, rng.IntN(2*fewNames))
		for i := range members {
			members[i].name = strconv.Itoa(rng.IntN(3 * fewNames))
		}
		again := repeated(members)
		for i, m := range members {
			want := slices.ContainsFunc(members[i+1:], func(later jsonMember) bool { return later.name == m.name })
			if got := again != nil && again[i]; got != want {
				t.Fatalf("member %d of %v is repeated: %t, want %t", i, members, got, want)
			}
		}
	}
}
