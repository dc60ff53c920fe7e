package renderdoc

// glTarget is the state of OpenGL from which target is made.
type glTarget struct {
	targetState
	culls                bool // whether cull applies
	upperLeft, zeroToOne bool
}

func (g *openGL) addTargetCalls() {
	t := &g.target
	g.on(map[string]func(elem){
		"glViewport": func(r elem) {
			v := readViewport(r)
			v.near, v.far = t.viewport.near, t.viewport.far
			t.viewport = v
		},
		"glDepthRange, glDepthRangef": func(r elem) { t.viewport.near, t.viewport.far = r.get("nearVal").float(), r.get("farVal").float() },
		"glDepthMask":                 func(r elem) { t.depthWrite = r.get("flag").bool() },
		"glCullFace":                  func(r elem) { t.cull = r.get("mode").enum() },
		"glFrontFace":                 func(r elem) { t.front = r.get("mode").enum() },
		"glColorMask":                 func(r elem) { t.colorless = !writesColors(r) },
		"glClipControl":               func(r elem) { t.setClip(r.get("origin"), r.get("depth")) },
	})
}

func writesColors(mask elem) bool {
	return mask.get("red").bool() || mask.get("green").bool() || mask.get("blue").bool()
}

func (t *glTarget) setClip(origin, depth elem) {
	t.upperLeft, t.zeroToOne = origin.enum() == "GL_UPPER_LEFT", depth.enum() == "GL_ZERO_TO_ONE"
}

// initialTarget returns the state when the frame began.
func initialTarget(s elem) (t glTarget) {
	t.viewport = readViewport(s.get("GL_VIEWPORT").first())
	depth := s.get("GL_DEPTH_RANGE").first()
	t.viewport.near, t.viewport.far = depth.get("nearZ").float(), depth.get("farZ").float()
	t.depthTest, t.depthWrite = s.get("GL_DEPTH_TEST").bool(), s.get("GL_DEPTH_WRITEMASK").bool()
	t.culls, t.cull, t.front = s.get("GL_CULL_FACE").bool(), s.get("GL_CULL_FACE_MODE").enum(), s.get("GL_FRONT_FACE").enum()
	mask := s.get("GL_COLOR_WRITEMASK").first()
	t.colorless = mask.there() && !writesColors(mask)
	t.setClip(s.get("GL_CLIP_ORIGIN"), s.get("GL_CLIP_DEPTH_MODE"))
	return t
}

func (s *glTarget) now(pass int) target {
	t := target{pass: pass, viewport: s.viewport, depthWrites: s.depthTest && s.depthWrite, lowerLeft: true, yUp: !s.upperLeft, fullDepth: !s.zeroToOne, colorless: s.colorless}
	if s.culls {
		both := s.cull == "GL_FRONT_AND_BACK"
		t.culls = culled(both || s.cull == "GL_FRONT", both || s.cull != "GL_FRONT", s.front != "GL_CW")
	}
	return t
}
