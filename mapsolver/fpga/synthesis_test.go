package fpga

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mtt/internal/golden"
	"mtt/internal/nightly"
)

// published is Table 3 of the article, by Vivado: what its designs take, with 8-bit
// rewards, 10-bit indices and 16,384 storage words of 8 rewards, or half as many
// of twice the width; its SoA stores 600×600 rewards. What it says of Zhu et al. is theirs, and their
// design has no source.
var published = []struct {
	design              string
	sw                  int // bits of the address of a storage word; 0: nothing to synthesise
	pe, lut, ff, lutram int
	bram                float64 // of 36 kbit
}{
	{"SaS", 14, 8, 2235, 3177, 121, 79},
	{"SaS", 13, 16, 2927, 4586, 229, 83},
	{"SaS", 12, 32, 4315, 7414, 432, 91},
	{"SoA", 16, 8, 2346, 2966, 57, 134.5},
	{"Zhu", 0, 16, 2265, 1647, 540, 6},
}

// TestSynthesis synthesises the whole accelerator, registers and memory interface
// included, by yosys for the 7 series, and compares with rtl/synthesis.csv.
// Two tools count differently: the numbers say that it fits, not that it is
// smaller. Nothing is placed or routed. It runs with MTT_NIGHTLY=1: some minutes.
func TestSynthesis(t *testing.T) {
	if !nightly.Is() {
		t.Skip("MTT_NIGHTLY is not set")
	}
	need(t, "yosys")
	var b strings.Builder
	b.WriteString("design,pe,lut,ff,lutram,bram36,article_lut,article_ff,article_lutram,article_bram36\n")
	bram := make(map[int]float64)
	for _, p := range published {
		if p.sw == 0 {
			fmt.Fprintf(&b, "%s,%d,,,,,%d,%d,%d,%g\n", p.design, p.pe, p.lut, p.ff, p.lutram, p.bram)
			continue
		}
		sparse := map[bool]int{true: 1}[p.design == "SaS"] // and speculative
		stat := filepath.Join(t.TempDir(), "stat.txt")
		command(t, "yosys", "-q", "-p", fmt.Sprintf("read_verilog -Irtl rtl/sas_*.v; "+
			"chparam -set NPE %d -set W 8 -set IW 10 -set SW %d -set SPEC %d -set SPARSE %d sas_top; "+
			"synth_xilinx -family xc7 -top sas_top -flatten; tee -o %s stat", p.pe, p.sw, sparse, sparse, stat))
		text, err := os.ReadFile(stat)
		if err != nil {
			t.Fatal(err)
		}
		cells := make(map[string]int)
		for _, m := range regexp.MustCompile(`(?m)^ +([A-Z][A-Z0-9]+) +(\d+)$`).FindAllStringSubmatch(string(text), -1) {
			cells[m[1]], _ = strconv.Atoi(m[2])
		}
		lut, ff, lutram := cells["INV"], 0, 0
		for name, n := range cells {
			switch {
			case strings.HasPrefix(name, "LUT"):
				lut += n
			case strings.HasPrefix(name, "FD"):
				ff += n
			case strings.HasPrefix(name, "RAM") && !strings.HasPrefix(name, "RAMB"), strings.HasPrefix(name, "SRL"):
				lutram += n
			}
		}
		blocks := float64(cells["RAMB36E1"]) + float64(cells["RAMB18E1"])/2
		fmt.Fprintf(&b, "%s,%d,%d,%d,%d,%g,%d,%d,%d,%g\n", p.design, p.pe, lut, ff, lutram, blocks, p.lut, p.ff, p.lutram, p.bram)
		if p.design == "SoA" {
			if blocks > 2*p.bram { // rewards have their indices with them, as in SaS
				t.Errorf("SoA takes %g block RAM, the article's %g", blocks, p.bram)
			}
			continue
		}
		bram[p.pe] = blocks
		if float64(lut) > 1.3*float64(p.lut) || ff >= p.ff || bram[p.pe] > p.bram {
			t.Errorf("%d elements: %d LUT, %d flip-flops, %g block RAM; the article has %d, %d, %g", p.pe, lut, ff, bram[p.pe], p.lut, p.ff, p.bram)
		}
	}
	if a, c := bram[16]-bram[8], bram[32]-bram[16]; a != 4 || c != 8 {
		t.Errorf("block RAM grows by %g and %g, want 4 and 8", a, c)
	}
	golden.Equal(t, filepath.Join("..", "rtl", "synthesis.csv"), []byte(b.String()))
}
