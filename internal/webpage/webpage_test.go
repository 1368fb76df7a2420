package webpage

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	program := append([]byte("\x00asm"), bytes.Repeat([]byte("mtt"), 5000)...)
	var a, b bytes.Buffer
	for _, w := range []io.Writer{&a, &b} {
		if err := Write(w, program, []byte("glue {{script}}"), "v1"); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("equal programs give different pages")
	}
	html := a.String()
	for _, want := range []string{"glue {{script}}", pageJS, workerJS, pageCSS} {
		if !strings.Contains(html, want) {
			t.Errorf("the page lacks %.40q", want)
		}
	}
	_, engine, _ := strings.Cut(html, `id="engine">`)
	engine, _, _ = strings.Cut(engine, "<")
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(engine)))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(z); err != nil || !bytes.Equal(got, program) {
		t.Errorf("the engine of the page has %d bytes (%v), want the %d of the program", len(got), err, len(program))
	}
	// Requests are forbidden, and there is nobody to send them to.
	if !strings.Contains(html, "default-src 'none'") || strings.Contains(html, "connect-src") {
		t.Error("the page's policy allows requests")
	}
	for _, s := range regexp.MustCompile(`https?://[^"' <]*|\b(src|href)="|@import|\burl\(`).FindAllString(html, -1) {
		t.Errorf("the page refers to %s", s)
	}
	if err := Write(io.Discard, []byte("MZ"), nil, ""); !errors.Is(err, ErrNotWasm) {
		t.Errorf("a program that is not WebAssembly: %v", err)
	}
}
