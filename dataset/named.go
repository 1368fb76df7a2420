package dataset

// This file reads frames that are named by the files of their pictures, such as img_00017.png.

import (
	"path"
	"slices"
	"strings"
)

// A named frame is a name that differs from frame to frame in one number.
type named struct{ before, after string }

// namedAs is what the name has besides its number, the last one before its extension; nil where it
// is a number, or has none.
func namedAs(name string) *named {
	if _, ok := parseInt([]byte(name)); ok {
		return nil
	}
	if _, ok := parseFloat([]byte(name)); ok {
		return nil
	}
	base := strings.TrimSuffix(name, path.Ext(name))
	end := strings.LastIndexAny(base, digits) + 1
	if end == 0 {
		return nil
	}
	begin := len(strings.TrimRight(base[:end], digits))
	return &named{name[:begin], name[end:]}
}

const digits = "0123456789"

// number is the number in a name.
func (n *named) number(name string) (int, bool) {
	rest, ok := strings.CutPrefix(name, n.before)
	if rest, ok2 := strings.CutSuffix(rest, n.after); ok && ok2 && strings.Trim(rest, digits) == "" {
		return parseInt([]byte(rest))
	}
	return 0, false
}

// pictures has a column with names of pictures, which differ in a number, say the frame where nothing
// else says it or the time.
func (t *titled) pictures(h *head) {
	if slices.ContainsFunc(t.roles, func(r role) bool { return r == frame || r == stamp || r >= date && r <= second }) {
		return
	}
	for c, name := range t.names {
		if t.roles[c] == skip && slices.Contains(pictureColumns, plainName(name)) && !slices.Contains(t.unnamed, c) && h.numbersPictures(c) {
			t.roles[c] = frame
			return
		}
	}
}

var (
	pictureColumns    = strings.Fields("filename file_name file path image_name image_file image_path img_name img_path img")
	pictureExtensions = strings.Fields(".png .jpg .jpeg .tif .tiff .bmp .webp .gif .jp2 .ppm .pgm")
)

// numbersPictures says whether the fields of the column are names of pictures that differ in their number alone.
func (h *head) numbersPictures(c int) bool {
	var as *named
	numbers := make(map[int]bool)
	for _, p := range h.lines {
		if c >= len(p.field) || !slices.Contains(pictureExtensions, strings.ToLower(path.Ext(p.field[c]))) {
			return false
		}
		if as == nil {
			as = namedAs(p.field[c])
		}
		if as == nil {
			return false
		}
		k, ok := as.number(p.field[c])
		if !ok {
			return false
		}
		numbers[k] = true
	}
	return len(numbers) > 1
}

// String is the name with … in place of its number.
func (n *named) String() string { return n.before + "…" + n.after }
