package main

// This file opens the page of "mtt page" in a browser, gives it the samples, and compares
// what it makes with what the command makes.

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/browser"
	"mtt/internal/cli"
	"mtt/internal/nightly"
)

func TestPage(t *testing.T) {
	page := os.Getenv("MTT_PAGE") // that is there already
	if page == "" && !nightly.Is() {
		t.Skip("mtt is compiled for the browser at night, or beforehand: MTT_PAGE")
	}
	samples, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	if page == "" {
		page = filepath.Join(t.TempDir(), "mtt.html")
		var stderr strings.Builder
		if status := run(t.Context(), []string{"mtt", "page", "-o", page}, nil, io.Discard, &stderr); status != cli.ExitDone {
			t.Fatalf("mtt page: exit status %d: %s", status, &stderr)
		}
	}
	b := browser.Open(t, page)
	b.Size(1200, 1000, false)
	b.Until("document.getElementById('state').textContent === 'ready'")
	t.Chdir(t.TempDir())
	get := func(name string) []byte {
		text := b.Text(fmt.Sprintf("await mttPage.ask('get', {name: %q}).then(f => f.bytes ? btoa(Array.from(f.bytes, c => String.fromCharCode(c)).join('')) : '')", name))
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, name := range []string{"points.csv", "irregular.csv", "gps.csv", "trackmate.csv", "rows.jsonl", "kitti.txt", "det.txt", "comma.csv"} {
		data, err := os.ReadFile(filepath.Join(samples, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
		commands(t, "mtt track "+name+" -o run", "mtt export run -o out.csv")
		b.Eval(nil, fmt.Sprintf("mttPage.take([new File([Uint8Array.from(atob(%q), c => c.charCodeAt(0))], %q)])", base64.StdEncoding.EncodeToString(data), name))
		b.Eval(nil, "mttPage.ask('run', {args: ['mtt', 'export', 'run', '-o', 'out.csv']})")
		for _, file := range []string{"run/detections.csv", "run/tracks.csv", "run/states.csv", "run/certificate.bin", "out.csv"} {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := get(file); !bytes.Equal(got, want) {
				t.Errorf("%s: %s of the page has %d bytes, of the command %d, and they differ", name, file, len(got), len(want))
			}
		}
		if notes := b.Text("document.getElementById('state').textContent"); !strings.Contains(notes, " tracks, ") {
			t.Errorf("%s: the page says %q", name, notes)
		}
	}

	// The report is there, and what cannot be read is explained.
	b.Until("document.getElementById('report').contentDocument?.documentElement?.dataset.ready")
	if kept := os.Getenv("MTT_SCREENSHOTS"); kept != "" {
		b.Eval(nil, "document.getElementById('example').onclick()")
		b.Until("document.documentElement.dataset.busy === 'no' && document.getElementById('report').contentDocument?.documentElement?.dataset.drawn")
		b.Eval(nil, "new Promise(done => setTimeout(done, 500))")
		if err := os.WriteFile(filepath.Join(kept, "mtt-page.png"), b.Screenshot(), 0o666); err != nil {
			t.Error(err)
		}
	}
	b.Eval(nil, "mttPage.take([new File(['hello, world'], 'bad.csv')])")
	if got := b.Text("document.getElementById('state').className"); got != "bad" {
		t.Errorf("a file that is no table: %q", b.Text("document.getElementById('state').textContent"))
	}
	if got := b.Text("document.getElementById('notes').textContent"); !strings.Contains(got, "bad.csv") {
		t.Errorf("a file that is no table: the page says %q", got)
	}
	b.Quiet()
}
