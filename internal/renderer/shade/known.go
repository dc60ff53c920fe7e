package shade

import (
	"slices"
	"strings"

	"github.com/shadeonce/shadeonce/geometry"
	"github.com/shadeonce/shadeonce/internal/base/names"
)

// spellings are the names that shaders give the well-known values, as plainName returns them,
// without a final "matrix".
var spellings = map[geometry.WellKnown]string{
	geometry.ModelMatrix:                      "model world m object objecttoworld localtoworld modeltoworld finalworld",
	geometry.ViewMatrix:                       "view v worldtoview worldtocamera worldtoeye lookat",
	geometry.ProjectionMatrix:                 "projection proj p viewtoclip cameratoclip eyetoclip perspective viewtoprojection",
	geometry.ViewProjectionMatrix:             "viewprojection viewproj vp projectionview projview pv worldtoclip worldtoprojection projectview",
	geometry.ModelViewMatrix:                  "modelview worldview mv viewmodel objecttoview modeltoview localtoview transformation",
	geometry.ModelViewProjectionMatrix:        "modelviewprojection modelviewproj mvp worldviewprojection worldviewproj wvp projectionviewmodel projviewmodel pvm objecttoclip modeltoclip localtoclip transformationprojection",
	geometry.NormalMatrix:                     "normal n modelviewnormal modelviewinversetranspose inversetransposemodelview viewnormal",
	geometry.ModelNormalMatrix:                "modelnormal worldnormal normalmodel normalworld normaltoworld modelinversetranspose worldinversetranspose inversetransposemodel inversetransposeworld",
	geometry.InverseModelMatrix:               "worldtomodel worldtoobject worldtolocal",
	geometry.InverseViewMatrix:                "viewtoworld cameratoworld eyetoworld cameraworld",
	geometry.InverseProjectionMatrix:          "cliptoview cliptocamera cliptoeye",
	geometry.InverseViewProjectionMatrix:      "cliptoworld",
	geometry.InverseModelViewMatrix:           "viewtomodel viewtoobject",
	geometry.InverseModelViewProjectionMatrix: "cliptomodel cliptoobject",
	geometry.CameraPosition:                   "cameraposition camerapos campos camposition camera eye eyeposition eyepos viewposition viewpos vieworigin cameraworldposition cameraworldpos worldcameraposition worldcamerapos worldspacecamerapos worldviewpos worldcameraorigin viewworldposition camerapositionworld camerapositionws eyept",
	geometry.ViewDirection:                    "viewdirection viewdir cameradirection cameradir cameraforward camerafront lookdirection",
	geometry.Time:                             "time seconds elapsed elapsedtime timeelapsed globaltime currenttime itime timeseconds timeinseconds",
	geometry.Viewport:                         "viewport viewportsize resolution iresolution screensize screenresolution windowsize framebuffersize",
}

// inverses maps matrices to their inverses. A shader may name such an inverse after its matrix: "inverse" or "inv" stands before
// or after the matrix's name.
var inverses = map[geometry.WellKnown]geometry.WellKnown{
	geometry.ModelMatrix: geometry.InverseModelMatrix, geometry.ViewMatrix: geometry.InverseViewMatrix,
	geometry.ProjectionMatrix: geometry.InverseProjectionMatrix, geometry.ViewProjectionMatrix: geometry.InverseViewProjectionMatrix,
	geometry.ModelViewMatrix: geometry.InverseModelViewMatrix, geometry.ModelViewProjectionMatrix: geometry.InverseModelViewProjectionMatrix,
}

// ofCameras are the matrices whose names may begin with "camera".
var ofCameras = []geometry.WellKnown{
	geometry.ViewMatrix, geometry.ProjectionMatrix, geometry.ViewProjectionMatrix,
	geometry.InverseViewMatrix, geometry.InverseProjectionMatrix, geometry.InverseViewProjectionMatrix,
}

// bySpelling maps each spelling to its well-known value.
var bySpelling = func() map[string]geometry.WellKnown {
	all := map[string]geometry.WellKnown{}
	for what, text := range spellings {
		for _, name := range strings.Fields(text) {
			all[name] = what
			if inverse, ok := inverses[what]; ok {
				for _, spelled := range []string{"inverse" + name, "inv" + name, name + "inverse", name + "inv"} {
					all[spelled] = inverse
				}
			}
		}
	}
	return all
}()

// plainName returns a name in lower case, without underscores and without prefixes such as u_, in_ or the u of uTime.
func plainName(name string) string {
	for _, prefix := range []string{"in_var_", "unity_", "glstate_", "osg_", "p3d_", "cc_", "czm_", "cv_", "vertex_", "attr_", "attribute_", "uni_", "in_", "vs_", "u_", "a_", "g_", "m_", "i_", "v_", "_"} {
		if rest, ok := strings.CutPrefix(strings.ToLower(name), prefix); ok && rest != "" {
			name = name[len(name)-len(rest):]
			break
		}
	}
	for _, prefix := range []string{"in", "u", "a", "g", "i", "v", "m"} { // matches uTime, but not under
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			name = rest
			break
		}
	}
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// wellKnown recognizes a member by its own name, or by its holder's name followed by its own, as in camera.position.
func wellKnown(holder, name string) (geometry.WellKnown, bool) {
	plain := plainName(name)
	for _, spelled := range []string{plain, plainName(holder) + plain} {
		for _, noise := range []string{"matrix", "matr", "mat", "mtx", "transform", "xform"} {
			short := strings.TrimPrefix(strings.TrimSuffix(spelled, noise), noise)
			if to, from, ok := strings.Cut(short, "from"); ok { // clip_from_world
				short = from + "to" + to
			}
			what, ok := bySpelling[short]
			if of := strings.TrimPrefix(strings.TrimPrefix(short, "cam"), "era"); !ok && of != short { // cam_view
				if what, ok = bySpelling[of]; !slices.Contains(ofCameras, what) {
					ok = false
				}
			}
			if ok {
				return what, true
			}
		}
	}
	return 0, false
}

// parseWellKnown reads a well-known value's name. transpose(NAME) asks for the transposed matrix: some shaders
// multiply a row vector by the matrix.
func parseWellKnown(text string) (what geometry.WellKnown, transposed bool, err error) {
	name := text
	if inner, ok := strings.CutPrefix(text, "transpose("); ok {
		name, transposed = strings.TrimSuffix(inner, ")"), true
	}
	if i := slices.Index(geometry.WellKnownNames, name); i >= 0 {
		return geometry.WellKnown(i), transposed, nil
	}
	return 0, false, names.Unknown("well-known value", name, geometry.WellKnownNames)
}
