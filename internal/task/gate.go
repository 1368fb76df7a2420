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

// gateKinds are the kinds of --gate: what their size is called and what it means.
var gateKinds = []struct {
	name, size, about string
	make              func(size float64) gating.Gate
}{
	{"mahalanobis", "G", "squared distance from the predicted position, in units of its variance",
		func(v float64) gating.Gate { return gating.Mahalanobis{G: v} }},
	{"disc", "FACTOR", "what a target can reach, times FACTOR",
		func(v float64) gating.Gate { return gating.Disc{Epsilon: v} }},
	{"ball", "RADIUS", "", func(v float64) gating.Gate { return gating.Ball{Radius: v} }},
}

// gateHelp says what --gate understands.
func gateHelp() string {
	text := "auto"
	for i, k := range gateKinds {
		if text += ", "; i == len(gateKinds)-1 {
			text = strings.TrimSuffix(text, ", ") + " or "
		}
		text += k.name + ":" + k.size
		if k.about != "" {
			text += " (" + k.about + ")"
		}
	}
	return text
}

// gateOption binds --gate; nil stands for auto.
func gateOption(dst *gating.Gate) cli.Option {
	o := cli.Option{
		Name: "gate", Usage: "`GATE`, which detections can follow one: " + gateHelp(),
		Values: []string{"auto"},
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
	for _, k := range gateKinds {
		o.Values = append(o.Values, k.name+":")
	}
	return o
}

// parseGate reads KIND:SIZE; "auto" is nil.
func parseGate(text string) (gating.Gate, error) {
	if text == "auto" {
		return nil, nil
	}
	kind, size, _ := strings.Cut(text, ":")
	v, err := cli.ParseNumber[float64](size)
	if err != nil || v <= 0 {
		return nil, cli.Usagef("%q is not KIND:SIZE with a size above 0", text).Hinted("%s", gateHelp())
	}
	names := []string{"auto"}
	for _, k := range gateKinds {
		if k.name == kind {
			return k.make(v), nil
		}
		names = append(names, k.name)
	}
	return nil, cli.Usagef("unknown kind %q", kind).Hinted("%s", cli.DidYouMean(kind, "", names))
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
			"all unless an automatic gate would keep more than 50 million triplets, or 4 million pairs between two scans",
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
