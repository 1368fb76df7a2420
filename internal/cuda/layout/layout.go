// Package layout writes the C++ side of what Go and kernels share: structs of a Go file,
// field by field, with assertions that the compiler of the kernels lays them out as Go
// does. Tests compare its output with the header in the repository, and write it with
// -update.
package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"unicode"
)

// A Constant is a number that both sides know.
type Constant struct {
	Name  string // in C++
	Value int
	About string
}

// Header returns a C++ header with constants and structs, which are zero values of types of
// the Go file named source, in an order in which each follows what it contains. module is
// the folder in which source is, as the head of the header names it.
//
// A struct has the name of the Go type with its first letter in upper case and the comments
// of the Go file. A field of type uintptr has a tag c with its C++ type; a struct one of
// whose tags names Real is a template. Fields named _ are padding. Header panics on a type
// that it does not know.
func Header(module, source string, constants []Constant, structs ...any) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, source, nil, parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("layout: %w", err)
	}
	comments := commentsOf(file)
	var b strings.Builder
	fmt.Fprintf(&b, "// Code generated from %s/%s by go test -update. DO NOT EDIT.\n#pragma once\n#include \"internal/cuda/kernels/device.h\"\n", module, source)
	if len(constants) > 0 {
		b.WriteByte('\n')
	}
	for _, c := range constants {
		line := fmt.Sprintf("const int %s = %d;", c.Name, c.Value)
		if c.About != "" {
			line += " // " + c.About
		}
		b.WriteString(line + "\n")
	}
	for _, s := range structs {
		t := reflect.TypeOf(s)
		c, ok := comments[t.Name()]
		if !ok {
			return nil, fmt.Errorf("layout: %s has no type %s", source, t.Name())
		}
		write(&b, t, c)
	}
	return []byte(b.String()), nil
}

// comment is what the source says of a struct: doc above it, and above and beside each field.
type comment struct {
	doc           string
	above, beside []string
}

func commentsOf(file *ast.File) map[string]*comment {
	list := map[string]*comment{}
	for _, d := range file.Decls {
		general, ok := d.(*ast.GenDecl)
		if !ok || general.Tok != token.TYPE {
			continue
		}
		for _, s := range general.Specs {
			spec := s.(*ast.TypeSpec)
			body, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			c := &comment{doc: general.Doc.Text()}
			for _, f := range body.Fields.List {
				for i := range max(len(f.Names), 1) {
					above := ""
					if i == 0 {
						above = f.Doc.Text()
					}
					c.above = append(c.above, above)
					c.beside = append(c.beside, strings.TrimSpace(f.Comment.Text()))
				}
			}
			list[spec.Name.Name] = c
		}
	}
	return list
}

func write(b *strings.Builder, t reflect.Type, c *comment) {
	name := typeName(t)
	b.WriteByte('\n')
	b.WriteString(lines("", strings.Replace(c.doc, t.Name(), name, 1)))
	full := name
	if isTemplate(t) {
		b.WriteString("template <typename Real> ")
		full += "<double>"
	}
	fmt.Fprintf(b, "struct %s {\n", name)
	var asserts []string
	padding := 0
	for i := range t.NumField() {
		f := t.Field(i)
		if c.above[i] != "" {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(lines("\t", c.above[i]))
		}
		field := f.Name
		if field == "_" {
			padding++
			field = fmt.Sprintf("unused%d", padding)
		}
		kind, dimension := f.Type, ""
		if kind.Kind() == reflect.Array {
			kind, dimension = kind.Elem(), fmt.Sprintf("[%d]", f.Type.Len())
		}
		spelled := spell(kind, f.Tag.Get("c"), t.Name()+"."+f.Name)
		if !strings.HasSuffix(spelled, "*") {
			spelled += " "
		}
		fmt.Fprintf(b, "\t%s%s%s;", spelled, field, dimension)
		if c.beside[i] != "" {
			fmt.Fprintf(b, " // %s", c.beside[i])
		}
		b.WriteByte('\n')
		asserts = append(asserts, fmt.Sprintf("__builtin_offsetof(S, %s) == %d", field, f.Offset))
	}
	b.WriteString("};\n")
	fmt.Fprintf(b, "namespace layoutOf%s {\ntypedef %s S;\nstatic_assert(sizeof(S) == %d, \"Go and C++ differ in the size of %s\");\n", name, full, t.Size(), name)
	fmt.Fprintf(b, "static_assert(%s,\n\t\"Go and C++ differ in the places of the fields of %s\");\n}\n", strings.Join(asserts, " &&\n\t"), name)
}

// lines makes text a comment.
func lines(indent, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		b.WriteString(strings.TrimRight(indent+"// "+line, " ") + "\n")
	}
	return b.String()
}

// typeName is the name of t in C++.
func typeName(t reflect.Type) string {
	r := []rune(t.Name())
	return string(unicode.ToUpper(r[0])) + string(r[1:])
}

// isTemplate reports whether a field of t, or of what it contains, depends on Real.
func isTemplate(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if strings.Contains(f.Tag.Get("c"), "Real") || f.Type.Kind() == reflect.Struct && isTemplate(f.Type) {
			return true
		}
	}
	return false
}

// spell is the C++ type of a field.
func spell(t reflect.Type, tag, where string) string {
	switch t.Kind() {
	case reflect.Uintptr:
		if tag == "" {
			panic("layout: " + where + " has no tag with its C++ type")
		}
		return tag
	case reflect.Int32:
		return "int"
	case reflect.Int64:
		return "long long"
	case reflect.Float32:
		return "float"
	case reflect.Float64:
		return "double"
	case reflect.Struct:
		return typeName(t)
	}
	panic("layout: " + where + " is of no type that C++ has")
}
