//go:build linux

package main

// This file measures the memory of commands on files of awkward shapes.

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mtt/internal/cli"
	"mtt/internal/nightly"
)

// crowd is the number of false alarms in each scan of a crowd of them.
var crowd = nightly.Or(9_000, 250_000)

// shapes are files of 64 MiB at night and of a 600th by day, of more where a shape takes that,
// twenty times that before they are packed; row n of each is made by a function.
var shapes = []struct {
	name, file string
	head       string
	row        func(n int) string
	command    string // or several, joined by " && ": each keeps to the memory
	refused    int    // bytes from which on the file is refused; 0: it is not
	least      int    // bytes that show the shape
}{
	{"one detection in each scan", "scans.csv", "frame,x,y\n", func(n int) string { return fmt.Sprintf("%d,%d,%d\n", n, n%997, n%991) }, "track scans.csv --no-report -o run && verify run", 0, 0},
	{"the shortest rows", "short.csv", "frame,x,y\n", func(n int) string { return fmt.Sprintf("%d,%d,1\n", n, n%10) }, "track short.csv --no-report -o run && verify run", 0, 0},
	{"every second scan is empty", "empty.csv", "frame,x,y\n", func(n int) string { return fmt.Sprintf("%d,%d,%d\n", 2*n, n%997, n%991) }, "track empty.csv --no-report", 0, 0},
	{"a million numbers between frames", "far.csv", "frame,x,y\n", func(n int) string { return fmt.Sprintf("%d,%d,%d\n", n*1_000_003, n%97, n%91) }, "track far.csv --no-report", 0, 0},
	{"a sensor for each scan", "sensors.csv", "frame,sensor,x,y\n", func(n int) string { return fmt.Sprintf("%d,s%d,%d,%d\n", n, n, n%97, n%91) }, "import sensors.csv", 0, 0},
	{"an identity for each row", "ids.csv", "frame,id,x,y\n", func(n int) string { return fmt.Sprintf("%d,n%d,%d,%d\n", n/100, n, n%1009, n%997) }, "import ids.csv", 0, 0},
	{"identities of four thousand letters", "long.csv", "frame,id,x,y\n", func(n int) string {
		return fmt.Sprintf("%d,%s%d,%d,%d\n", n/100, strings.Repeat("n", 4000), n, n%100, n/100)
	}, "import long.csv", 0, 0},
	{"three thousand columns", "columns.csv", "frame,x,y" + strings.Repeat(",c", 3000) + "\n", func(n int) string {
		return fmt.Sprintf("%d,%d,%d%s\n", n/100, n%100, n/100, strings.Repeat(",1", 3000))
	}, "import columns.csv", 0, 0},
	{"all in one scan", "one.csv", "frame,x,y\n", func(n int) string { return fmt.Sprintf("1,%d,%d\n", n%1009, n) }, "import one.csv", 0, 0},
	{"times that differ", "times.csv", "time,x,y\n", func(n int) string { return fmt.Sprintf("%d.%06d,%d,%d\n", n, n*7919%1000003, n%97, n%91) }, "import times.csv", 0, 0},
	{"boxes", "det.txt", "", func(n int) string { return fmt.Sprintf("%d,-1,%d.5,%d.5,20,40,1,-1,-1,-1\n", n+1, n%1900, n%1000) }, "import det.txt", 0, 0},
	{"one column of costs", "column.csv", "", func(n int) string { return fmt.Sprintf("%d\n", 1_000_000+n%1000) }, "lap column.csv", 0, 0},
	{"one line", "line.csv", "", func(n int) string { return "1," }, "import line.csv", 1 << 16, 0},
	{"ones that are packed well", "ones.csv.gz", "frame,x,y\n", func(n int) string { return "1,1,1\n" }, "import ones.csv.gz", 200 << 20, 0},
	{"a crowd of false alarms", "crowd.csv", "frame,x,y\n", func(n int) string {
		h := uint64(n+1) * 0x9e3779b97f4a7c15 // scrambled, as by splitmix64
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		return fmt.Sprintf("%d,%d.%d,%d.%d\n", n/crowd, h>>32%100000, h>>24%10, h%(1<<24)%100000, h>>60%10)
	}, "track crowd.csv --no-report", 1 << 20, 15 * 18 * 9_000},
	{"as many scans as rows, as they come", "stream.csv", "frame,x,y\n", func(n int) string { return fmt.Sprintf("%d,%d,%d\n", n, n%997, n%991) }, "stream stream.csv -o stream.jsonl", 0, 0},
}

// TestMemory: no file of 64 MiB makes a command take more than 2 GiB, whatever its shape: it does
// what it should, or refuses the file. By day small files show that the shapes are read.
func TestMemory(t *testing.T) {
	if testing.Short() && !nightly.Is() {
		t.Skip("starts processes")
	}
	size, most := nightly.Or(100<<10, 64<<20), nightly.Or(150, 2147)
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			shape := size
			if !nightly.Is() && !strings.HasPrefix(s.command, "import") {
				shape /= 4 // what tracks takes longer
			}
			shape = max(shape, s.least)
			if strings.HasSuffix(s.file, ".gz") {
				shape *= 20 // and small when it is packed
			}
			if err := writeShape(s.file, s.head, s.row, shape); err != nil {
				t.Fatal(err)
			}
			for command := range strings.SplitSeq(s.command, " && ") {
				cmd := exec.CommandContext(t.Context(), os.Args[0], strings.Fields(command)...)
				cmd.Env = append(os.Environ(), "MTT_TEST_MAIN=1", "MTT_NIGHTLY=")
				var text strings.Builder
				cmd.Stdout, cmd.Stderr = &text, &text
				began := time.Now()
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				peak := watch(cmd.Process.Pid)
				err := cmd.Wait()
				out, mb, status := text.String(), peak(), cmd.ProcessState.ExitCode()
				t.Logf("%s: %.0f MB, %.1f s of the processor, %.1f s; exit status %d", command, mb,
					(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), time.Since(began).Seconds(), status)
				refused := status == cli.ExitUsage && strings.Contains(out, "mtt: ")
				if err != nil && !refused || refused != (s.refused > 0 && shape > s.refused) {
					t.Errorf("exit status %d: %.300s", status, out)
				}
				if mb > float64(most) {
					t.Errorf("%.0f MB of memory, at most %d are wanted", mb, most)
				}
			}
		})
	}
}

// watch looks every few milliseconds at the largest resident set of a process, and returns what
// ends that and tells it in MB. (What the system tells of a process that has ended counts what the
// parent held when it began.)
func watch(pid int) func() float64 {
	done, most := make(chan struct{}), make(chan float64)
	go func() {
		kib := 0.0
		for {
			if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				if _, line, found := strings.Cut(string(status), "\nVmHWM:"); found {
					fmt.Sscan(line, &kib)
				}
			}
			select {
			case <-done:
				most <- kib * 1024 / 1e6
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(done); return <-most }
}

// writeShape writes rows until there are so many bytes, packed where the name says so.
func writeShape(name, head string, row func(n int) string, size int) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if strings.HasSuffix(name, ".gz") {
		z := gzip.NewWriter(f)
		defer z.Close()
		w = bufio.NewWriter(z)
	}
	n, err := w.WriteString(head)
	for k := 0; n < size && err == nil; k++ {
		var more int
		more, err = w.WriteString(row(k))
		n += more
	}
	if err != nil {
		return err
	}
	return w.Flush()
}
