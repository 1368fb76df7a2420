package dataset

// This file reads frames that are named by the files of their pictures, such as img_00017.png.

import (
	"path"
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

// String is the name with … in place of its number.
func (n *named) String() string { return n.before + "…" + n.after }
