package tables

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/internal/measure"
	"github.com/shadeonce/shadeonce/internal/names"
)

// RanBy is a strategy as it was asked for, with the one that ran.
func RanBy(strategy string, a measure.Auto) string {
	if a.Picked != "" {
		strategy += ": " + a.Picked
	}
	return strategy
}

// autoNotes are lines of why auto chose as it did, each reason of a file and order once.
func autoNotes[T any](rows []T, note func(*T) (file, order string, why []string)) string {
	var lines []string
	for i := range rows {
		file, order, why := note(&rows[i])
		for _, reason := range why {
			if reason != "" {
				lines = append(lines, fmt.Sprintf("%s, %s: %s\n", names.Printable(file), order, reason))
			}
		}
	}
	return strings.Join(slices.Compact(lines), "")
}

func geometryNote(r *measure.GeometryRow) (file, order string, why []string) {
	return r.File, r.Order, []string{r.Reason}
}

func frameNote(r *measure.FrameRow) (file, order string, why []string) {
	if r.Pass != measure.WholeFrame {
		return "", "", nil
	}
	return r.File, r.Order, []string{r.Reason, r.RasterReason}
}
