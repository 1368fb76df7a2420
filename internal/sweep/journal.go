package sweep

// This file keeps the finished tasks of a shard of a sweep: a file of lines, the
// first of which says what sweep and shard it belongs to, the others one task each.
// Lines are appended and synced as tasks end, so that an interrupted sweep, however
// it ended, goes on with what is missing; at the end they are put in order.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
)

// A Journal is the file of one shard.
type Journal struct {
	path string
	head []byte // its first line

	sweep Plan // in head

	mu   sync.Mutex
	file *os.File
	done map[int][]byte // task → line
}

// journalHead is the first line of a journal.
type journalHead struct {
	Sweep Plan `json:"sweep"`
	Shard int  `json:"shard"`
	Of    int  `json:"of"`
}

// journalName is the file of a shard.
func journalName(part Shard) string { return fmt.Sprintf("shard-%d-of-%d.jsonl", part.Index, part.Of) }

// OpenJournal opens the journal of a shard in the folder dir, or begins it. One of
// another sweep is a usage error. A line that was cut short is dropped.
func OpenJournal(dir string, plan *Plan, part Shard) (*Journal, error) {
	head, err := json.Marshal(journalHead{*plan, part.Index, part.Of})
	if err != nil {
		return nil, err
	}
	j := &Journal{path: filepath.Join(dir, journalName(part)), head: head, sweep: *plan, done: make(map[int][]byte)}
	old, err := readJournal(j.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case !bytes.Equal(old.head, head):
		return nil, cli.Usagef("%s is of another sweep, seed or version of mtt", j.path).
			Hinted("name another folder with --out, or remove that file")
	default:
		j.done = old.done
	}
	if err := j.write(); err != nil {
		return nil, err
	}
	j.file, err = os.OpenFile(j.path, os.O_APPEND|os.O_WRONLY, 0)
	return j, err
}

// readJournal reads the file at path.
func readJournal(path string) (*Journal, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{path: path, done: make(map[int][]byte)}
	for number, line := range bytes.Split(text, []byte("\n")) {
		if number == 0 {
			var head journalHead
			if err := json.Unmarshal(line, &head); err != nil || head.Of < 1 {
				return nil, cli.Usagef("%s:1: not the first line of a sweep", path)
			}
			if err := head.Sweep.possible(); err != nil {
				return nil, cli.Usagef("%s:1: %w", path, err)
			}
			j.head, j.sweep = line, head.Sweep
			continue
		}
		var row struct{ Task *int }
		if json.Unmarshal(line, &row) == nil && row.Task != nil {
			j.done[*row.Task] = line
		}
	}
	return j, nil
}

// Has reports whether task i is done.
func (j *Journal) Has(i int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	_, ok := j.done[i]
	return ok
}

// Add stores the line of task i, see [Plan.Line], and returns how many there are. It is on disk
// when Add returns. Several goroutines may add at once.
func (j *Journal) Add(i int, line []byte) (done int, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.Write(append(line[:len(line):len(line)], '\n')); err != nil {
		return 0, err
	}
	j.done[i] = line
	return len(j.done), j.file.Sync()
}

// Finished is the number of tasks that are done.
func (j *Journal) Finished() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.done)
}

// Close puts the lines in order.
func (j *Journal) Close() error { return errors.Join(j.file.Close(), j.write()) }

// write writes the whole file, tasks in ascending order.
func (j *Journal) write() error {
	tasks := make([]int, 0, len(j.done))
	for i := range j.done {
		tasks = append(tasks, i)
	}
	slices.Sort(tasks)
	return runfolder.WriteFile(j.path, func(w io.Writer) error {
		if _, err := fmt.Fprintf(w, "%s\n", j.head); err != nil {
			return err
		}
		for _, i := range tasks {
			if _, err := fmt.Fprintf(w, "%s\n", j.done[i]); err != nil {
				return err
			}
		}
		return nil
	})
}
