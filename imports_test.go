package mtt_test

// This file checks who may import whom. Imports go downwards only: a package
// never looks up or sideways, whatever a tempting short cut would cost less.

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed lists, for each package of this module, the others that it may import;
// "library" stands for all that a stranger can import, "…" for all of them. Packages
// under internal without a row are leaves: they are imported by all, and import none
// themselves but each other. Those with a row are rooms of the command, which a rule
// has to name. Tests may import what they like.
var allowed = map[string]string{
	// Level 0.
	"mtt":            "",
	"mtt/mapsolver":  "",
	"mtt/gating":     "mtt",
	"mtt/motion":     "mtt",
	"mtt/sensor":     "mtt",
	"mtt/dualascent": "mtt/mapsolver mtt/mapsolver/ssp",

	// What sensors report becomes positions at the door, in files and in simulations.
	"mtt/dataset":  "mtt mtt/sensor",
	"mtt/scenario": "mtt mtt/sensor",

	// The ascent on a card knows the engine on the host, and scans, of which it makes costs.
	"mtt/dualascent/cuda": "mtt mtt/costgen mtt/dualascent mtt/gating mtt/mapsolver",

	// A model of hardware knows no assignment problem.
	"mtt/mapsolver/fpga/cycle": "",
	"mtt/mapsolver/fpga":       "mtt/mapsolver mtt/mapsolver/ssp mtt/mapsolver/fpga/cycle",

	"mtt/trackgraph":           "mtt/mapsolver mtt/mapsolver/ssp",
	"mtt/trackgraph/graphfile": "mtt/trackgraph",

	// Level 1.
	"mtt/mapsolver/auto": "mtt/mapsolver mtt/mapsolver/dense mtt/mapsolver/ssp",
	"mtt/mapsolver/cuda": "mtt/mapsolver mtt/mapsolver/dense mtt/mapsolver/hungarian mtt/mapsolver/ssp",
	"mtt/costgen":        "mtt mtt/gating mtt/motion mtt/sensor",
	"mtt/metrics":        "mtt mtt/dualascent mtt/mapsolver mtt/mapsolver/ssp",

	// Level 2: real data never meets the simulator, figures never see engines.
	"mtt/association/chain":           "mtt",
	"mtt/association/chain/chaintest": "mtt mtt/association/chain mtt/gating mtt/scenario",
	"mtt/association/instance":        "mtt mtt/association/chain mtt/costgen mtt/dualascent mtt/gating mtt/mapsolver",
	"mtt/association/learn":           "mtt mtt/costgen mtt/gating mtt/motion mtt/sensor",
	"mtt/association/refine":          "mtt mtt/association/chain mtt/costgen mtt/gating mtt/mapsolver mtt/mapsolver/ssp mtt/motion",
	"mtt/association/gnn":             "mtt mtt/association/chain mtt/costgen mtt/gating mtt/mapsolver mtt/mapsolver/ssp mtt/motion",
	"mtt/association/merged":          "mtt mtt/costgen mtt/motion",
	"mtt/association/sensing":         "", // tests only
	"mtt/association/smooth":          "mtt mtt/costgen mtt/motion",
	"mtt/association": "mtt mtt/motion mtt/sensor mtt/association/chain mtt/association/gnn mtt/association/instance mtt/association/learn mtt/association/merged " +
		"mtt/association/refine mtt/association/smooth mtt/costgen mtt/dualascent mtt/gating",
	"mtt/association/online":  "mtt mtt/association mtt/association/chain mtt/association/instance mtt/association/learn mtt/association/merged mtt/association/refine mtt/costgen mtt/dualascent mtt/gating mtt/motion mtt/sensor",
	"mtt/association/windows": "mtt mtt/association mtt/association/chain mtt/association/instance mtt/costgen mtt/dualascent mtt/gating",
	"mtt/association/lineage": "mtt mtt/association mtt/association/chain mtt/association/instance mtt/costgen mtt/gating mtt/motion mtt/trackgraph",
	"mtt/plots":               "mtt mtt/metrics",
	"mtt/plots/page":          "mtt mtt/plots",

	// The filter needs no costs and no engine, only gates and ranked assignments.
	"mtt/association/pmbm": "mtt mtt/motion mtt/gating mtt/mapsolver mtt/mapsolver/murty",

	// The checker knows the vocabulary and file formats, and nothing of the engine.
	"mtt/internal/verify": "mtt",

	// The suite draws on the generators.
	"mtt/mapsolver/solvertest": "mtt/mapsolver mtt/mapsolver/lapgen",

	// Level 3: the rooms of the command. Its frame knows no word of tracking; benchmarks,
	// reproductions and sweeps do not know each other, nor the command.
	"mtt/internal/cli":       "",
	"mtt/internal/solvers":   "library mtt/internal/cli",
	"mtt/internal/runfolder": "mtt mtt/sensor",
	"mtt/internal/task":      "library mtt/internal/cli mtt/internal/runfolder mtt/internal/solvers mtt/internal/verify",
	"mtt/internal/measure":   "library mtt/internal/cli",
	"mtt/internal/bench":     "library mtt/internal/cli mtt/internal/solvers mtt/internal/task mtt/internal/measure",
	"mtt/internal/reproduce": "library mtt/internal/cli mtt/internal/measure mtt/internal/task",
	"mtt/internal/lap":       "library mtt/internal/cli mtt/internal/runfolder mtt/internal/solvers mtt/internal/task",
	"mtt/internal/sweep":     "library mtt/internal/cli mtt/internal/runfolder mtt/internal/task mtt/internal/measure",

	// Level 4.
	"mtt/cmd/mtt": "…",
}

