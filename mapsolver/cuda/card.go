package cuda

import (
	"fmt"
	"sync"

	"mtt/internal/cuda"
)

// This file holds what all solvers of a program share: the card and its kernels.

// ErrUnavailable is wrapped by errors that say why no card can be used.
var ErrUnavailable = cuda.ErrUnavailable

// Available is nil when this program has a card that the solvers can use, else
// an error that wraps [ErrUnavailable] and says why not. The first call opens
// the driver, which takes some 0.3 s where there is one.
func Available() error {
	_, err := defaultCard()
	return err
}

// Card names the card in use, or is empty without one.
func Card() string {
	c, err := defaultCard()
	if err != nil {
		return ""
	}
	return c.device.String()
}

// Cards is how many cards the solvers can use; 0 without any. The first call opens
// them all.
func Cards() int {
	list, err := allCards()
	if err != nil {
		return 0
	}
	return len(list)
}

// A card is a device with the kernels that have been asked for so far.
type card struct {
	device *cuda.Device
	warned sync.Once // of a fault

	mu      sync.Mutex
	modules map[string]*cuda.Module // by suffix
	kernels map[string]cuda.Kernel
}

// defaultCard opens the card of the program.
var defaultCard = sync.OnceValues(func() (*card, error) {
	device, err := cuda.Default()
	if err != nil {
		return nil, err
	}
	return newCard(device)
})

// allCards opens all cards of the machine that are new enough; the first is that of
// the program.
var allCards = sync.OnceValues(func() ([]*card, error) {
	first, err := defaultCard()
	if err != nil {
		return nil, err
	}
	list := []*card{first}
	devices, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	for _, d := range devices[1:] {
		if c, err := newCard(d); err == nil {
			list = append(list, c)
		}
	}
	return list, nil
})

// newCard makes a card of a device that is new enough: the kernels reduce over a
// warp in one instruction, which capability 8.0 brought.
func newCard(device *cuda.Device) (*card, error) {
	if device.Major < 8 {
		return nil, fmt.Errorf("%w: %s: 8.0 or more is needed", ErrUnavailable, device)
	}
	return &card{device: device, modules: map[string]*cuda.Module{}, kernels: map[string]cuda.Kernel{}}, nil
}

// images are the modules, by the suffix of their kernels' names.
var images = map[string]string{"_f32": blockF32, "_f64": blockF64, "_c32": clusterF32, "_w32": wideF32, "_h64": hungarianF64, "_p64": pointsF64}

// kernel finds a kernel, and loads the module that it is in. The suffix of its
// name says which.
func (c *card) kernel(name string) (cuda.Kernel, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.kernels[name]; ok {
		return k, nil
	}
	suffix := name[len(name)-4:]
	m := c.modules[suffix]
	if m == nil {
		var err error
		if m, err = c.device.Load(images[suffix]); err != nil {
			return cuda.Kernel{}, err
		}
		c.modules[suffix] = m
	}
	k, err := m.Kernel(name)
	if err == nil {
		c.kernels[name] = k
	}
	return k, err
}
