package fpga

import (
	_ "embed"
	"math"
	"strconv"
	"strings"
)

// This file says what the accelerator takes of a chip.

//go:embed rtl/synthesis.csv
var synthesis string

// A Resource is what a design takes of a chip, beside Table 3 of the article; NaN where nobody
// has counted.
type Resource struct {
	Design                 string // SaS, SoA or Zhu, whose source nobody has
	PE                     int
	LUT, FlipFlops, LUTRAM float64
	BlockRAM               float64 // of 36 kbit

	ArticleLUT, ArticleFlipFlops, ArticleLUTRAM float64
	ArticleBlockRAM                             float64
}

// Synthesis is what yosys counts for the whole accelerator, registers and memory interface
// included, on the 7 series with 8-bit rewards, 10-bit indices and the storage of the article's
// designs, SoA's large enough for 600×600 problems, beside what Vivado counted there. Two tools
// count differently by tens of percent. Nothing was placed or routed.
func Synthesis() []Resource {
	var list []Resource
	for i, line := range strings.Split(strings.TrimSpace(synthesis), "\n") {
		if i == 0 {
			continue
		}
		design, rest, _ := strings.Cut(line, ",")
		var v [9]float64
		for k, word := range strings.Split(rest, ",") {
			var err error
			if v[k], err = strconv.ParseFloat(word, 64); err != nil { // a test has written it
				v[k] = math.NaN()
			}
		}
		list = append(list, Resource{design, int(v[0]), v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]})
	}
	return list
}
