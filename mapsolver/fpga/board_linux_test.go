package fpga

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mtt/mapsolver/fpga/cycle"
)

// TestBoard drives a model through files that stand for a board's registers and
// memory: what the driver writes must be where the accelerator looks, and back.
func TestBoard(t *testing.T) {
	dir := t.TempDir()
	m := BoardMap{
		Registers: filepath.Join(dir, "registers"), Memory: filepath.Join(dir, "memory"),
		MemoryAt: int64(os.Getpagesize()), MemoryBytes: 1 << 16, Address: 0x10_0000,
	}
	if _, err := OpenBoard(m); err == nil {
		t.Fatal("OpenBoard opens files that are not there")
	}
	for name, size := range map[string]int64{m.Registers: int64(os.Getpagesize()), m.Memory: m.MemoryAt + int64(m.MemoryBytes)} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(name, size); err != nil {
			t.Fatal(err)
		}
	}
	board, err := OpenBoard(m)
	if err != nil {
		t.Skip("files cannot be mapped here: ", err)
	}
	if _, err := OpenDevice(board); err == nil {
		t.Error("OpenDevice finds an accelerator where there is none")
	}
	model := NewModel(Design{}, 32)
	p := cycle.Random(rand.New(rand.NewPCG(1, 1)), 20, 30, 5, 255)
	stand := make(chan error)
	go func() { stand <- standIn(m, model) }()
	for v := uint32(0); v != Signature; time.Sleep(time.Millisecond) {
		v, _ = board.ReadRegister(RegSignature)
	}
	device, err := OpenDevice(board)
	if err != nil {
		t.Fatal(err)
	}
	var got, want cycle.State
	u, err := device.Run(t.Context(), &got, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-stand; err != nil {
		t.Fatal(err)
	}
	direct, err := OpenDevice(NewModel(Design{}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w, err := direct.Run(t.Context(), &want, p, Options{})
	if err != nil || u != w || !slices.Equal(got.Owner, want.Owner) || !slices.Equal(got.Price, want.Price) {
		t.Errorf("%+v, %v through files, %+v, %v directly: %v", u, got, w, want, err)
	}
	if board.WriteMemory(m.MemoryBytes/8-1, make([]uint64, 2)) == nil {
		t.Error("WriteMemory writes beyond the memory")
	}
	if err := board.Close(); err != nil {
		t.Error(err)
	}
}

// standIn does what an accelerator does for one problem.
func standIn(m BoardMap, model *Model) error {
	b, err := OpenBoard(m)
	if err != nil {
		return err
	}
	defer b.Close()
	show := func() {
		for r := range Register(registers) {
			if v, _ := model.ReadRegister(r); r != RegFinished && r != RegStart {
				b.WriteRegister(r, v)
			}
		}
	}
	show()
	for v := uint32(0); v != 1; time.Sleep(time.Millisecond) {
		v, _ = b.ReadRegister(RegStart)
	}
	words := make([]uint64, m.MemoryBytes/8)
	if err := b.ReadMemory(words, 0); err != nil {
		return err
	}
	if err := model.WriteMemory(int(m.Address/8), words); err != nil {
		return err
	}
	for r := range Register(registers) {
		if v, _ := b.ReadRegister(r); r != RegSignature && r != RegStart {
			model.WriteRegister(r, v)
		}
	}
	model.WriteRegister(RegStart, 1)
	if err := model.ReadMemory(words, int(m.Address/8)); err != nil {
		return err
	}
	if err := b.WriteMemory(0, words); err != nil {
		return err
	}
	show()
	return b.WriteRegister(RegFinished, 1)
}
