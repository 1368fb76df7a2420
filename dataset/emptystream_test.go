package dataset_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"mtt/dataset"
)

// A stream of scans in which nothing was ever detected ends like others; one without a line is an error.
func TestEmptyStream(t *testing.T) {
	sr := dataset.NewScanReader(strings.NewReader(strings.Repeat("{\"time\":1,\"detections\":[]}\n", 3)), "in", "auto", nil)
	if _, err := sr.Next(); err != io.EOF {
		t.Errorf("scans without detections: %v", err)
	}
	var bad *dataset.SyntaxError
	if _, err := dataset.NewScanReader(strings.NewReader(""), "in", "auto", nil).Next(); !errors.As(err, &bad) {
		t.Errorf("no line: %v", err)
	}
}
