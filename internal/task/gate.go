package task

// This file turns gates, numbers of candidates and amounts of memory into
// options, and says what to do about a gate that is too large.

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"mtt/gating"
	"mtt/internal/cli"
)

// gateHelp says what --gate understands.
const gateHelp = "auto, mahalanobis:G (squared distance from the predicted position, in units of its " +
	"variance), disc:FACTOR (what a target can reach, times FACTOR) or ball:RADIUS"

// gateOption binds --gate; nil stands for auto.
func gateOption(dst *gating.Gate) cli.Option {
	return cli.Option{
		Name: "gate", Usage: "`GATE`, which detections can follow one: " + gateHelp,
		Values: []string{"auto", "mahalanobis:", "disc:", "ball:"},
		Set: func(text string) (err error) {
			*dst, err = parseGate(text)
			return err
		},
		Get: func() any {
			if *dst == nil {
				return "auto"
			}
			return GateText(*dst)
		},
	}
}

// parseGate reads KIND:SIZE; "auto" is nil.
func parseGate(text string) (gating.Gate, error) {
	if text == "auto" {
		return nil, nil
	}
	kind, size, _ := strings.Cut(text, ":")
	v, err := cli.ParseNumber[float64](size)
	if err != nil || v <= 0 {
		return nil, cli.Usagef("%q is not KIND:SIZE with a size above 0", text).Hinted("%s", gateHelp)
	}
	switch kind {
	case "mahalanobis":
		return gating.Mahalanobis{G: v}, nil
	case "disc":
		return gating.Disc{Epsilon: v}, nil
	case "ball":
		return gating.Ball{Radius: v}, nil
	}
	return nil, cli.Usagef("unknown kind %q", kind).
		Hinted("%s", cli.DidYouMean(kind, "", []string{"auto", "mahalanobis", "disc", "ball"}))
}

// GateText is g as --gate takes it: what follows from noise levels is left out.
func GateText(g gating.Gate) string {
	switch g := g.(type) {
	case gating.Mahalanobis:
		return gating.Mahalanobis{G: g.G}.String()
	case gating.Disc:
		return gating.Disc{Epsilon: g.Epsilon}.String()
	}
	return g.String()
}

// tooLarge is the fault of a gate that keeps more than the memory limit.
func tooLarge(e *gating.TooLargeError, err error) error {
	f := &cli.Fault{Status: cli.ExitUsage, Err: err}
	if e.Fits != nil {
		return f.Hinted("--gate %s fits; --candidates 12 keeps only the best of a larger one, --memory-limit allows more", GateText(e.Fits))
	}
	return f.Hinted("--candidates 12 keeps only the best inside a gate, --memory-limit allows more")
}

// candidatesOption binds --candidates; 0 stands for auto, -1 for all.
func candidatesOption(dst *int) cli.Option {
	return cli.Option{
		Name:   "candidates",
		Values: []string{"auto", "all"},
		Usage: "`N` best successors and predecessors that each detection keeps inside the gate, all, or auto: " +
			"all unless an automatic gate would keep more than 50 million triplets",
		Set: func(text string) error {
			switch text {
			case "auto":
				*dst = 0
				return nil
			case "all", "0":
				*dst = -1
				return nil
			}
			v, err := strconv.Atoi(text)
			if err != nil || v < 1 {
				return fmt.Errorf("%q is neither auto nor all nor a whole number above 0", text)
			}
			*dst = v
			return nil
		},
		Get: func() any {
			switch {
			case *dst == 0:
				return "auto"
			case *dst < 0:
				return "all"
			}
			return *dst
		},
	}
}

// byteUnits are the units of memory, the longer names first.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1},
}

// bytesOption binds a flag to an amount of memory above 0.
func bytesOption(dst *int64, name, usage string) cli.Option {
	set := func(text string) error {
		for _, u := range byteUnits {
			digits, ok := cutSuffixFold(text, u.name)
			if !ok {
				continue
			}
			v, err := cli.ParseNumber[float64](strings.TrimSpace(digits))
			if err == nil && v*u.bytes >= 1 && v*u.bytes < math.MaxInt64 {
				*dst = int64(v * u.bytes)
				return nil
			}
			break
		}
		return fmt.Errorf("%q is no amount of memory, such as 500MB or 16GiB", text)
	}
	get := func() any {
		for _, u := range byteUnits {
			if v := float64(*dst) / u.bytes; v >= 1 && v == math.Trunc(v) && u.name != "" {
				return strconv.FormatFloat(v, 'f', -1, 64) + u.name
			}
		}
		return strconv.FormatInt(*dst, 10)
	}
	return cli.Option{Name: name, Usage: usage, Set: set, Get: get}
}

// cutSuffixFold cuts suffix off text, in any case of letters.
func cutSuffixFold(text, suffix string) (string, bool) {
	at := len(text) - len(suffix)
	if at < 0 || !strings.EqualFold(text[at:], suffix) {
		return text, false
	}
	return text[:at], true
}
