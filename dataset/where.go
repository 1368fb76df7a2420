package dataset

// This file reads some rows of a table, such as those of one of several recordings, and says where
// it holds several.

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pick has lines be read of which the columns say what where does, and the first lines be such,
// where there are some.
func (h *head) pick(where map[string]string) *SyntaxError {
	if len(where) == 0 {
		return nil
	}
	if h.title == nil {
		return &SyntaxError{File: h.name, Line: 1, Col: 1, Msg: "there are no column names, which --where needs"}
	}
	for _, name := range slices.Sorted(maps.Keys(where)) {
		c, e := h.find(name, h.title)
		if e != nil {
			return e
		}
		h.where = append(h.where, condition{c, where[name]})
	}
	rest := func(p peek) bool {
		return slices.ContainsFunc(h.where, func(is condition) bool { return is.column >= len(p.field) || p.field[is.column] != is.word })
	}
	if picked := slices.DeleteFunc(slices.Clone(h.lines), rest); len(picked) > 0 {
		h.lines = picked
	}
	return nil
}

// recordings are names of columns that say which recording a row is of.
var recordings = strings.Fields("video video_id video_name recording recording_id sequence sequence_id sequence_name seq seq_id clip clip_id movie movie_id " +
	"file filename file_name source_file session session_id trial trial_id experiment experiment_id run run_id well fov dataset replicate scene scene_id " + synonyms[device])

// isRecording says whether a column that is not read has such a name.
func (t *titled) isRecording(name string) bool {
	return slices.Contains(recordings, plainName(name)) && slices.Contains(t.ignored, name)
}

// mixed says which of several recordings rows are of that share frames or times: their targets
// would be linked with each other.
func (s *source) mixed(h *head, t *titled) {
	r := s.rows
	of := r.files
	if r.files = nil; t.files == 0 || len(t.recordings.text) < 2 {
		return
	}
	first := make(map[float64]int32, len(of)) // the recording of a frame
	for i, file := range of {
		at := 0.0
		if r.frame != nil {
			at = float64(r.frame[i])
		} else {
			at = r.time[i]
		}
		if before, ok := first[at]; !ok {
			first[at] = file
		} else if before != file {
			name, words := t.names[t.files-1], t.recordings.text
			also := ""
			if roleOf[plainName(name)] == device {
				also = "; if they are sensors that see the same targets, --sensors FILE describes them"
			}
			s.doubts = append(s.doubts, fmt.Sprintf("%s: column %s is not read, and says %q and %q in one frame (%d in all): if these are recordings, their targets are mixed up; --where %s=%s reads one%s",
				h.name, name, words[before-1], words[file-1], len(words), name, words[0], also))
			return
		}
	}
}
