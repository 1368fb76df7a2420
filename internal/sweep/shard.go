package sweep

// This file defines shards: the parts in which a sweep can be run.

import (
	"fmt"
	"strconv"
	"strings"

	"mtt/internal/cli"
)

// A Shard is one of several parts of a sweep: the tasks t with t mod Of = Index-1.
type Shard struct{ Index, Of int }

// String is the shard as --shard takes it.
func (p Shard) String() string { return fmt.Sprintf("%d/%d", p.Index, p.Of) }

// ShardOption binds --shard.
func ShardOption(dst *Shard) cli.Option {
	*dst = Shard{1, 1}
	return cli.Option{
		Name:  "shard",
		Usage: "`I/N`: only part I of N, for N machines or jobs; mtt merge puts the parts together",
		Set: func(text string) error {
			i, n, ok := strings.Cut(text, "/")
			index, err1 := strconv.Atoi(i)
			of, err2 := strconv.Atoi(n)
			if !ok || err1 != nil || err2 != nil || index < 1 || index > of {
				return fmt.Errorf("%q is not I/N with I from 1 to N", text)
			}
			*dst = Shard{index, of}
			return nil
		},
		Get: func() any { return dst.String() },
	}
}
