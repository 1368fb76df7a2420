package dataset

// This file reads the JSON of COCO: pictures and annotations with a box each, as a table.

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// cocoKeys are the members of an object that holds a data set in the form of COCO.
var cocoKeys = []string{"info", "licenses", "images", "annotations", "categories", "videos", "tracks", "type"}

// isCOCO says whether a file begins like a data set of COCO.
func isCOCO(first []byte) bool {
	d := json.NewDecoder(bytes.NewReader(first))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	key, err := d.Token()
	name, ok := key.(string)
	if err != nil || !ok || !slices.Contains(cocoKeys, name) || !bytes.Contains(first, []byte(`"images"`)) && !bytes.Contains(first, []byte(`"annotations"`)) {
		return false
	}
	token, err := d.Token()
	_, nested := token.(json.Delim)
	return err == nil && (nested || name == "type")
}

// A cocoImage is a picture.
type cocoImage struct {
	ID      json.Number `json:"id"`
	File    string      `json:"file_name"`
	Width   int         `json:"width"`
	Height  int         `json:"height"`
	Frame   *int        `json:"frame_id"`
	Video   json.Number `json:"video_id"`
	ordinal int
}

// A cocoBox is an annotation.
type cocoBox struct {
	Image    json.Number `json:"image_id"`
	Box      []float64   `json:"bbox"`
	Score    *float64    `json:"score"`
	Category json.Number `json:"category_id"`
	Track    json.Number `json:"track_id"`
	Instance json.Number `json:"instance_id"`
	Ignored  int         `json:"iscrowd"`
}

// newHeadCOCO is the head of a data set of COCO, as a table of boxes.
func newHeadCOCO(h *head) (*head, error) {
	images, boxes, err := readCOCO(h)
	if err != nil {
		return nil, err
	}
	bad := func(msg, hint string) error { return &SyntaxError{File: h.name, Msg: msg, Hint: hint} }
	if len(images) == 0 || len(boxes) == 0 {
		return nil, bad(fmt.Sprintf("%d images and %d annotations", len(images), len(boxes)), "the JSON of COCO has both; results alone are an array of objects with image_id and bbox")
	}
	if err := frames(images, bad); err != nil {
		return nil, err
	}
	of := make(map[json.Number]*cocoImage, len(images))
	size := [2]int{images[0].Width, images[0].Height}
	for i := range images {
		of[images[i].ID] = &images[i]
		if images[i].Width != size[0] || images[i].Height != size[1] {
			size = [2]int{}
		}
	}
	scored, tracked := false, false
	for i := range boxes {
		b := &boxes[i]
		b.Track = cmp.Or(b.Track, b.Instance)
		scored, tracked = scored || b.Score != nil, tracked || b.Track != ""
		switch {
		case of[b.Image] == nil:
			return nil, bad(fmt.Sprintf("annotation %d is of image %s, which is not there", i+1, cmp.Or(b.Image, "without id")), "")
		case len(b.Box) != 4:
			return nil, bad(fmt.Sprintf("the bbox of annotation %d has %d numbers", i+1, len(b.Box)), "a bbox is left, top, width and height")
		}
	}
	names := []string{"frame", "left", "top", "w", "h", "class"}
	if scored {
		names = append(names, "conf")
	}
	if tracked {
		names = append(names, "track_id")
	}
	var out jsonTable
	b := append(bytes.Clone(out.row(names)), '\n')
	for i := range boxes {
		row := []string{strconv.Itoa(of[boxes[i].Image].ordinal)}
		for _, v := range boxes[i].Box {
			row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
		}
		row = append(row, cmp.Or(boxes[i].Category, "0").String())
		if scored {
			s := 1.0
			if boxes[i].Score != nil {
				s = *boxes[i].Score
			}
			row = append(row, strconv.FormatFloat(s, 'g', -1, 64))
		}
		if tracked {
			row = append(row, boxes[i].Track.String())
		}
		b = append(append(b, out.row(row)...), '\n')
	}
	table := &head{name: h.name, body: bufio.NewReaderSize(bytes.NewReader(b), headSize), image: size, made: "coco", unit: "px", table: b}
	table.first = b[:min(len(b), headSize)]
	table.about = fmt.Sprintf("the JSON of COCO: %d images, %d annotations, boxes in pixels", len(images), len(boxes))
	whole := table.first
	if len(b) > headSize {
		whole = whole[:bytes.LastIndexByte(whole, '\n')+1]
	}
	return table, table.look(whole)
}

// readCOCO reads images and annotations; what is to be ignored is left out.
func readCOCO(h *head) (images []cocoImage, boxes []cocoBox, err error) {
	d := json.NewDecoder(h.body)
	fail := func(err error) error {
		return &SyntaxError{File: h.name, Line: 1, Msg: "JSON: " + err.Error(), Hint: "wanted is the form of COCO, with images and annotations"}
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, fail(err)
	}
	for d.More() {
		key, err := d.Token()
		if err == nil {
			switch key {
			case "images":
				err = d.Decode(&images)
			case "annotations":
				err = d.Decode(&boxes)
			default:
				err = d.Decode(&json.RawMessage{})
			}
		}
		if err != nil {
			return nil, nil, fail(err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, nil, fail(err)
	}
	return images, slices.DeleteFunc(boxes, func(b cocoBox) bool { return b.Ignored == 1 }), nil
}

// frames numbers the images: by what they say, by the numbers at the end of their files, or in
// order of their ids.
func frames(images []cocoImage, bad func(msg, hint string) error) error {
	said, numbered := true, true
	seen := make(map[int]bool, len(images))
	for i := range images {
		m := &images[i]
		if m.Video != images[0].Video {
			return bad(fmt.Sprintf("images of two videos: %s and %s", images[0].Video, m.Video), "give each video a file of its own")
		}
		said = said && m.Frame != nil
		base := strings.TrimSuffix(filepath.Base(m.File), filepath.Ext(m.File))
		number, err := strconv.Atoi(base[len(strings.TrimRight(base, "0123456789")):])
		numbered = numbered && err == nil && !seen[number]
		m.ordinal = number
		seen[number] = true
	}
	switch {
	case said:
		for i := range images {
			images[i].ordinal = *images[i].Frame
		}
	case !numbered:
		slices.SortFunc(images, func(a, b cocoImage) int {
			x, _ := a.ID.Int64()
			y, _ := b.ID.Int64()
			return cmp.Or(cmp.Compare(x, y), cmp.Compare(a.ID, b.ID))
		})
		for i := range images {
			images[i].ordinal = i
		}
	}
	return nil
}

// fitsCOCO wants a data set of COCO, which is a table by now.
func fitsCOCO(h *head, o *Options) *SyntaxError {
	if h.made != "coco" {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "no JSON with images and annotations"}
	}
	return fitsPoints(h, o)
}
