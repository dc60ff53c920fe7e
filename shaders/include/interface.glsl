// The numbers of the shaders' constants and bindings in Vulkan: each has one name and one number,
// in every pass. tools/spirv refuses anything else.
#ifndef INTERFACE_GLSL
#define INTERFACE_GLSL

#include "include/defines.glsl"

#ifdef MESH // a geometry pass as a mesh shader: include/sink_mesh.glsl
#extension GL_EXT_mesh_shader : require
#endif

// Specialization constants. The compiler drops those that a shader does not use.
// A pass sets all that it has: the defaults only make the arrays valid.

// Geometry passes.
layout(constant_id = 0) const uint LANES = 32u;     // of the subgroup that processes a batch: 4, 8, 16, 32 or 64
layout(constant_id = 1) const bool NATIVE = false;  // the device's subgroup has LANES lanes
layout(constant_id = 2) const uint WORKGROUP = 32u; // invocations; in a pass with LANES: LANES, or a multiple of it if NATIVE
#define WORKGROUP_SIZE layout(local_size_x = 32, local_size_x_id = 2, local_size_y = 1, local_size_z = 1) in
layout(constant_id = 3) const uint VIEW = 0u;               // VIEW_*
layout(constant_id = 4) const bool COUNT = true;            // keep shading counts
layout(constant_id = 5) const uint QUEUE = 0u;              // QUEUE_*
layout(constant_id = 6) const bool WRITE = true;            // false: only count, write no queue
layout(constant_id = 7) const uint BATCH = 384u;            // indices per batch at most, a multiple of 3
layout(constant_id = 8) const uint UNIQUE = 256u;           // unique vertices per batch at most
layout(constant_id = 9) const uint TABLE = 256u;            // entries of the strategy's table, a power of two
layout(constant_id = 10) const uint PROBES = 4u;            // phash: entries that an invocation probes alone
layout(constant_id = 11) const uint LOAD = 0u;              // extra work per vertex: LOAD / 4 dependent multiply-adds, about LOAD cycles
layout(constant_id = 13) const float DISPLACE_CELLS = 1.0;  // lattice cells per scene unit, a power of two
layout(constant_id = 14) const float DISPLACE_HEIGHT = 0.0; // scene units by which noise of 1 moves a vertex
layout(constant_id = 15) const bool CULL = false;           // vertices are only placed: cull/shade.comp, or the fused sink, shades those of surviving triangles
layout(constant_id = 58) const bool UNSHADED = false;       // some draws have no program
layout(constant_id = 59) const uint OUTPUTS = 0u;           // OUTPUTS_*: outputs of the vertex shader besides positions

// Drawing.
layout(constant_id = 16) const uint MAX_GROUPS = 65535u; // workgroups that the device allows in one dimension
layout(constant_id = 17) const bool CORNERS = false;     // the indexed queue, also in geometry passes, is corners[] instead of triangles[]
layout(constant_id = 18) const uint STAGE = 0u;          // 32-bit visibility buffer: 0 writes depths, 1 the triangles with these depths
layout(constant_id = 19) const bool FIRST = true;        // the frame's first chunk
layout(constant_id = 66) const bool LEAN = false;        // no frame clears the visibility buffer: raster:resolve leaves zeros
layout(constant_id = 20) const uint BACKGROUND = 0u;     // RGBA8
// The colour of a vertex shaded 1, 2, .. 5, and 6 or more times, RGB8. Constants, since a
// load per pixel is a slow gather on CPU drivers.
layout(constant_id = 21) const uint HEAT_1 = 0u;
layout(constant_id = 22) const uint HEAT_2 = 0u;
layout(constant_id = 23) const uint HEAT_3 = 0u;
layout(constant_id = 24) const uint HEAT_4 = 0u;
layout(constant_id = 25) const uint HEAT_5 = 0u;
layout(constant_id = 26) const uint HEAT_6 = 0u;
layout(constant_id = 55) const bool SMOOTH = false; // the counts view interpolates the corners' colours
layout(constant_id = 56) const float LIGHT = 1.0;   // how much light may darken a colour, 0..1
layout(constant_id = 57) const uint EDGES = 0u;     // half the width of lines along edges, in 1/16 pixel; 0: none
layout(constant_id = 61) const bool SHOWN_ABS = false;  // the varying view shows magnitudes
layout(constant_id = 62) const bool SHOWN_FLAT = false; // the varying view does not interpolate: a triangle has the value of its first vertex
layout(constant_id = 50) const bool ONE_DRAW = false; // the scene has one draw in static batches: fused passes number triangles by their place in the stream
layout(constant_id = 67) const bool SOLE = false;     // the scene has one draw, whose indices are the first: passes read its data from camera
layout(constant_id = 51) const bool EVEN = false;     // all triangles of the chunk belong to one draw, and all batches but the last have BATCH indices

layout(constant_id = 53) const bool TEXTURED = false; // draws may have textures, which the frame needs
layout(constant_id = 54) const bool MASKED = false;   // the alpha test of a texture may drop pixels
layout(constant_id = 60) const uint TEX_SETS = 1u;    // sets of texture coordinates per vertex
layout(constant_id = 63) const uint CLIP_DISTANCES = 0u; // numbers per vertex that a frame's vertex shaders write to gl_ClipDistance
layout(constant_id = 64) const uint CULL_DISTANCES = 0u; // numbers per vertex that a frame's vertex shaders write to gl_CullDistance
layout(constant_id = 65) const bool DISTANCED = false;    // vertices have clip or cull distances

