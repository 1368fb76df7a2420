package fpga

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// This file breaks the hardware description and wants the comparison to notice.

// mutations are changes of the hardware description that the comparison must find:
// each path that forwards what is being written, and what else is easily left out.
var mutations = []struct{ name, file, from, to string }{
	{"price, written while it is looked at", "sas_core.v", "c_we && c_object == object ? c_price :", "1'b0 ? c_price :"},
	{"price, written while it is read", "sas_core.v", "c1_we && c1_object == object ? c1_price :", "1'b0 ? c1_price :"},
	{"price of the commit", "sas_core.v", "c_same ? c1_price :", "1'b0 ? c1_price :"},
	{"owner of the commit", "sas_core.v", "c_same ? c1_agent :", "1'b0 ? c1_agent :"},
	{"that there is an owner", "sas_core.v", "c_same ? c1_valid :", "1'b0 ? c1_valid :"},
	{"head of the queue", "sas_core.v", "push && q_write == q_next;", "1'b0;"},
	{"owner who is outbid before his row is there", "sas_core.v", "waiting != 0 && queue_head < turn", "waiting != 0"},
	{"an agent without rewards is on no way", "sas_core.v", "- {5'd0, s1_leave} -", "-"},
	{"equal benefits", "sas_better.v", "a1 >= b1", "a1 > b1"},
	{"equal prices", "sas_core.v", "c_bid > c_now", "c_bid >= c_now"},
	{"words of an agent", "sas_core.v", "v_first[LG] ? root : merged", "root"},
	{"clearing the state", "sas_top.v", "warm_we || store_taken ||", "warm_we ||"},
	{"full rows", "sas_loader.v", "full || last && filled != 0", "full || last"},
	{"least raise", "sas_core.v", "epsilon == 0 ? 32'd1 : epsilon", "32'd1"},
	{"a raise above the reward", "sas_core.v", "wanted > {{(32-W){1'b0}}, b_best}", "1'b0"},
}

// TestMutations wants each mutation to differ from the model, or to hang: to take more
// cycles than compare gives it.
func TestMutations(t *testing.T) {
	need(t, "iverilog", "vvp")
	t.Parallel()
	d := Design{PE: 4, RewardBits: 8, IndexBits: 6, StorageBits: 8}
	for _, m := range mutations {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			files := sources(t)
			i := slices.IndexFunc(files, func(f string) bool { return filepath.Base(f) == m.file })
			text, err := os.ReadFile(files[i])
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(text), m.from) != 1 {
				t.Fatalf("%s has %q %d times, want once", m.file, m.from, strings.Count(string(text), m.from))
			}
			files[i] = filepath.Join(t.TempDir(), m.file)
			if err := os.WriteFile(files[i], []byte(strings.Replace(string(text), m.from, m.to, 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := compare(t, d, icarus(t, d, files), 300); err == nil {
				t.Error("no difference from the model")
			} else {
				t.Log(err)
			}
		})
	}
}
