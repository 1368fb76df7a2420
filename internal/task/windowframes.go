package task

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"mtt/association/windows"
	"mtt/internal/certificate"
)

// This file holds what windows of time settle of the frames of a run: how many detections they
// have, and where their coast nodes come from. Each window adds a record to a file; to write down
// all frames after each window would take time by the product of their numbers.
//
// A record is a list of numbers, as binary.AppendUvarint writes them: the first frame; the number
// of frames, and the detections of each; the number of frames after the first, and of each the
// number of its coast nodes and the nodes that they come from.

// appendFrames appends the record of a window to buf.
func appendFrames(buf []byte, part *windows.Window) []byte {
	put := func(n int) { buf = binary.AppendUvarint(buf, uint64(n)) }
	put(part.First)
	put(len(part.Scans))
	for t := range part.Scans {
		put(part.Scans[t].Len())
	}
	put(len(part.Nodes))
	for _, nodes := range part.Nodes {
		put(len(nodes))
		for _, coast := range nodes {
			put(int(coast.Prev))
		}
	}
	return buf
}

// readFrames adds to frames what the records say of them. The error is of the reader, or says that
// a record is none.
func readFrames(frames []certificate.Frame, r *bufio.Reader) error {
	for {
		if _, err := r.Peek(1); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := readFrame(frames, r); err != nil {
			return fmt.Errorf("what windows have settled of frames is damaged: %w", err)
		}
	}
}

// readFrame reads one record.
func readFrame(frames []certificate.Frame, r *bufio.Reader) (err error) {
	get := func(most int) (n int) {
		x, failed := binary.ReadUvarint(r)
		switch {
		case err != nil:
		case failed != nil:
			err = failed
		case x > uint64(most):
			err = fmt.Errorf("%d where at most %d is possible", x, most)
		default:
			n = int(x)
		}
		return n
	}
	const nodes = 1<<31 - 1 // of a frame
	first := get(len(frames))
	for t := range get(len(frames) - first) {
		frames[first+t].Detections = get(nodes)
	}
	for t := range get(max(0, len(frames)-first-1)) {
		f := &frames[first+t+1]
		for n := get(nodes); n > 0 && err == nil; n-- {
			f.From, f.Prior = append(f.From, int32(get(nodes))), append(f.Prior, -1)
		}
	}
	return err
}
