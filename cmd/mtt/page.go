package main

// This file is "mtt page": the command and its viewer as one web page.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"mtt/internal/cli"
	"mtt/internal/runfolder"
	"mtt/internal/version"
	"mtt/internal/webpage"
)

// pageFile is what mtt page writes unless -o says otherwise.
const pageFile = "mtt.html"

func newPageCommand() *cli.Command {
	wasm, glue := "", ""
	c := &cli.Command{
		Name:    "page",
		Summary: "writes mtt itself as one web page: drop a table on it, track, look, export",
		About: "The page holds the engine as WebAssembly, whose results are those of this command to the\n" +
			"byte. It makes no request: what is dropped on it stays in the browser. The engine is compiled\n" +
			"from the checkout that the command is run in, by the Go that is there; releases have the page.\n",
		Examples: "mtt page -o mtt.html\n",
		OutUsage: "`FILE` to write (default: " + pageFile + ")",
		Options: []cli.Option{
			cli.Text(&wasm, "wasm", "`FILE`, the command compiled for js/wasm; compiled now where none is named"),
			cli.Text(&glue, "wasm-exec", "`FILE`, the wasm_exec.js of the Go that compiled it (default: that of the Go that is here)"),
		},
	}
	c.Run = func(ctx context.Context, s *cli.Session, _ []string) error { return runPage(ctx, s, wasm, glue) }
	return c
}

func runPage(ctx context.Context, s *cli.Session, wasm, glue string) error {
	temp, err := os.MkdirTemp("", "mtt-page-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if wasm == "" {
		wasm = filepath.Join(temp, "mtt.wasm")
		s.Note("compiling the engine for the browser; the first time takes a minute")
		if err := compilePage(ctx, wasm); err != nil {
			return err
		}
	}
	if glue == "" {
		root, err := goTool(ctx, "", "env", "GOROOT")
		if err != nil {
			return err
		}
		glue = filepath.Join(root, "lib", "wasm", "wasm_exec.js")
	}
	program, err := os.ReadFile(wasm)
	if err != nil {
		return cli.BadInput(err)
	}
	script, err := os.ReadFile(glue)
	if err != nil {
		return cli.BadInput(err)
	}
	path := s.OutOr(pageFile)
	err = runfolder.WriteFile(path, func(w io.Writer) error { return webpage.Write(w, program, script, version.Version) })
	if errors.Is(err, webpage.ErrNotWasm) {
		return cli.Usagef("%s is no WebAssembly program", wasm).Hinted("make one: GOOS=js GOARCH=wasm go build -o mtt.wasm ./cmd/mtt")
	}
	if err != nil {
		return err
	}
	return s.Out.Print(cli.Record{{Key: "page", Value: filepath.ToSlash(path)}})
}

// compilePage compiles the command from the checkout at hand.
func compilePage(ctx context.Context, to string) error {
	dir, err := goTool(ctx, "", "list", "-m", "-f", "{{.Dir}}", "mtt")
	if err != nil {
		return cli.Usagef("the engine is compiled from a checkout of mtt, and this is none").
			Hinted("run mtt page in a checkout, with Go installed, or name a compiled engine with --wasm")
	}
	_, err = goTool(ctx, dir, "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", to, "./cmd/mtt")
	return err
}

// goTool runs the command go for WebAssembly in a folder and returns what it prints.
func goTool(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := cmd.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}
