package cuda

import (
	"fmt"
	"sync"

	"mtt/internal/cuda"
)

// This file holds what all ascents of a program share: the card and its kernels.

// ErrUnavailable is wrapped by errors that say why no card can be used.
var ErrUnavailable = cuda.ErrUnavailable

// Available is nil when this program has a card, else an error that wraps
// [ErrUnavailable] and says why not. The first call opens the driver, which takes
// some 0.3 s where there is one.
func Available() error {
	_, err := defaultCard()
	return err
}

// warned is done when somebody has been told that the card is not used.
var warned sync.Once

// A card is a device with the module of the kernels.
type card struct {
	device *cuda.Device

	mu      sync.Mutex
	module  *cuda.Module
	kernels map[string]cuda.Kernel
}

// defaultCard opens the card of the program: one that is new enough for kernels that
// reduce over a warp in one instruction.
var defaultCard = sync.OnceValues(func() (*card, error) {
	device, err := cuda.Default()
	if err != nil {
		return nil, err
	}
	if device.Major < 8 {
		return nil, fmt.Errorf("%w: %s: 8.0 or more is needed", ErrUnavailable, device)
	}
	return newCard(device), nil
})

func newCard(device *cuda.Device) *card {
	return &card{device: device, kernels: map[string]cuda.Kernel{}}
}

// allCards are that one and the others of the machine that are as new, which reach each other's
// memory where they can.
var allCards = sync.OnceValues(func() ([]*card, error) {
	first, err := defaultCard()
	if err != nil {
		return nil, err
	}
	devices, err := cuda.Devices()
	if err != nil {
		return nil, err
	}
	list := []*card{first}
	for _, d := range devices {
		if d != first.device && d.Major >= 8 {
			list = append(list, newCard(d))
		}
	}
	for _, c := range list {
		for _, other := range list {
			if c != other {
				c.device.Reach(other.device)
			}
		}
	}
	return list, nil
})

// Cards is the number of cards that [NewSplit] can share a problem among; 0 without any.
func Cards() int {
	list, err := allCards()
	if err != nil {
		return 0
	}
	return len(list)
}

// kernel finds a kernel, and loads the module before the first.
func (c *card) kernel(name string) (cuda.Kernel, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.kernels[name]; ok {
		return k, nil
	}
	if c.module == nil {
		m, err := c.device.Load(ascentPTX)
		if err != nil {
			return cuda.Kernel{}, err
		}
		c.module = m
	}
	k, err := c.module.Kernel(name)
	if err == nil {
		c.kernels[name] = k
	}
	return k, err
}
