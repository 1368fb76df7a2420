package parquet

// This file decodes the compact protocol of Apache Thrift, in which Parquet keeps what
// it says about itself: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

import "encoding/binary"

// A record is a struct: its fields by their numbers, each an int64 (for numbers and truth
// values), []byte, []any or record. What has other types is left out.
type record map[int]any

func (r record) number(field int) int64 {
	n, _ := r[field].(int64)
	return n
}

func (r record) has(field int) bool { _, ok := r[field]; return ok }

func (r record) text(field int) string {
	b, _ := r[field].([]byte)
	return string(b)
}

func (r record) record(field int) record {
	s, _ := r[field].(record)
	return s
}

func (r record) list(field int) []any {
	l, _ := r[field].([]any)
	return l
}

// Types of the protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI16    = 4
	typeI32    = 5
	typeI64    = 6
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// A decoder reads values from the front of b. Once something is wrong, bad stays set.
type decoder struct {
	b     []byte
	bad   bool
	depth int
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) unsigned() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.bad = true
		return 0
	}
	d.b = d.b[n:]
	return v
}

// signed reads a number in zigzag form.
func (d *decoder) signed() int64 {
	v := d.unsigned()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.bad = true
		return nil
	}
	b := d.b[:n]
	d.b = d.b[n:]
	return b
}

// structure reads the fields of a struct.
func (d *decoder) structure() record {
	r := record{}
	last := 0
	for !d.bad {
		head := d.byte()
		if head == 0 {
			break
		}
		if step := int(head >> 4); step > 0 {
			last += step
		} else {
			last = int(d.signed())
		}
		if v := d.value(head & 15); v != nil {
			r[last] = v
		}
	}
	return r
}

// value reads a value; nil for one of a type that nobody asks for.
func (d *decoder) value(kind byte) any {
	if d.depth++; d.depth > 64 {
		d.bad = true
		return nil
	}
	defer func() { d.depth-- }()
	switch kind {
	case typeTrue:
		return int64(1)
	case typeFalse:
		return int64(0)
	case typeByte:
		return int64(int8(d.byte()))
	case typeI16, typeI32, typeI64:
		return d.signed()
	case typeDouble:
		d.bytes(8)
	case typeBinary:
		return d.bytes(d.unsigned())
	case typeList, typeSet:
		head := d.byte()
		n := uint64(head >> 4)
		if n == 15 {
			n = d.unsigned()
		}
		list := []any{}
		for k := uint64(0); k < n && !d.bad; k++ {
			list = append(list, d.element(head&15))
		}
		return list
	case typeMap:
		n := d.unsigned()
		if n == 0 {
			return nil
		}
		kinds := d.byte()
		for k := uint64(0); k < n && !d.bad; k++ {
			d.element(kinds >> 4)
			d.element(kinds & 15)
		}
	case typeStruct:
		return d.structure()
	default:
		d.bad = true
	}
	return nil
}

// element reads a value of a list or map. Each takes a byte at least, so that there are no more of
// them than there are bytes, whatever the count says.
func (d *decoder) element(kind byte) any {
	if kind == typeTrue || kind == typeFalse {
		return int64(d.byte())
	}
	return d.value(kind)
}
