// A shade function of another project: which of some stations is the nearest to a point. It is
// expensive, and each point is a corner of about six triangles, so that it pays to shade once.
//
// Input   points[]: points * 3 floats; stations[]: 3 floats each
// Output  nearest[]: a station for each point

layout(binding = BINDING_OWN, std430) readonly buffer Points { float points[]; };
layout(binding = BINDING_OWN + 1, std430) readonly buffer Stations { float stations[]; };
layout(binding = BINDING_OWN + 2, std430) writeonly buffer Nearest { uint nearest[]; };

struct NearestResult {
    uint station;
};
#define Shaded NearestResult

const bool FUNCTION_CORNERS = false; // results are kept by id only

NearestResult function_shade(uint id) {
    NearestResult best = NearestResult(0u);
    float least = 3.4e38;
    for (uint s = 0u; s < push.arguments.x; s++) {
        precise float squared = 0.0; // the same bits on every device: no fused multiply-add
        for (uint axis = 0u; axis < 3u; axis++) {
            float difference = points[3u * id + axis] - stations[3u * s + axis];
            squared = squared + difference * difference;
        }
        if (squared < least) {
            least = squared;
            best.station = s;
        }
    }
    return best;
}

void function_keep(uint id, NearestResult result) { nearest[id] = result.station; }

void function_corner(uint k, NearestResult result) {}
