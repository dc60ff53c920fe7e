package main

// mutant is a plausible fault: a replacement in one file, and the test that must fail
// for it.
type mutant struct {
	what     string
	file     string // from the project's root
	old, new string // old occurs exactly once in the file
	room     string // the package of the test
	test     string
}

// mutants are faults that the tests must find. The first seven and the last 38 once passed
// all tests.
var mutants = []mutant{
	{
		"the rasterizer takes every triangle with a small box for small",
		"shaders/include/setup.glsl", "return max(span.x, span.y) < SMALL_SPAN;", "return true;",
		"./oracle", "TestFarCorners",
	},
	{
		"culling evaluates edges in 32 bits whatever a triangle spans",
		"shaders/include/verdict.glsl", "if (max(span.x, span.y) >= SMALL_SPAN) return false;", "",
		"./oracle", "TestFarCorners",
	},
	{
		"OBJ's negative texture coordinates and normals count from the last position",
		"geometry/format/obj_mesh.go", "v += base[k] - objRelative", "v += base[0] - objRelative",
		"./geometry/format", "TestOBJNegativeAcrossBlocks",
	},
	{
		"draws at several vertex offsets share what a window gathered",
		"renderer/plan/window_data.go", "gatheredRange{draw.FirstIndex, draw.IndexCount, draw.VertexOffset}", "gatheredRange{draw.FirstIndex, draw.IndexCount, 0}",
		"./renderer/plan", "TestWindowsTellVertexOffsetsApart",
	},
	{
		"vs no reuse is inverted",
		"internal/measure/print/times.go", "r.MsMedian/fastest", "fastest/r.MsMedian",
		"./internal/measure/print", "TestTables",
	},
	{
		"vs no reuse is against the slowest",
		"internal/measure/geometry.go", "r.MsMedian < ms", "r.MsMedian > ms",
		"./internal/measure/print", "TestTables",
	},
	{
		"the report's CSV swaps vertices and referenced",
		"internal/report/table_reuse.go", "out.add(u.Scene, s.Paper, u.Order, s.Draws, s.Vertices, s.Referenced,", "out.add(u.Scene, s.Paper, u.Order, s.Draws, s.Referenced, s.Vertices,",
		"./internal/report", "TestPageAndSheetsSayWhatWasMeasured",
	},
	{
		"the top-left rule is turned round",
		"shaders/include/setup.glsl", "bias = d.y < 0 || (d.y == 0 && d.x > 0) ? 0l : 1l;", "bias = d.y > 0 || (d.y == 0 && d.x > 0) ? 0l : 1l;",
		"./oracle", "TestComputeSharedEdges",
	},
	{
		"an id that another invocation has put into the hash table is not found there",
		"shaders/include/table.glsl", "return held == NO_ID || held == id;", "return held == NO_ID;",
		"./oracle", "TestCountsOfEveryAsset",
	},
	{
		"claim loses a bit of ids as it undoes the mixing",
		"shaders/include/claim_table.glsl", "claim_mixed[k] * inverse >> 1;", "claim_mixed[k] * inverse >> 1 & 0x3ffu;",
		"./oracle", "TestCountsOfEveryAsset",
	},
	{
		"a vertex queue that is too small for the last batch is not noticed",
		"shaders/include/sink_queue.glsl", "if (base + count > push.vertexCapacity) {", "if (base > push.vertexCapacity) {",
		"./oracle", "TestOverflowByOne",
	},
	{
		"a read does not wait for the write before it",
		"renderer/gpu/hazards.go", "if h.write.stages != 0 && (u.stages", "if false && (u.stages",
		"./renderer/gpu", "TestBarriersOfAHistory",
	},
	{
		"the most recently used pipelines are evicted",
		"renderer/gpu/pipelines.go", "cmp.Compare(b.pipelines[x].use, b.pipelines[y].use)", "cmp.Compare(b.pipelines[y].use, b.pipelines[x].use)",
		"./renderer/gpu", "TestOldPipelinesGoFirst",
	},
	{
		"a picture may be compared with itself",
		"renderer/picture/compare.go", "if a == b || &a.Pix[0] == &b.Pix[0] {", "if false {",
		"./renderer/picture", "TestRefuses",
	},
	{
		"soft draws the depth of the second corner at the third",
		"renderer/soft/depth.go", "int64(t.z[1])-p.z0, int64(t.z[2])-p.z0", "int64(t.z[2])-p.z0, int64(t.z[1])-p.z0",
		"./oracle", "TestComputeAgainstSoft",
	},
	{
		"subdivision has Warren's weights, not Loop's",
		"apps/subdivide/loop.go", "b := (5./8 - float64(q*q)) / valence", "b := 3. / 8 / (valence + 0*q)",
		"./apps/subdivide", "TestAgainstOthers",
	},
	{
		"Loop's shader moves a curve's vertices by other weights",
		"shaders/functions/loop.glsl", "vec2(0.75, 0.125)", "vec2(0.5, 0.25)",
		"./oracle", "TestLoop",
	},
	{
		"triangles of a mesh that is subdivided while it is drawn are turned round",
		"shaders/include/refined.glsl", "(corner == 1u ? 0u : 2u)", "(corner == 1u ? 2u : 0u)",
		"./oracle", "TestSubdividedQueues",
	},
	{
		"envelopes forget pairs of triangles without a common vertex",
		"apps/envelope/pair.go", "if p.d == ([6]mgl32.Vec3{}) {", "if p.count == 1 || p.d == ([6]mgl32.Vec3{}) {",
		"./apps/envelope", "TestNothingNewMeets",
	},
	{
		"envelopes let outer edges of neighbours cross",
		"apps/envelope/pair.go", "{v | a, uS | b}}, 4", "{v | a, uS | b}}, 2",
		"./apps/envelope", "TestPairsAtAnyLevels",
	},
	{
		"of equally likely moves the later one goes first",
		"apps/walk/cell.go", "best[at-1] < score", "best[at-1] <= score",
		"./apps/walk", "TestShadeCell",
	},
	{
		"lists of a later chunk have their vertices behind those of all chunks",
		"renderer/plan/chunk.go", "lists[i].FirstVertex -= first", "lists[i].FirstVertex -= 0 * first",
		"./renderer/plan", "TestListsOfAChunk",
	},
	{
		"a vertex is beyond the picture's lower side where it is below its width",
		"shaders/include/placed.glsl", "ivec2 end = SUBPIXEL * ivec2(push.width, push.height)", "ivec2 end = SUBPIXEL * ivec2(push.width, push.width)",
		"./oracle", "TestFusedHostileTriangles",
	},
	{
		"held slots take places of spilled ones",
		"shaders/include/claim_fused.glsl", "} else if (first + slot - HELD < push.vertexCapacity) {", "} else if (first + slot < push.vertexCapacity) {",
		"./oracle", "TestFusedSpillsToTheLastPlace",
	},
	{
		"survivors are noted before all of their bits are cleared",
		"shaders/include/claim_fused.glsl", "shTable[claim_at(SURVIVORS + i)] = 0u;\n        lanes_barrier();", "shTable[claim_at(SURVIVORS + i)] = 0u;",
		"./oracle", "TestFusedCullsLargeBatches",
	},
	{
		"the fused pass culls triangles of which one corner is near",
		"shaders/include/fused_cull.glsl", "placed_flags(a) & placed_flags(b) & placed_flags(c) & PLACED_INSIDE", "(placed_flags(a) | placed_flags(b) | placed_flags(c)) & PLACED_INSIDE",
		"./oracle", "TestFarCorners",
	},
	{
		"a row whose best move ties with the last of the list is skipped",
		"shaders/functions/walk.glsl", "max(best.z, best.w)) < walk_score[", "max(best.z, best.w)) <= walk_score[",
		"./oracle", "TestWalkOfEqualMoves",
	},
	{
		"a walk that starts anew keeps the order of the last sort",
		"apps/walk/resident.go", "w.walk.Step, w.ordered, w.moved = from.Step, false, false", "w.walk.Step, w.moved = from.Step, false",
		"./oracle", "TestWalkRestarts",
	},
	{
		"instances of OpenGL begin at the draw's first one",
		"shaders/link/call.go", "return c.value(module.OpISub, t, c.word(RecordInstance), c.word(RecordBaseInstance))", "return c.word(RecordInstance)",
		"./oracle", "TestCustomInstanceNumbers",
	},
	{
		"a constant index may be one beyond the last element",
		"shaders/link/clamp.go", "c.constant(min(value, length-1))", "c.constant(min(value, length))",
		"./oracle", "TestCustomIndicesBeyondTheEnd",
	},
	{
		"lists and spilled vertices each take the whole queue budget",
		"renderer/plan/sink_fused.go", "room /= 2", "",
		"./renderer/plan", "TestFusedSpills",
	},
	{
		"a pipeline is shared by blocks of different lengths",
		"renderer/plan/shade_module.go", "p.Inputs, p.Blocks)", "p.Inputs, p.Inputs)",
		"./renderer/plan", "TestCustomElements",
	},
	{
		"auto takes a GPU with fewer multiprocessors for a faster one",
		"renderer/plan/auto_costs.go", "float64(c.Multiprocessors) / float64(multiprocessors)", "float64(multiprocessors) / float64(c.Multiprocessors)",
		"./renderer/plan", "TestAutoOnAnH200",
	},
	{
		"a calibration of another driver is used",
		"internal/calibration/calibration.go", "case f.Key != key:", "case f.Key == \"\":",
		"./internal/calibration", "TestUseRefuses",
	},
	{
		"auto takes multi whatever memory it needs",
		"renderer/plan/auto.go", "if !f.Reuse.Strategy.WholeDraws ||", "if true ||",
		"./renderer/plan", "TestAutoLeavesNothingOpen",
	},
	{
		"draws of other triangles of the same vertices are one mesh",
		"geometry/capture/placing.go", "{d.VertexOffset, d.FirstIndex}", "{d.VertexOffset, 0}",
		"./geometry/capture", "TestMeshesDifferInVerticesOrIndices",
	},
	{
		"an array of dynamic buffers takes one offset",
		"geometry/capture/internal/renderdoc/vulkan_sets.go", "l.dynamics += b.count", "l.dynamics++",
		"./geometry/capture/internal/renderdoc", "TestDynamicOffsetsOfArrays",
	},
	{
		"a permuted accessor keeps its sparse values",
		"geometry/format/gltf_rewrite.go", `delete(fresh, "sparse")`, "",
		"./geometry/format", "TestGLTFCopyKeepsEverything",
	},
	{
		"an edge of three triangles is no boundary",
		"apps/edges.go", "case !e.Sharp(edge):", "default:",
		"./apps/subdivide", "TestThreeTrianglesAtAnEdge",
	},
	{
		"the nearest vertex is measured from the pixel's corner",
		"internal/viewer/inspect/pick.go", "float64(x)-float64(at.X)-0.5, float64(y)-float64(at.Y)-0.5", "float64(x)-float64(at.X), float64(y)-float64(at.Y)",
		"./internal/viewer/inspect", "TestNearestToThePixelsCentre",
	},
	{
		"a vertex buffer that is bound with others is the first",
		"geometry/capture/internal/renderdoc/opengl_array.go", `r.get("first").id()+uint64(i)`, "uint64(i)",
		"./geometry/capture/internal/renderdoc", "TestOpenGLFormats",
	},
	{
		"the value of an attribute without an array is not followed",
		"geometry/capture/internal/renderdoc/opengl_array.go", "if i < 4 {", "if i < 0 {",
		"./geometry/capture/internal/renderdoc", "TestOpenGLShaders",
	},
	{
		"a replayed camera counts small draws as much as large ones",
		"geometry/capture/internal/replay/pass.go", "s.weight = float64(d.Triangles)", "s.weight = 1",
		"./geometry/capture/internal/replay", "TestLargeDrawsDecide",
	},
	{
		"the last vertices of a pose are renumbered",
		"geometry/order/fetch.go", "k <= piece[d.VertexOffset", "k < piece[d.VertexOffset",
		"./geometry/order", "TestFetch",
	},
	{
		"the inner envelope is told to stay where the outer one does",
		"apps/envelope/driver.go", "if d.shaded[i][v].Level == 0", "if d.shaded[0][v].Level == 0",
		"./apps/envelope", "TestNotices",
	},
	{
		"the camera goes to another triangle than was found",
		"internal/viewer/app/goto.go", "d.FirstIndex+uint32(3*s.Hit.Triangle)", "d.FirstIndex+uint32(s.Hit.Triangle)",
		"./internal/viewer/app", "TestGoingMovesTheCamera",
	},
	{
		"bench times the graphics pipeline of meshes that are subdivided while they are drawn",
		"cmd/shadeonce/bench_frame.go", "f.subdivide.Levels == 0", "true",
		"./cmd/shadeonce", "TestFrameStrategies",
	},
	{
		"the reuse of a mean is turned round",
		"internal/measure/geometry.go", "1 - float64(m.Invocations)/float64(3*m.Triangles)", "1 - float64(3*m.Triangles)/float64(m.Invocations)",
		"./internal/measure/print", "TestTables",
	},
	{
		"the note of a copy's bandwidth is missing",
		"internal/measure/print/times.go", "if r.BandwidthShare == 0 {", "if r.BandwidthShare != 0 {",
		"./internal/measure/print", "TestTables",
	},
	{
		"bars of the report's plots have no names",
		"internal/report/bars.go", "g.NominalX(p.Categories...)", "",
		"./internal/report", "TestPageAndSheetsSayWhatWasMeasured",
	},
	{
		"hidden parts of edges are those between the seen ones",
		"internal/viewer/results/surfaces.go", "x0+(x1-x0)*at(begin), y0", "x0+(x1-x0)+at(begin), y0",
		"./internal/viewer/results", "TestWhatIsShown",
	},
	{
		"a panel has no room for the shares of its keys",
		"renderer/picture/panel.go", `return k.Share != ""`, `return k.Share == ""`,
		"./renderer/picture", "TestPanels",
	},
	{
		"negative indices of 8 bits are large ones",
		"shaders/link/clamp.go", "op = module.OpSConvert", "op = module.OpUConvert",
		"./oracle", "TestCustomFixtures",
	},
	{
		"a shown image of which the height alone changes keeps its size",
		"renderer/gpu/picture.go", "b.front.Width == width && b.front.Height == height", "b.front.Width == width",
		"./renderer/gpu", "TestColorStays",
	},
	{
		"the selection of a right side outlives it",
		"internal/viewer/app/select.go", " || s.Right && !a.Split()", "",
		"./internal/viewer/app", "TestAVertexIsPickedWithItsDrawAndItsBatches",
	},
	{
		"a cursor that rests before its picker is made is told nothing",
		"internal/viewer/app/hover.go", "	a.Hover.looked = false\n", "",
		"./internal/viewer/app", "TestHoverFollowsTheVertexShader",
	},
	{
		"panels stay as they are where the scale alone changes",
		"internal/viewer/panels/places.go", "window != p.window || scale != p.scale || !slices", "window != p.window || !slices",
		"./internal/viewer/app", "TestPanelsFollowTheDensity",
	},
	{
		"folders of files that are watched again are no longer listened to",
		"internal/viewer/load/watch.go", "if !slices.Contains(folders, folder) {", "if slices.Contains(folders, folder) {",
		"./internal/viewer/load", "TestTheSystemIsListenedTo",
	},
	{
		"the far ends of the gizmo lie over the near ones",
		"internal/viewer/panels/gizmo.go", "b.depth-a.depth", "a.depth-b.depth",
		"./internal/viewer/panels", "TestTheGizmoIsClicked",
	},
	{
		"the figures of the right side are those of the left",
		"internal/viewer/panels/numbers_panel.go", "n.text(ui, sides[1])", "n.text(ui, sides[0])",
		"./internal/viewer/app", "TestWhatPanelsSay",
	},
	{
		"edges that reach over the window's left border are left out",
		"internal/viewer/results/surfaces.go", "max(x0, x1) < float32(v.Clip.Min.X)", "min(x0, x1) < float32(v.Clip.Min.X)",
		"./internal/viewer/results", "TestWhatIsShown",
	},
	{
		"of triangles at one depth the one in the first block is picked",
		"internal/viewer/inspect/pick.go", " || t == far && found && best.Draw == i && triangle < best.Triangle", "",
		"./internal/viewer/inspect", "TestNearestToThePixelsCentre",
	},
	{
		"draws of the same indices share triangles whatever index restarts them",
		"geometry/capture/internal/renderdoc/triangles.go", "d.restarts, d.restartAt}", "d.restarts, 0}",
		"./geometry/capture/internal/renderdoc", "TestOpenGLTopologies",
	},
	{
		"a draw is placed flat because its last vertex is",
		"geometry/capture/internal/replay/fit.go", "f.Flat = f.Flat && ", "f.Flat = ",
		"./geometry/capture/internal/replay", "TestSolveFindsTheTransform",
	},
	{
		"negative integers of 8 and 16 bits are widened as large ones",
		"shaders/interpret/conversion.go", "return uint64(signed(x, from)) & mask(to)", "return x & mask(to)",
		"./shaders/interpret", "TestIntegerOperations",
	},
	{
		"warming up counts for the median time",
		"renderer/stream/stream.go", "done[max(0, len(done)-timedRuns):]", "done",
		"./renderer/stream", "TestMedian",
	},
	{
		"a quick report draws in four orders",
		"internal/report/survey/pictures.go", "if m.Quick || !first {", "if !first {",
		"./internal/report/survey", "TestWhatIsMeasured",
	},
}
