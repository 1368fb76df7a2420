package cli

// This file reads records from JSON.

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// ParseRecord reads what a record is as JSON. Keys keep their order, objects are records, and a number is
// an int where it is written as one; units, notes and digits are not there. Its JSON is that
// which was read.
func ParseRecord(text []byte) (Record, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := parseValue(d)
	if err == nil && d.More() {
		err = fmt.Errorf("more than one object")
	}
	r, ok := v.(Record)
	if err == nil && !ok {
		err = fmt.Errorf("not an object")
	}
	return r, err
}

// parseValue reads a value of a record.
func parseValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Number:
		if !strings.ContainsAny(v.String(), ".eE") {
			if n, err := v.Int64(); err == nil {
				return n, nil
			}
			return v, nil
		}
		return v.Float64()
	case json.Delim:
		if v == '[' {
			return parseList(d)
		}
		r := Record{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			value, err := parseValue(d)
			if err != nil {
				return nil, err
			}
			r.Add(key.(string), value)
		}
		_, err := d.Token()
		return r, err
	}
	return token, nil
}

// parseList reads the rest of a list: of records, of texts, or of anything.
func parseList(d *json.Decoder) (any, error) {
	all := []any{}
	var records []Record
	var texts []string
	for d.More() {
		v, err := parseValue(d)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
		switch v := v.(type) {
		case Record:
			records = append(records, v)
		case string:
			texts = append(texts, v)
		}
	}
	_, err := d.Token()
	switch len(all) {
	case 0:
	case len(records):
		return records, err
	case len(texts):
		return texts, err
	}
	return all, err
}
