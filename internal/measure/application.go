package measure

import (
	"fmt"
	"strconv"

	"github.com/shadeonce/shadeonce/geometry/reuse"
	"github.com/shadeonce/shadeonce/internal/built"
)

// ApplicationRow is what one strategy shaded in one part of an application's work.
type ApplicationRow struct {
	Schema       int     `json:"schema"`
	App          string  `json:"app"`
	File         string  `json:"file"`
	Order        string  `json:"order"`
	Part         string  `json:"part"` // such as: level 1, outer, 10 steps
	Strategy     string  `json:"strategy"`
	Lanes        int     `json:"lanes"`
	Batching     string  `json:"batching"`
	Batch        int     `json:"batch"`
	Unique       int     `json:"unique"` // most unique ids per iteration
	Backend      string  `json:"backend"`
	Device       string  `json:"device"`
	IDs          int     `json:"ids"`
	Referenced   int     `json:"referenced"`
	Indices      int     `json:"indices"`
	Invocations  int     `json:"invocations"`
	Edges        int     `json:"edge_invocations"` // the part of Invocations that shaded edges; subdivide only
	Reuse        float64 `json:"reuse"`
	Ideal        float64 `json:"ideal"`
	Milliseconds float64 `json:"ms"`
	Tables       float64 `json:"tables_ms"`      // time to build the tables that the shade function reads; not part of ms
	Cutting      float64 `json:"cut_ms"`         // time to cut the batches on the host, for a GPU; not part of ms
	Sorting      float64 `json:"sort_ms"`        // time to sort agents; part of ms; walk only
	VsNaive      float64 `json:"vs_naive"`       // naive's time divided by this one's; 0 where naive was not run
	VsNaiveIndex float64 `json:"vs_naive_index"` // the same for naive-index
	Hash         string  `json:"hash"`           // of the result
	built.Program
}

// Sizes is the row's batch: at most so many indices and, where batches are dynamic, so
// many unique ids.
func (r *ApplicationRow) Sizes() string {
	if r.Batching == reuse.DynamicBatching.String() {
		return fmt.Sprintf("%d/%d", r.Batch, r.Unique)
	}
	return strconv.Itoa(r.Batch)
}
