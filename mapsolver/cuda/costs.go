package cuda

import (
	"fmt"
	"math"
	"unsafe"

	"mtt/internal/cuda"
)

// This file holds costs that lie on the card.

// A real is what costs and prices are made of.
type real interface{ float32 | float64 }

// A CostsOf is the costs of a number of dense problems of one size, in memory of the
// card, with an image on the host. They are uploaded once, or written by a kernel of
// the caller's, and solved by any number of batches, each of which has prices and pairs
// of its own.
//
// It is not safe for concurrent use, but its batches may solve at the same time.
type CostsOf[Real real] struct {
	Count, Rows, Cols int

	card   *card
	stream *cuda.Stream
	cost   cuda.Buffer
}

// Costs are kept as float32.
type Costs = CostsOf[float32]

const badBatch = "cuda: a batch needs problems of at least one row and as many columns"

// NewCosts makes room on the card for count problems of rows rows and at least as many
// columns. The error wraps [ErrUnavailable] when there is no card.
func NewCosts(count, rows, cols int) (*Costs, error) { return newCosts[float32](count, rows, cols) }

// NewCostsOn is NewCosts on card number k of the [Cards] that there are, so that
// several can work at the same time, each on problems of its own.
func NewCostsOn(k, count, rows, cols int) (*Costs, error) {
	list, err := allCards()
	if err != nil {
		return nil, err
	}
	if k < 0 || k >= len(list) {
		return nil, fmt.Errorf("%w: no card %d: there are %d", ErrUnavailable, k, len(list))
	}
	return newCostsOn[float32](list[k], count, rows, cols)
}

func newCosts[Real real](count, rows, cols int) (*CostsOf[Real], error) {
	card, err := defaultCard()
	if err != nil {
		return nil, err
	}
	return newCostsOn[Real](card, count, rows, cols)
}

func newCostsOn[Real real](card *card, count, rows, cols int) (*CostsOf[Real], error) {
	if count < 1 || rows < 1 || cols < rows {
		panic(badBatch)
	}
	var err error
	c := &CostsOf[Real]{Count: count, Rows: rows, Cols: cols, card: card}
	if c.stream, err = card.device.NewStream(); err == nil {
		err = c.cost.Resize(card.device, c.bytes(count))
	}
	if err != nil {
		_ = c.Free()
		return nil, err
	}
	if n := padded(cols); n > cols {
		cost := cuda.View[Real](&c.cost, 0, count*rows*n)
		for end := n; end <= len(cost); end += n {
			for e := end - n + cols; e < end; e++ {
				cost[e] = Real(math.Inf(1))
			}
		}
	}
	return c, nil
}

// Free gives the memory back.
func (c *CostsOf[Real]) Free() error {
	first := c.cost.Free()
	if err := c.stream.Free(); first == nil {
		first = err
	}
	c.stream = nil
	return first
}

// Row is the host's image of the costs of row r of problem i, for the caller to
// fill; +Inf is a pair that is not allowed. Upload makes the card see it.
func (c *CostsOf[Real]) Row(i, r int) []Real {
	return cuda.View[Real](&c.cost, c.size()*(i*c.Rows+r)*padded(c.Cols), c.Cols)
}

// Upload copies the costs of all problems to the card, and waits until they are there.
func (c *CostsOf[Real]) Upload() error {
	if err := c.stream.Push(&c.cost, 0, c.bytes(c.Count)); err != nil {
		return err
	}
	return c.stream.Wait()
}

// Address is where the costs of problem i lie on the card, for kernels that write them
// there: row by row, each of Cols numbers rounded up to a multiple of four, of which
// those past Cols are +Inf. Upload writes them all from the host's image.
func (c *CostsOf[Real]) Address(i int) uintptr { return c.cost.Address(c.bytes(i)) }

// bytes is the size of the costs of n problems, in whose rows numbers follow that make
// them begin at multiples of 16 bytes.
func (c *CostsOf[Real]) bytes(n int) int { return c.size() * n * c.Rows * padded(c.Cols) }

// size is that of a number.
func (c *CostsOf[Real]) size() int {
	var x Real
	return int(unsafe.Sizeof(x))
}
