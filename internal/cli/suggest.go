package cli

// This file finds what a misspelt word was meant to be.

import (
	"strings"
)

// nearest is the name closest to word by edit distance, or "" when none is
// close: more than a third of the letters, and more than one, would differ. A
// name that word begins, or that begins with word, counts as close as well. Of
// equally close names the first wins.
func nearest(word string, names []string) string {
	word = strings.ToLower(word)
	best, bestDistance := "", max(1, len(word)/3)+1
	for _, name := range names {
		d := editDistance(word, strings.ToLower(name))
		if len(word) >= 3 && strings.HasPrefix(name, word) {
			d = min(d, 1)
		}
		if d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (optimal string alignment, O(len(a)·len(b))).
func editDistance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			change := row[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			next[j] = min(change, row[j]+1, next[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}

// DidYouMean is "did you mean X?" for the name nearest to word, or a list of all
// names when none is near.
func DidYouMean(word, prefix string, names []string) string {
	if name := nearest(word, names); name != "" {
		return "did you mean " + prefix + name + "?"
	}
	return "choose from " + prefix + strings.Join(names, ", "+prefix)
}
