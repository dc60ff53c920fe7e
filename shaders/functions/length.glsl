// length: how long each edge of a mesh is. The example of a shade function: docs/apps.md.
//
// Input   lengthPoints[]: vertices * 3 floats; lengthEnds[]: edges * 2 vertices
// Output  edgeLengths[]: the square of each edge's length; cornerLengths[]: the same by
//         corner of the stream, for users that go through the triangles

layout(binding = BINDING_LENGTH_POINTS, std430) readonly buffer LengthPoints { float lengthPoints[]; };
layout(binding = BINDING_LENGTH_ENDS, std430) readonly buffer LengthEnds { uint lengthEnds[]; };
layout(binding = BINDING_EDGE_LENGTHS, std430) writeonly buffer EdgeLengths { float edgeLengths[]; };
layout(binding = BINDING_CORNER_LENGTHS, std430) writeonly buffer CornerLengths { float cornerLengths[]; };

struct LengthResult {
    float squared;
};
#define Shaded LengthResult

const bool FUNCTION_CORNERS = true;

LengthResult function_shade(uint edge) {
    precise float squared = 0.0; // the same bits on every device: no fused multiply-add
    for (uint axis = 0u; axis < 3u; axis++) {
        float difference = lengthPoints[3u * lengthEnds[2u * edge] + axis] - lengthPoints[3u * lengthEnds[2u * edge + 1u] + axis];
        squared = squared + difference * difference;
    }
    return LengthResult(squared);
}

void function_keep(uint edge, LengthResult result) { edgeLengths[edge] = result.squared; }

void function_corner(uint k, LengthResult result) { cornerLengths[k] = result.squared; }
