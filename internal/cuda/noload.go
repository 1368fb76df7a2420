//go:build !cuda || !linux

package cuda

import "errors"

// This file stands for the driver in builds without the tag cuda.

// load says why there is no driver.
func load() (Library, error) {
	return nil, errors.New("not in this build: it takes Linux and 'go build -tags cuda'")
}