// Most pixels in the box of a triangle that a lane of the fused pass draws at once. It is more
// than RASTER_SMALL_PIXELS, since the corners of a listed triangle are positioned again.
layout(constant_id = 68) const uint FUSED_PIXELS = 64u;
layout(constant_id = 69) const uint TRIANGLE_LANES = 1u; // invocations that draw a triangle together: 1 or, in naive-index without CULL and SIFT, 4
layout(constant_id = 52) const bool SIFT = false;     // the fused sink draws nothing: it notes triangles that may show something

// Culling.
layout(constant_id = 27) const uint FACES = 0u;    // FACES_*
layout(constant_id = 28) const int SLACK = 0;      // subpixels by which another rasterizer's grid may differ from ours
layout(constant_id = 29) const uint PHASE = 0u;    // 0: the chunk is counted in advance; 1: it is drawn
layout(constant_id = 30) const bool TALLY = false; // keep cullCounts[]

// Loop's scheme.
layout(constant_id = 36) const bool LOOP_EDGES = false; // ids are edges, not vertices

// measure/copy.
layout(constant_id = 31) const uint ELEMENTS = 4u; // copied by an invocation

// functions/envelope
layout(constant_id = 48) const uint ENVELOPE_ROUNDS = 0u; // loop iterations after which an invocation stops shading; 0: it never stops

// The random walk.
layout(constant_id = 40) const uint WALK_GRID = 1u;       // cells per side
layout(constant_id = 41) const bool WALK_ORDERED = false; // the stream takes agents in the order of walkOrder[], not by number

// Sorting.
layout(constant_id = 42) const bool SORT_FIRST = false; // the first digit: values are still the keys' places
layout(constant_id = 43) const uint SORT_OWN = 16u;     // keys per invocation

// Bindings, all in descriptor set 0. Their blocks are declared where they are used, since
// some passes read and others write them.

// The scene
#define BINDING_POSITIONS 0
#define BINDING_NORMALS 1
#define BINDING_INDICES 2
#define BINDING_DRAWS 3
#define BINDING_BATCHES 4
#define BINDING_CAMERAS 5
#define BINDING_CLIPS 6
#define BINDING_SKIN 7
#define BINDING_BONES 8
// Written by the geometry passes
#define BINDING_COUNTS 9
#define BINDING_VERTEX_POSITIONS 10
#define BINDING_VERTEX_ATTRIBUTES 11
#define BINDING_TRIANGLES 12
#define BINDING_CORNERS 13
#define BINDING_QUEUE_STATES 14
#define BINDING_SCRATCH_POSITIONS 15
#define BINDING_SCRATCH_ATTRIBUTES 16
#define BINDING_SPILLED 42
// What vertex shaders that are not ours read
#define BINDING_ATTRIBUTE_WORDS 43
#define BINDING_SHADINGS 44
#define BINDING_VALUES 45
#define BINDING_UNIFORMS 46
// Culling
#define BINDING_CULL_COUNTS 17
#define BINDING_VERTEX_MARKS 18
// Lists that the host makes of batches
#define BINDING_MESHLETS 40
#define BINDING_MESHLET_WORDS 41
// The compute rasterizer
#define BINDING_RASTER_TRIANGLES 19
#define BINDING_RASTER_LISTS 20
#define BINDING_TILE_MARKS 21
#define BINDING_VISIBLE 22
#define BINDING_VISIBLE_DEPTHS 23
#define BINDING_VISIBLE_TRIANGLES 24
#define BINDING_VISIBLE_BEFORE 25
#define BINDING_PICTURE_COLOR 26
#define BINDING_SIFTED 47
// The viewer's panels
#define BINDING_OVERLAY_VERTICES 28
#define BINDING_FONT 29
// Loop's scheme
#define BINDING_EDGE_ENDS 32
#define BINDING_EDGE_OPPOSITES 33
#define BINDING_RING_OFFSETS 34
#define BINDING_RINGS 35
#define BINDING_RING_WEIGHTS 36
#define BINDING_TRIANGLE_EDGES 37
#define BINDING_EDGE_CORNERS 38
#define BINDING_FINE_POSITIONS 39
// The random walk
#define BINDING_WALK_POTENTIAL 60
#define BINDING_WALK_PRIOR 61
#define BINDING_WALK_WEIGHTS 62
#define BINDING_WALK_ORDER 63
#define BINDING_WALK_NEXT 64
// Sorting
#define BINDING_SORT_KEYS 65
#define BINDING_SORT_VALUES 66
#define BINDING_SORTED_KEYS 67
#define BINDING_SORTED_VALUES 68
#define BINDING_SORT_COUNTS 69
#define BINDING_SORT_OCCUPANCY 70
// measure/copy
#define BINDING_SOURCE 30
#define BINDING_RESULT 31
// Shade functions: strategy multi's results by id, then the buffers of each function
#define BINDING_SCRATCH_RESULTS 72
#define BINDING_LENGTH_POINTS 73
#define BINDING_LENGTH_ENDS 74
#define BINDING_EDGE_LENGTHS 75
#define BINDING_CORNER_LENGTHS 76
// functions/envelope
#define BINDING_ENVELOPE_VERTICES 48
#define BINDING_ENVELOPE_TRIANGLES 49
#define BINDING_ENVELOPE_AROUND 50
#define BINDING_ENVELOPE_NODES 51
#define BINDING_ENVELOPE_MOVED 52
// Textures
#define BINDING_TEX_COORDS 53
#define BINDING_MATERIALS 54
#define BINDING_TEXELS 55
// Clip and cull distances
#define BINDING_DISTANCES 56
// Bindings from here on belong to other renderers (include/own.glsl).
#define BINDING_OWN 128

#endif