// allowedFor are the packages that path may import, and whether it has a rule.
// The solvers below mapsolver share one; they may hand over to ssp.
func allowedFor(path string) (rule string, ok bool) {
	if rule, ok = allowed[path]; ok {
		return rule, true
	}
	if strings.HasPrefix(path, "mtt/internal/") {
		return "", true
	}
	if strings.HasPrefix(path, "mtt/mapsolver/") {
		return "mtt/mapsolver mtt/mapsolver/ssp", true
	}
	return "", false
}

func TestImports(t *testing.T) {
	const format = `{{.ImportPath}} {{.Standard}} {{join .Imports " "}}`
	out, err := exec.Command("go", "list", "-deps", "-f", format, "./...").Output()
	if err != nil {
		t.Skip("go list does not run here: ", err)
	}
	standard := make(map[string]bool)
	imports := make(map[string][]string) // of our packages
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		standard[words[0]] = words[1] == "true"
		if ours(words[0]) {
			imports[words[0]] = words[2:]
		}
	}
	if len(imports) < 2 {
		t.Fatalf("go list found %d packages of ours", len(imports))
	}
	for path, list := range imports {
		rule, ok := allowedFor(path)
		if !ok {
			t.Errorf("package %s has no row in the table of imports", path)
		}
		for _, p := range list {
			switch {
			case !ours(p):
				if (path == "mtt" || path == "mtt/mapsolver") && !standard[p] {
					t.Errorf("%s imports %s; it may use the standard library only", path, p)
				}
			case rule == "…" || leaf(p) || slices.Contains(strings.Fields(rule), p):
			case slices.Contains(strings.Fields(rule), "library") && !strings.HasPrefix(p, "mtt/internal/") && !strings.HasPrefix(p, "mtt/cmd/"):
			default:
				t.Errorf("%s imports %s", path, p)
			}
		}
	}
}

// leaf reports whether p is a package under internal that all may import.
func leaf(p string) bool {
	_, room := allowed[p]
	return strings.HasPrefix(p, "mtt/internal/") && !room
}

// ours reports whether a package belongs to this module.
func ours(path string) bool { return path == "mtt" || strings.HasPrefix(path, "mtt/") }
