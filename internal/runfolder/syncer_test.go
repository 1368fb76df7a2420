package runfolder

import (
	"errors"
	"sync"
	"testing"
)

// A slowFile counts what it is told, and fails to last the first time.
type slowFile struct {
	file
	mu               sync.Mutex
	written, lasting int // bytes, and those of them at the last call of Sync
	syncs            int
	fault            error // of the first call of Sync
}

func (f *slowFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.written += len(p)
	return len(p), nil
}

func (f *slowFile) Sync() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.syncs++
	if f.syncs == 1 && f.fault != nil {
		return f.fault
	}
	f.lasting = f.written
	return nil
}

// TestSyncer: what was written last lasts too, and a fault that the system told of in the middle is
// not forgotten.
func TestSyncer(t *testing.T) {
	fault := errors.New("no space")
	for _, want := range []error{nil, fault} {
		f := &slowFile{fault: want}
		s := &syncer{file: f}
		for range 3 {
			if n, err := s.Write(make([]byte, ahead)); n != ahead || err != nil {
				t.Fatal(n, err)
			}
		}
		if err := s.finish(true); !errors.Is(err, want) {
			t.Errorf("finish: %v, want %v", err, want)
		}
		if want == nil && (f.lasting != 3*ahead || f.syncs < 2) {
			t.Errorf("%d of %d bytes last, after %d calls", f.lasting, f.written, f.syncs)
		}
	}
}
