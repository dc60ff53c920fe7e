package plan

import (
	"errors"
	"fmt"
	"strings"

	"github.com/shadeonce/shadeonce/renderer"
)

// Mode is a property that a frame may ask for, such as a rasterizer or a view. It may exclude other modes.
type Mode struct {
	Name  string                       // in the matrix
	Flag  string                       // flag that asks for it, with values of the frame in braces; empty if there is none
	asked func(f *renderer.Frame) bool // whether a frame, maybe with no scene open yet, asks for the mode; nil if a frame does not show it
}

// The modes.
var (
	PipelineAlone = &Mode{"graphics pipeline alone", "--strategy " + renderer.HardwareStrategy, func(f *renderer.Frame) bool { return f.Raw }}
	AnyStrategy   = &Mode{"strategy", "--strategy", func(f *renderer.Frame) bool { return f.Reuse.Strategy != nil }}
	WholeDraws    = &Mode{"whole draws", "--strategy multi", func(f *renderer.Frame) bool { return f.Reuse.Strategy != nil && f.Reuse.Strategy.WholeDraws }}
	ListedBatches = &Mode{"lists of batches", "--strategy meshlet", func(f *renderer.Frame) bool { return f.Reuse.Strategy != nil && f.Reuse.Strategy.Listed }}
	Fused         = &Mode{"fused rasterizer", "--raster fused", func(f *renderer.Frame) bool { return f.Raster == renderer.FusedRaster && !f.NoRaster && !f.Raw }}
	PlacedDraws   = &Mode{"whole draws, fused", "--strategy multi --raster fused", func(f *renderer.Frame) bool { return WholeDraws.isAsked(f) && Fused.isAsked(f) }}
	MeshShader    = &Mode{"mesh shader", "--raster mesh", func(f *renderer.Frame) bool { return f.Raster == renderer.MeshRaster && !f.Raw }}
	Unmeshed      = &Mode{"strategy without a mesh shader", "--strategy {strategy}", func(f *renderer.Frame) bool {
		return f.Reuse.Strategy != nil && !f.Reuse.Auto && !hasMeshShader(f.Reuse.Strategy)
	}}
	OtherRaster = &Mode{"other rasterizer", "--raster {raster}", func(f *renderer.Frame) bool {
		return f.Raster != renderer.HardwareRaster && f.Raster != renderer.AutoRaster
	}}
	NoPicture     = &Mode{"geometry stage alone", "", func(f *renderer.Frame) bool { return f.NoRaster }}
	Expanded      = &Mode{"expanded queue", "--queue expanded", func(f *renderer.Frame) bool { return f.Queue == renderer.Expanded }}
	NarrowAtomics = &Mode{"32-bit atomics", "", func(f *renderer.Frame) bool { return f.NarrowAtomics }}
	Culling       = &Mode{"culling", "--cull", func(f *renderer.Frame) bool { return f.Cull }}
	NoCulling     = &Mode{"no culling", "", func(f *renderer.Frame) bool { return !f.Cull }}
	CulledFaces   = &Mode{"culled back faces", "--cull-faces {faces}", func(f *renderer.Frame) bool { return f.CullFaces != renderer.FacesOfFile }}
	Subdivision   = &Mode{"subdivided mesh", "--subdivide", func(f *renderer.Frame) bool { return f.Scene != nil && f.Scene.Computed != nil }}
	Skinning      = &Mode{"skin", "--load skin", func(f *renderer.Frame) bool { return f.VertexShader == renderer.Skin }}
	OurShader     = &Mode{"skin or displace", "--load {shader}", func(f *renderer.Frame) bool { return f.VertexShader != renderer.Transform }}
	AnyLoad       = &Mode{"load", "--load {load}", func(f *renderer.Frame) bool { return f.Load != 0 }}
	UserShader    = &Mode{"vertex shader of a file", "--vertex-shader", func(f *renderer.Frame) bool { return f.Shading != nil }}
	OwnCounts     = &Mode{"counts of its own", "--view counts", func(f *renderer.Frame) bool { return f.View == renderer.Counts && f.Shown == nil }}
	BatchesView   = &Mode{"batches view", "--view batches", func(f *renderer.Frame) bool { return f.View == renderer.Batches }}
	ShapeCounts   = &Mode{"counts by shape", "", func(f *renderer.Frame) bool { return f.ShownByShape }}
	ByShape       = &Mode{"counts of one draw of each shape", "", nil} // used by package measure
	Windows       = &Mode{"windows", "--device-budget", nil}           // resolved from the memory that a frame needs
	Textures      = &Mode{"textures", "", func(f *renderer.Frame) bool { return f.Textured() && !f.NoRaster }}
	Distanced     = &Mode{"clip or cull distances", "", func(f *renderer.Frame) bool { return f.Distances().Total() > 0 }}
	OnCPU         = &Mode{"CPU backend", "--backend cpu", nil}
)

// Exclusion is a row of the matrix: two modes that a frame cannot have at once. Braces in its texts
// stand for values of the frame, or for the flag of the other mode.
type Exclusion struct {
	Mode, Other *Mode
	Why         string // follows the mode's flag in an error of the command line; empty if only plans are refused
	text        string // the error of a plan, or for Windows its end; empty if plans do not check the pair
}

