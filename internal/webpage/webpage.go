// Package webpage writes mtt as one static HTML file: the command, compiled to WebAssembly,
// with files in memory, and a page to drop tables on. What is dropped stays in the browser:
// the page's Content-Security-Policy forbids every request.
package webpage

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
	//go:embed worker.js
	workerJS string
)

// ErrNotWasm is returned for a program that is not WebAssembly.
var ErrNotWasm = errors.New("not a WebAssembly program")

// Write writes the page. Program is the command compiled with GOOS=js GOARCH=wasm, glue
// the wasm_exec.js of the same Go, version what the page says it is. Equal arguments give
// equal bytes.
func Write(w io.Writer, program, glue []byte, version string) error {
	if !bytes.HasPrefix(program, []byte("\x00asm")) {
		return fmt.Errorf("webpage: %w", ErrNotWasm)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	top, rest, _ := strings.Cut(pageHTML, "{{engine}}")
	b.WriteString(strings.NewReplacer("{{style}}", pageCSS, "{{version}}", version).Replace(top))
	enc := base64.NewEncoder(base64.StdEncoding, b)
	z, err := gzip.NewWriterLevel(enc, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(program); err != nil {
		return err
	}
	if err := errors.Join(z.Close(), enc.Close()); err != nil {
		return err
	}
	b.WriteString(strings.NewReplacer("{{glue}}", string(glue), "{{worker}}", workerJS, "{{script}}", pageJS).Replace(rest))
	return b.Flush()
}
