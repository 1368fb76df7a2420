package dataset

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestYOLO: labels in pixels are the boxes of the same scene as COCO has it, and their table, which
// mtt export adds a column to, is read as what it was made of.
func TestYOLO(t *testing.T) {
	labels, coco := filepath.Join("..", "testdata", "street", "labels"), filepath.Join("..", "testdata", "coco.json")
	yolo, err := Read([]string{labels}, &Options{Image: [2]int{1280, 720}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Read([]string{coco}, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "table.csv")
	if err := os.WriteFile(path, yolo.Table, 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := Read([]string{path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []*Data{yolo, table} {
		if len(d.Scans) != len(want.Scans) {
			t.Fatalf("%s: %d scans, want %d", d.Format, len(d.Scans), len(want.Scans))
		}
		for k := range d.Scans {
			got, want := &d.Scans[k], &want.Scans[k]
			if got.Len() != want.Len() || got.Frame != want.Frame {
				t.Fatalf("%s: frame %d has %d detections, want frame %d with %d", d.Format, got.Frame, got.Len(), want.Frame, want.Len())
			}
			for i := range want.Pos {
				if math.Abs(got.Pos[i]-want.Pos[i]) > 1e-3 || math.Abs(got.Size[i]-want.Size[i]) > 2e-3 {
					t.Errorf("%s: frame %d: position %v, size %v; want %v and %v", d.Format, got.Frame, got.Pos, got.Size, want.Pos, want.Size)
				}
			}
			for i := range want.Conf {
				if got.Conf[i] != want.Conf[i] {
					t.Errorf("%s: frame %d: confidences %v, want %v", d.Format, got.Frame, got.Conf, want.Conf)
				}
			}
		}
	}
	if yolo.Unit != "px" || yolo.Image != [2]int{1280, 720} {
		t.Errorf("in %q, pictures of %v", yolo.Unit, yolo.Image)
	}
}

// TestFrameFiles: what folders with a file for each frame hold, or what is wrong with them, and where.
func TestFrameFiles(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		rows  int    // of all frames
		scans int    // frames
		ids   int    // targets
		wrong string // what the error holds
	}{
		{"with a gap", map[string]string{"v_1.txt": "0 .5 .5 .1 .2\n", "v_2.txt": "", "v_10.txt": "0 .5 .5 .1 .2\n1 .2 .2 .1 .1\n", "v_4.txt": "0 .1 .1 .1 .1", "classes.txt": "person\n"}, 4, 10, 0, ""},
		{"identities", map[string]string{"1.txt": "0 .5 .5 .1 .2 .9 7\n", "2.txt": "0 .5 .5 .1 .2 .8 7\n0 .1 .1 .1 .1 .8 9\n"}, 3, 2, 2, ""},
		{"identities without confidence", map[string]string{"1.txt": "0 .5 .5 .1 .2 1\n", "2.txt": "0 .5 .5 .1 .2 1\n0 .1 .1 .1 .1 2\n"}, 3, 2, 2, ""},
		{"tables", map[string]string{"f001.csv": "x,y\n1,2\n3,4\n", "f002.csv": "x,y\n1.5,2\n"}, 3, 2, 0, ""},
		{"other columns", map[string]string{"f001.csv": "x,y\n1,2\n", "f002.csv": "y,x\n1.5,2\n"}, 0, 0, 0, "f002.csv:1:1: the columns are other"},
		{"two videos", map[string]string{"a_1.txt": "0 .5 .5 .1 .2\n", "b_1.txt": "0 .5 .5 .1 .2\n"}, 0, 0, 0, "files of two kinds: a_1.txt and b_1.txt"},
		{"one frame twice", map[string]string{"1.txt": "0 .5 .5 .1 .2\n", "01.txt": "0 .5 .5 .1 .2\n"}, 0, 0, 0, "are of one frame"},
		{"pixels", map[string]string{"1.txt": "0 .5 .5 .1 .2\n0 500 300 20 40\n"}, 0, 0, 0, "1.txt:2:1: 500 is no share of the picture"},
		{"a polygon", map[string]string{"1.txt": "0 .5 .5 .1 .2\n", "2.txt": "0 .1 .1 .2 .1 .2 .2 .1 .2\n"}, 0, 0, 0, "2.txt:1:1: 9 numbers, 5 to 7 wanted"},
		{"nothing", map[string]string{"1.txt": "", "2.txt": ""}, 0, 0, 0, "no file holds a detection"},
	} {
		dir := t.TempDir()
		for name, content := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		d, err := Read([]string{dir}, nil)
		if c.wrong != "" {
			if _, ok := errors.AsType[*SyntaxError](err); !ok || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.wrong)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		checkData(t, d)
		rows := 0
		for k := range d.Scans {
			rows += d.Scans[k].Len()
		}
		if rows != c.rows || len(d.Scans) != c.scans || len(d.Truth) != c.ids {
			t.Errorf("%s: %d detections in %d scans, %d targets; want %d, %d, %d", c.name, rows, len(d.Scans), len(d.Truth), c.rows, c.scans, c.ids)
		}
		if !IsLabels(dir) {
			t.Errorf("%s: taken for a folder of scenes", c.name)
		}
	}
	if IsLabels(filepath.Join("..", "testdata")) {
		t.Error("a folder of tables is taken for one scene")
	}
}

// TestCOCO: the frame of a picture, and what is wrong with others.
func TestCOCO(t *testing.T) {
	const box = `"annotations":[{"image_id":5,"bbox":[1,2,3,4],"track_id":3},{"image_id":9,"bbox":[2,2,3,4],"track_id":3},{"image_id":9,"bbox":[0,0,9,9],"iscrowd":1,"track_id":4}]}`
	for _, c := range []struct{ name, text, wrong string }{
		{"by name", `{"info":{},"images":[{"id":9,"file_name":"a/img_0002.jpg"},{"id":5,"file_name":"a/img_0001.jpg"}],` + box, ""},
		{"by frame_id", `{"images":[{"id":9,"file_name":"x","frame_id":2},{"id":5,"file_name":"x","frame_id":1}],` + box, ""},
		{"by order", `{"images":[{"id":9,"file_name":"b.jpg"},{"id":5,"file_name":"a.jpg"}],` + box, ""},
		{"no picture", `{"images":[{"id":5,"file_name":"1.jpg"}],` + box, "annotation 2 is of image 9, which is not there"},
		{"two videos", `{"images":[{"id":9,"video_id":1},{"id":5,"video_id":2}],` + box, "images of two videos: 1 and 2"},
		{"a short box", `{"images":[{"id":9}],"annotations":[{"image_id":9,"bbox":[1,2,3]}]}`, "the bbox of annotation 1 has 3 numbers"},
		{"no boxes", `{"images":[{"id":9}],"annotations":[]}`, "1 images and 0 annotations"},
		{"cut short", `{"images":[{"id":9}],"annotations":[{"image`, "JSON: unexpected EOF"},
	} {
		s, err := parse("coco.json", strings.NewReader(c.text), 0, &Options{})
		var d *Data
		if err == nil {
			d, err = s.alone(&Options{})
		}
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: error %v, want one with %q", c.name, err, c.wrong)
			}
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case len(d.Scans) != 2 || len(d.Truth) != 1 || d.Scans[0].Pos[0] != 2.5 || d.Scans[1].Pos[0] != 3.5 || d.Scans[1].Len() != 1:
			t.Errorf("%s: scans %v, truth %v", c.name, d.Scans, d.Truth)
		}
	}
}
