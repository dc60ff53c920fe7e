package geometry

import (
	"errors"
	"fmt"
	"slices"
)

// Number is what users call draw i by: in a captured frame the event that draws it, which its
// instances share, else its place in the list.
func (s *Scene) Number(i int) int {
	if event := s.Draws[i].Event; event > 0 {
		return int(event)
	}
	return i
}

// CheckEvents takes the events away unless every draw has one: numbers are of one kind.
func (s *Scene) CheckEvents() {
	if slices.ContainsFunc(s.Draws, func(d Draw) bool { return d.Event == 0 }) {
		for i := range s.Draws {
			s.Draws[i].Event = 0
		}
	}
}

// Numbered returns the draws whose numbers are from first to last, at least one.
func (s *Scene) Numbered(first, last int) (draws []int, err error) {
	below, above := -1, -1
	for i := range s.Draws {
		switch n := s.Number(i); {
		case n < first:
			below = max(below, n)
		case n <= last:
			draws = append(draws, i)
		case above < 0 || n < above:
			above = n
		}
	}
	byEvent := len(s.Draws) > 0 && s.Draws[0].Event > 0
	switch {
	case !byEvent && (first < 0 || last >= len(s.Draws)) && len(s.Draws) == 1:
		return nil, errors.New("there is only draw 0")
	case !byEvent && (first < 0 || last >= len(s.Draws)):
		return nil, fmt.Errorf("there are draws 0 to %d", len(s.Draws)-1)
	case len(draws) > 0:
		return draws, nil
	case below < 0:
		return nil, fmt.Errorf("no draw has this event: the first one with a draw is %d", above)
	case above < 0:
		return nil, fmt.Errorf("no draw has this event: the last one with a draw is %d", below)
	}
	return nil, fmt.Errorf("no draw has this event: the nearest with draws are %d and %d", below, above)
}
