package trackgraph

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// This file writes a graph as an integer programme, in the LP and the MPS format, so that
// others can check its optimum.
//
// Variables are named for what they stand for: u_d detection d is used, x_a arc a is
// chosen, b_d and e_d are birth and end, q_d division, m_d merge, y_k division k of
// Divisions, z_k triplet k. All are binary, and
//
//	Σ in  x + b − m = u      b + m ≤ u
//	Σ out x + e − q − Σ y = u      e + q + Σ y ≤ u
//	y ≤ x of both its arcs     z ≤ x of both, z ≥ the sum of both less 1
//
// and where a detection has Divisions and Divide besides, y ≥ the sum of both x less 1.
// The constant, what not using anything costs, is in the objective as the variable one,
// which is 1.

// A term is a coefficient and the name of a variable.
type term struct {
	c    float64
	name string
}

// A constraint is Σ terms (<=, >= or =) right.
type constraint struct {
	terms []term
	sense string
	right float64
}

// A model is an integer programme: minimise objective over binary variables. Those in fixed
// are what it says.
type model struct {
	objective   []term
	constraints []constraint
	zero        []string // variables that are 0
}

func name(kind string, k int) string { return kind + "_" + strconv.Itoa(k) }

// linear is the integer programme of a graph.
func (g *Graph) linear() *model {
	n := g.Detections()
	m := &model{}
	constant := 0.0
	pay := func(c float64, v string) {
		if math.IsInf(c, 1) {
			m.zero = append(m.zero, v)
			c = 0
		}
		m.objective = append(m.objective, term{c, v})
	}
	st := func(sense string, right float64, terms ...term) {
		m.constraints = append(m.constraints, constraint{terms, sense, right})
	}
	inPtr, in := byNode(g.Head, n)
	outPtr, out := byNode(g.Tail, n)
	divisions := make(map[int32][]int)
	for k, d := range g.Divisions {
		divisions[g.Tail[d.First]] = append(divisions[g.Tail[d.First]], k)
	}
	for d := range n {
		use, unused := price(g.Use, d, 0), price(g.False, d, 0)
		u := name("u", d)
		if math.IsInf(unused, 1) {
			pay(use, u)
			st("=", 1, term{1, u})
		} else {
			constant += unused
			pay(use-unused, u)
		}
		b, e := name("b", d), name("e", d)
		pay(price(g.Birth, d, 0), b)
		pay(price(g.End, d, 0), e)
		arrive, begin := []term{{1, b}, {-1, u}}, []term{{1, b}, {-1, u}}
		for _, a := range in[inPtr[d]:inPtr[d+1]] {
			arrive = append(arrive, term{1, name("x", int(a))})
		}
		if g.merges(d) {
			v := name("m", d)
			pay(g.Merge[d], v)
			arrive, begin = append(arrive, term{-1, v}), append(begin, term{1, v})
		}
		st("=", 0, arrive...)
		st("<=", 0, begin...)
		leave, stop := []term{{1, e}, {-1, u}}, []term{{1, e}, {-1, u}}
		for _, a := range out[outPtr[d]:outPtr[d+1]] {
			leave = append(leave, term{1, name("x", int(a))})
		}
		if g.divides(d) {
			v := name("q", d)
			pay(g.Divide[d], v)
			leave, stop = append(leave, term{-1, v}), append(stop, term{1, v})
		}
		for _, k := range divisions[int32(d)] {
			v := name("y", k)
			pay(g.Divisions[k].Cost, v)
			leave, stop = append(leave, term{-1, v}), append(stop, term{1, v})
		}
		st("=", 0, leave...)
		st("<=", 0, stop...)
	}
	for a, c := range g.Cost {
		pay(c, name("x", a))
	}
	product := func(v string, a, b int32, from, to bool) {
		x, y := name("x", int(a)), name("x", int(b))
		if to {
			st("<=", 0, term{1, v}, term{-1, x})
			st("<=", 0, term{1, v}, term{-1, y})
		}
		if from {
			st(">=", -1, term{1, v}, term{-1, x}, term{-1, y})
		}
	}
	for k, d := range g.Divisions {
		product(name("y", k), d.First, d.Second, g.divides(int(g.Tail[d.First])), true)
	}
	for k, t := range g.Triplets {
		v := name("z", k)
		pay(t.Cost, v)
		product(v, t.In, t.Out, t.Cost > 0, t.Cost < 0)
	}
	if constant != 0 {
		pay(constant, "one")
		st("=", 1, term{1, "one"})
	}
	return m
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// WriteLP writes g in the LP format of CPLEX, which HiGHS, SCIP, CBC and Gurobi read. See
// the head of this file for the names of its variables.
func (g *Graph) WriteLP(w io.Writer) error {
	m := g.linear()
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "\\ a tracking problem: %d detections, %d arcs\nMinimize\n obj:", g.Detections(), len(g.Cost))
	write := func(terms []term) {
		for k, t := range terms {
			if k > 0 && k%8 == 0 {
				b.WriteString("\n ")
			}
			sign := "+"
			if t.c < 0 || t.c == 0 && math.Signbit(t.c) {
				sign = "-"
			}
			fmt.Fprintf(b, " %s %s %s", sign, number(math.Abs(t.c)), t.name)
		}
		b.WriteString("\n")
	}
	write(m.objective)
	b.WriteString("Subject To\n")
	for k, c := range m.constraints {
		fmt.Fprintf(b, " c%d:", k)
		for i, t := range c.terms {
			if i > 0 && i%8 == 0 {
				b.WriteString("\n ")
			}
			sign := "+"
			if t.c < 0 {
				sign = "-"
			}
			fmt.Fprintf(b, " %s %s %s", sign, number(math.Abs(t.c)), t.name)
		}
		fmt.Fprintf(b, " %s %s\n", c.sense, number(c.right))
	}
	if len(m.zero) > 0 {
		b.WriteString("Bounds\n")
		for _, v := range m.zero {
			fmt.Fprintf(b, " %s = 0\n", v)
		}
	}
	b.WriteString("Binary\n")
	for _, t := range m.objective {
		fmt.Fprintf(b, " %s\n", t.name)
	}
	b.WriteString("End\n")
	return b.Flush()
}

