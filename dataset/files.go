package dataset

// This file opens the files that the package reads and names the error of all its
// readers.

import (
	"io"

	"mtt/internal/text"
)

// A SyntaxError says where a file is wrong, what is wrong there and, when that
// can be guessed, which mistake led to it.
type SyntaxError = text.SyntaxError

// Open opens the file for reading and decompresses gzip and zstd data, by their
// content, whatever the name. "-" is standard input. Reading fails when compressed
// data grow out of proportion to what is on disk.
func Open(name string) (io.ReadCloser, error) { return text.Open(name) }
