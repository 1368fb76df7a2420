package cycle

import "math/rand/v2"

// This file draws the random sparse problems of the article.

// Random draws a problem of the article's random set: each agent has a reward for
// k of the objects, uniform from 0 to top. The article states neither the range nor
// the generator; its published files of 400 agents have 8 bits, zeros included, so
// a few entries of k are missing.
//
// It takes O(agents·objects) time.
func Random(rng *rand.Rand, agents, objects, k int, top uint32) *Problem {
	p := &Problem{Objects: objects, Ptr: make([]int, 1, agents+1)}
	for range agents {
		// Of the objects that are left, those that are wanted are equally likely.
		for j, wanted := 0, k; j < objects; j++ {
			if rng.IntN(objects-j) >= wanted {
				continue
			}
			wanted--
			if r := rng.Uint32N(top + 1); r > 0 {
				p.Object = append(p.Object, int32(j))
				p.Reward = append(p.Reward, r)
			}
		}
		p.Ptr = append(p.Ptr, len(p.Object))
	}
	return p
}
