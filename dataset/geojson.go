package dataset

// This file reads GeoJSON (RFC 7946): features with points, or with lines along which each place has a time.

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// placeNames are what the coordinates of a place are called.
var placeNames = []string{"longitude", "latitude", "altitude"}

// featureRows are the rows of a feature: one for each of its places, with its properties. Lists of
// as many elements as a line has places, such as times and coordTimes, are of these places. A
// feature without a place has none: rows are empty, not nil.
func featureRows(members []jsonMember) (rows [][]jsonMember, err error) {
	var feature struct {
		ID         json.RawMessage `json:"id"`
		Properties json.RawMessage `json:"properties"`
		Geometry   struct {
			Type        string          `json:"type"`
			Coordinates json.RawMessage `json:"coordinates"`
		} `json:"geometry"`
	}
	for _, m := range members {
		var to any
		switch m.name {
		case "id":
			to = &feature.ID
		case "properties":
			to = &feature.Properties
		case "geometry":
			to = &feature.Geometry
		default:
			continue
		}
		if err := json.Unmarshal(m.value, to); err != nil {
			return nil, err
		}
	}
	var places []json.RawMessage
	switch feature.Geometry.Type {
	case "Point":
		places = []json.RawMessage{feature.Geometry.Coordinates}
	case "LineString", "MultiPoint":
		if places, err = elementsOf(feature.Geometry.Coordinates); err != nil {
			return nil, err
		}
	case "": // a feature without a place
		return [][]jsonMember{}, nil
	default:
		return nil, fmt.Errorf("a feature whose geometry is a %.20s: places are read of Point, LineString and MultiPoint", feature.Geometry.Type)
	}
	var properties []jsonMember
	if len(feature.Properties) > 0 && feature.Properties[0] == '{' {
		if properties, err = membersOf(feature.Properties); err != nil {
			return nil, err
		}
	}
	if feature.ID != nil && !mean(properties, ident) {
		properties = append(properties, jsonMember{"id", feature.ID})
	}
	of := make(map[string][]json.RawMessage) // properties with an element for each place
	for _, p := range properties {
		if elements, err := elementsOf(p.value); feature.Geometry.Type != "Point" && err == nil && len(elements) == len(places) {
			of[p.name] = elements
		}
	}
	if len(places) > 1 && !slices.ContainsFunc(properties, func(p jsonMember) bool { return timeOfPlaces(p.name) && of[p.name] != nil }) {
		return nil, fmt.Errorf("a %s whose places have no times: properties with a list times or coordTimes say them", feature.Geometry.Type)
	}
	for i, place := range places {
		row := make([]jsonMember, 0, len(properties)+len(placeNames))
		timed := false
		for _, p := range properties {
			switch elements := of[p.name]; {
			case elements != nil && timeOfPlaces(p.name):
				if !timed {
					row = append(row, jsonMember{"time", elements[i]})
				}
				timed = true
			case elements != nil:
				row = append(row, jsonMember{p.name, elements[i]})
			default:
				row = append(row, p)
			}
		}
		coordinates, err := elementsOf(place)
		if err != nil {
			return nil, err
		}
		if len(coordinates) < 2 {
			return nil, fmt.Errorf("a place of %d coordinates, longitude and latitude wanted", len(coordinates))
		}
		for c, x := range coordinates[:min(len(coordinates), len(placeNames))] {
			row = append(row, jsonMember{placeNames[c], x})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// timeOfPlaces says whether a property has the times of the places of a line.
func timeOfPlaces(name string) bool {
	name = plainName(name)
	if r, _ := meaning(strings.TrimSuffix(name, "s")); r == stamp {
		return true
	}
	return name == "coordtimes" || name == "coord_times"
}

// isGeoFeature says whether an object is a feature of GeoJSON.
func isGeoFeature(members []jsonMember) bool {
	return slices.ContainsFunc(members, func(m jsonMember) bool { return m.name == "type" && string(m.value) == `"Feature"` }) &&
		slices.ContainsFunc(members, func(m jsonMember) bool { return m.name == "geometry" })
}
