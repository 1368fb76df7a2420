//lint:file-ignore U1000 the fields are read by reflection

package layout

import (
	"strings"
	"testing"
)

// A pair is two addresses.
type pair struct {
	first uintptr `c:"const Real *"` // n

	// A list.
	list [2]uintptr `c:"int *"`
	n    int32
	_    int32
}

// A box holds a pair.
type box struct {
	pair
	wide int64
}

type untold struct{ a uintptr }

// TestHeader wants names, comments and assertions in C++.
func TestHeader(t *testing.T) {
	text, err := Header("mtt", "layout_test.go", []Constant{{"SEVEN", 7, "days"}}, pair{}, box{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"const int SEVEN = 7; // days\n", "// A Pair is two addresses.\ntemplate <typename Real> struct Pair {\n",
		"\tconst Real *first; // n\n", "\n\n\t// A list.\n\tint *list[2];\n", "\tint unused1;\n",
		"sizeof(S) == 32,", "__builtin_offsetof(S, n) == 24",
		"template <typename Real> struct Box {\n\tPair pair;\n\tlong long wide;\n", "typedef Box<double> S;",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the header lacks %q:\n%s", want, text)
		}
	}
	if _, err := Header("mtt", "layout.go", nil, pair{}); err == nil {
		t.Error("a struct that the source does not have is no error")
	}
	defer func() {
		if recover() == nil {
			t.Error("a field without its C++ type does not panic")
		}
	}()
	_, _ = Header("mtt", "layout_test.go", nil, untold{})
}