// Matrix lists the pairs of modes that exclude each other. Errors and the table in
// docs/design/plan.md are made from it.
var Matrix = []Exclusion{
	{OurShader, Subdivision, "moves vertices of stored meshes: it excludes {other}", "vertex shader {shader} moves vertices of stored meshes, not of one that is subdivided while it is drawn"},
	{OurShader, UserShader, "", "vertex shaders {shader} and {module} at once"},
	{UserShader, Subdivision, "shades vertices of stored meshes: it excludes {other}", "vertex shader {module} is given vertices of stored meshes, not of one that is subdivided while it is drawn"},
	{ShapeCounts, WholeDraws, "", "counts by shape need counts to show, and a strategy that does not take whole draws"},
	{Fused, Expanded, "", "the fused rasterizer has no queue of vertices that could be expanded: --raster compute does"},
	{Fused, NarrowAtomics, "", "the fused rasterizer needs 64-bit atomics: --raster compute does"},
	{PlacedDraws, Culling, "", "the fused rasterizer culls batch by batch, and {strategy} has none: --raster compute does"},
	{PlacedDraws, BatchesView, "", "the fused rasterizer shows which batch has a triangle, and {strategy} shades vertices by batches of their own: --raster compute does"},
	{MeshShader, Unmeshed, "excludes {other}", "no mesh shader has strategy {strategy}: --raster hardware does"},
	{MeshShader, Expanded, "excludes {other}", "a mesh shader fills no queue of vertices that could be expanded: --raster hardware does"},
	{MeshShader, Textures, "", "a mesh shader draws no textures: --raster hardware does"},
	{MeshShader, Distanced, "", "a mesh shader draws without the clip and cull distances that vertex shader {module} writes: --raster hardware does"},
	{CulledFaces, NoCulling, "needs --cull", "back faces of {faces} are to be dropped, but nothing is culled"},
	{Culling, Expanded, "needs --queue indexed", "culling needs the indexed queue: in the expanded one every triangle has shaded its own vertices"},
	{PipelineAlone, Subdivision, "draws stored meshes: it excludes {other}", "the graphics pipeline alone draws stored meshes, not one that is subdivided while it is drawn"},
	{PipelineAlone, AnyStrategy, "", "the graphics pipeline draws without strategy {strategy}"},
	{PipelineAlone, NoPicture, "", "the graphics pipeline alone always draws a picture"},
	{PipelineAlone, OtherRaster, "excludes {other}", "the graphics pipeline alone draws by the hardware rasterizer, not by {raster}"},
	{PipelineAlone, BatchesView, "has no batches to show: it excludes {other}", "the graphics pipeline alone has no batches to show"},
	{PipelineAlone, OwnCounts, "", "the graphics pipeline alone keeps no counts to show: the shaded view needs none"},
	{PipelineAlone, OurShader, noShaderOfOurs + ": it excludes {other}", "the graphics pipeline alone " + noShaderOfOurs},
	{PipelineAlone, AnyLoad, noShaderOfOurs + ": it excludes {other}", "the graphics pipeline alone " + noShaderOfOurs},
	{PipelineAlone, OnCPU, "excludes {other}", ""},
	{ByShape, PipelineAlone, "", ""},
	{ByShape, Culling, "", ""},
	{ByShape, Subdivision, "", ""},
	{ByShape, UserShader, "", ""},
	{ByShape, WholeDraws, "", ""},
	{Windows, WholeDraws, "", "{strategy} takes the whole scene at once, the other strategies take it in windows"},
	{Windows, ListedBatches, "", "{strategy} lists the batches of the whole scene beforehand"},
	{Windows, Subdivision, "", "the mesh is subdivided while it is drawn, which takes the whole coarse one"},
	{Windows, UserShader, "", "vertex shader {module} reads attributes of the whole scene"},
	{Windows, Skinning, "", "the skeleton is made for the whole scene at once"},
}

// OnlySoft says why the CPU backend excludes raster hosts.
const OnlySoft = "has only the soft raster host"

const noShaderOfOurs = "has no vertex shader of ours but the one that only transforms"

// excluded returns an error for a frame with two modes that exclude each other.
func excluded(f *renderer.Frame) error {
	for _, x := range Matrix {
		if x.Mode.isAsked(f) && x.Other.isAsked(f) {
			return errors.New(inFrame(x.text, f))
		}
	}
	return nil
}

// Allows reports whether the rows that begin with the mode allow a frame to have it too, or why not.
func (m *Mode) Allows(f *renderer.Frame) (why string, ok bool) {
	for _, x := range Matrix {
		if x.Mode == m && x.Other.isAsked(f) {
			return inFrame(x.text, f), false
		}
	}
	return "", true
}

func (m *Mode) isAsked(f *renderer.Frame) bool { return m.asked != nil && m.asked(f) }

// inFrame inserts a frame's values into a text.
func inFrame(text string, f *renderer.Frame) string {
	values := []string{"{raster}", f.Raster.String(), "{shader}", f.VertexShader.String(), "{faces}", f.CullFaces.String(), "{load}", f.LoadName()}
	if f.Reuse.Strategy != nil {
		values = append(values, "{strategy}", f.Reuse.Strategy.Name)
	}
	if f.Shading != nil {
		values = append(values, "{module}", f.Shading.Name)
	}
	return strings.NewReplacer(values...).Replace(text)
}

// Refuse returns an error for two modes that exclude each other, before the scene is open. given
// has the flags of further modes: those that the frame does not show yet, and those set by a flag
// other than their own. The error names both flags.
func Refuse(f *renderer.Frame, given map[*Mode]string) error {
	for _, x := range Matrix {
		flag, asked := x.Mode.flag(f, given)
		other, too := x.Other.flag(f, given)
		if x.Why != "" && asked && too {
			return fmt.Errorf("%s %s", flag, strings.ReplaceAll(x.Why, "{other}", other))
		}
	}
	return nil
}

// flag returns the flag that asks for the mode, and whether the frame or a given flag asks for it.
func (m *Mode) flag(f *renderer.Frame, given map[*Mode]string) (flag string, asked bool) {
	if flag, asked = given[m]; asked {
		return flag, true
	}
	return inFrame(m.Flag, f), m.isAsked(f)
}
