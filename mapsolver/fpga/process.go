package fpga

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// This file reaches a simulation of the hardware description in a process of its own.

// A Process is a Bus to a program that speaks the language of rtl/sim/main.cpp on its
// standard input and output: a line in, a line out. Nothing of it is linked into
// this one.
type Process struct {
	MaxCycles int // that Wait waits for the end of a problem, then [ErrHangs]; 0: without end

	cmd *exec.Cmd
	in  *bufio.Writer
	end io.Closer
	out *bufio.Reader
	buf []byte
}

// processWords is the size of the memory of a simulation in words.
const processWords = 1 << 22

// StartProcess starts a simulation.
func StartProcess(name string, args ...string) (*Process, error) {
	cmd := exec.Command(name, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("fpga: starting a simulation: %w", err)
	}
	return &Process{cmd: cmd, in: bufio.NewWriterSize(in, 1<<16), end: in, out: bufio.NewReaderSize(out, 1<<16)}, nil
}

// ask sends what is in the buffer and returns the words of the answer.
func (p *Process) ask() ([]string, error) {
	p.buf = append(p.buf, '\n')
	if _, err := p.in.Write(p.buf); err != nil {
		return nil, err
	}
	if err := p.in.Flush(); err != nil {
		return nil, fmt.Errorf("fpga: the simulation does not listen: %w", err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("fpga: the simulation does not answer: %w", err)
	}
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "=" {
		return nil, fmt.Errorf("fpga: the simulation says %q", line)
	}
	return words[1:], nil
}

// say begins a question.
func (p *Process) say(format string, args ...any) { p.buf = fmt.Appendf(p.buf[:0], format, args...) }

// number asks for a number of the given base.
func (p *Process) number(base int) (uint64, error) {
	words, err := p.ask()
	if err != nil {
		return 0, err
	}
	if len(words) != 1 {
		return 0, fmt.Errorf("fpga: the simulation answers with %d words, want one", len(words))
	}
	return strconv.ParseUint(words[0], base, 64)
}

// ReadRegister implements [Bus].
func (p *Process) ReadRegister(r Register) (uint32, error) {
	p.say("r %d", r)
	v, err := p.number(16)
	return uint32(v), err
}

// WriteRegister implements [Bus].
func (p *Process) WriteRegister(r Register, v uint32) error {
	p.say("w %d %x", r, v)
	_, err := p.ask()
	return err
}

// Memory implements [Bus].
func (p *Process) Memory() (address uint64, words int) { return 0, processWords }

// ReadMemory implements [Bus].
func (p *Process) ReadMemory(dst []uint64, offset int) error {
	p.say("d %d %d", offset, len(dst))
	words, err := p.ask()
	if err != nil {
		return err
	}
	if len(words) != len(dst) {
		return fmt.Errorf("fpga: the simulation has sent %d words, want %d", len(words), len(dst))
	}
	for i, w := range words {
		if dst[i], err = strconv.ParseUint(w, 16, 64); err != nil {
			return fmt.Errorf("fpga: the simulation has sent %q: %w", w, err)
		}
	}
	return nil
}

// WriteMemory implements [Bus].
func (p *Process) WriteMemory(offset int, src []uint64) error {
	p.say("m %d %d", offset, len(src))
	for _, w := range src {
		p.buf = append(p.buf, ' ')
		p.buf = strconv.AppendUint(p.buf, w, 16)
	}
	_, err := p.ask()
	return err
}

// SetMemory says how many cycles the simulated memory takes to answer, and makes it
// stutter at random from a seed that is not 0.
func (p *Process) SetMemory(latency int, stutter uint32) error {
	p.say("l %d", latency)
	if _, err := p.ask(); err != nil {
		return err
	}
	p.say("s %d", stutter)
	_, err := p.ask()
	return err
}

// ErrHangs says that a simulation has not finished within the cycles that it was given.
var ErrHangs = errors.New("fpga: the simulation does not finish")

// Wait implements [Bus]. It lets the simulation run in steps of at most 100,000 cycles.
func (p *Process) Wait(ctx context.Context) error {
	for left := p.MaxCycles; ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		step := 100_000
		if p.MaxCycles > 0 {
			step = min(step, left)
		}
		p.say("i %d", step)
		done, err := p.number(10)
		if done == 1 || err != nil {
			return err
		}
		if left -= step; p.MaxCycles > 0 && left <= 0 {
			return fmt.Errorf("%w within %d cycles", ErrHangs, p.MaxCycles)
		}
	}
}

// Close ends the simulation.
func (p *Process) Close() error {
	p.say("q\n")
	_, err := p.in.Write(p.buf)
	if err == nil {
		err = p.in.Flush()
	}
	if e := p.end.Close(); err == nil {
		err = e
	}
	if e := p.cmd.Wait(); err == nil {
		err = e
	}
	return err
}
