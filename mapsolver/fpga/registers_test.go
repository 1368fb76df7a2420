package fpga

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtt/internal/golden"
)

// TestHeader compares rtl/registers.vh with the register map; -update writes it.
func TestHeader(t *testing.T) {
	var b strings.Builder
	line := func(name string, bits int, v uint32, about string) {
		fmt.Fprintf(&b, "    localparam [%d:0] %s = %d'd%d; // %s\n", bits-1, name, bits, v, about)
	}
	b.WriteString("// Code generated from mapsolver/fpga/registers.go by go test -update. DO NOT EDIT.\n\n")
	b.WriteString("    /* verilator lint_off UNUSED */\n")
	line("SIGNATURE", 32, Signature, "MTT and the version of the map")
	for i, r := range registerDoc {
		line("REG_"+r.name, 6, uint32(i), r.access+": "+r.about)
	}
	line("MODE_STREAM", 32, ModeStream, "")
	line("MODE_WARM", 32, ModeWarm, "")
	line("MODE_OVERLAP", 32, ModeOverlap, "")
	for i, e := range errorDoc {
		line("ERROR_"+e.name, 4, uint32(i), e.about)
	}
	b.WriteString("    /* verilator lint_on UNUSED */\n")
	golden.Equal(t, filepath.Join("..", "rtl", "registers.vh"), []byte(strings.ReplaceAll(b.String(), "; // \n", ";\n")))
}

// TestRegisterDocs wants docs/fpga.md to state the map.
func TestRegisterDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "fpga.md"))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range registerDoc {
		if row := fmt.Sprintf("| %d | %s | %s | %s |", i, r.name, r.access, r.about); !strings.Contains(string(text), row) {
			t.Errorf("docs/fpga.md lacks the row\n%s", row)
		}
	}
	for i, e := range errorDoc {
		if row := fmt.Sprintf("| %d | %s |", i, e.about); !strings.Contains(string(text), row) {
			t.Errorf("docs/fpga.md lacks the row\n%s", row)
		}
	}
}
