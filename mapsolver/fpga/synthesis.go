package fpga

import (
	_ "embed"
	"strconv"
	"strings"
)

// This file says what the accelerator takes of a chip.

//go:embed rtl/synthesis.csv
var synthesis string

// A Resource is what a design takes of a chip, beside Table 3 of the article.
type Resource struct {
	PE                     int
	LUT, FlipFlops, LUTRAM int
	BlockRAM               float64 // of 36 kbit

	ArticleLUT, ArticleFlipFlops, ArticleLUTRAM int
	ArticleBlockRAM                             float64
}

// Synthesis is what yosys counts for the whole accelerator, registers and memory
// interface included, on the 7 series with 8-bit rewards, 10-bit indices and the
// storage of the article's designs, beside what Vivado counted there. Two tools
// count differently by tens of percent. Nothing was placed or routed.
func Synthesis() []Resource {
	var list []Resource
	for i, line := range strings.Split(strings.TrimSpace(synthesis), "\n") {
		if i == 0 {
			continue
		}
		var v [9]float64
		for k, word := range strings.Split(line, ",") {
			v[k], _ = strconv.ParseFloat(word, 64) // a test has written it
		}
		list = append(list, Resource{
			int(v[0]), int(v[1]), int(v[2]), int(v[3]), v[4],
			int(v[5]), int(v[6]), int(v[7]), v[8],
		})
	}
	return list
}
