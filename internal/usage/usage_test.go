package usage

import (
	"math"
	"testing"
)

// TestUsage uses memory and time and finds them counted.
func TestUsage(t *testing.T) {
	cpu := CPUSeconds()
	block := make([]byte, 32<<20)
	sum := 0
	for range 3 {
		for i := range block {
			block[i]++
			sum += int(block[i])
		}
	}
	if mb := PeakMemory(); mb < 32 || mb > 1e6 || sum == 0 {
		t.Errorf("%v MB with a block of 32 MB", mb)
	}
	if took := CPUSeconds() - cpu; !math.IsNaN(cpu) && !(took >= 0 && took < 60) {
		t.Errorf("%v s", took)
	}
}