// WriteMPS writes g in the free MPS format; see WriteLP. Where names have eight letters at most,
// the columns are those of the fixed format too.
func (g *Graph) WriteMPS(w io.Writer) error {
	m := g.linear()
	b := bufio.NewWriter(w)
	b.WriteString("NAME          tracks\nROWS\n N  obj\n")
	column := make(map[string][]constraintTerm, len(m.objective))
	for k, c := range m.constraints {
		fmt.Fprintf(b, " %s  c%d\n", map[string]string{"=": "E", "<=": "L", ">=": "G"}[c.sense], k)
		for _, t := range c.terms {
			column[t.name] = append(column[t.name], constraintTerm{k, t.c})
		}
	}
	b.WriteString("COLUMNS\n    MARKER    'MARKER'                 'INTORG'\n")
	for _, t := range m.objective {
		fmt.Fprintf(b, "    %-8s  obj       %s\n", t.name, number(t.c))
		for _, x := range column[t.name] {
			fmt.Fprintf(b, "    %-8s  c%-7d  %s\n", t.name, x.row, number(x.c))
		}
	}
	b.WriteString("    MARKER    'MARKER'                 'INTEND'\nRHS\n")
	for k, c := range m.constraints {
		if c.right != 0 {
			fmt.Fprintf(b, "    rhs       c%-7d  %s\n", k, number(c.right))
		}
	}
	b.WriteString("BOUNDS\n")
	zero := make(map[string]bool, len(m.zero))
	for _, v := range m.zero {
		zero[v] = true
	}
	for _, t := range m.objective {
		if zero[t.name] {
			fmt.Fprintf(b, " FX bnd       %-8s  0\n", t.name)
		} else {
			fmt.Fprintf(b, " BV bnd       %s\n", t.name)
		}
	}
	b.WriteString("ENDATA\n")
	return b.Flush()
}

type constraintTerm struct {
	row int
	c   float64
}
