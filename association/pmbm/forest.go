package pmbm

// This file holds the union-find structure behind clusters and their parts.

// A forest is a union-find structure whose roots are the least members.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	f.reset()
	return f
}

func (f forest) reset() {
	for i := range f {
		f[i] = i
	}
}

func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(i, j int) {
	i, j = f.root(i), f.root(j)
	f[max(i, j)] = min(i, j)
}

// groups lists the members of each tree, ascending, in order of the roots.
func (f forest) groups() [][]int {
	list := make([][]int, 0, len(f))
	place := make([]int, len(f))
	for i := range f {
		r := f.root(i)
		if r == i {
			place[i] = len(list)
			list = append(list, nil)
		}
		list[place[r]] = append(list[place[r]], i)
	}
	return list
}
