#version 450
#extension GL_GOOGLE_include_directive : require

// Fetches a vertex of the panels, by an index buffer.
//
// Input   overlayVertices[]
// Output  clip position; place in the font; colour
// Dispatch vkCmdDrawIndexed, a draw per clip rectangle

#include "include/overlay.glsl"

layout(binding = BINDING_OVERLAY_VERTICES, std430) readonly buffer OverlayVertices { OverlayVertex overlayVertices[]; };
layout(push_constant) uniform Push { OverlayPush push; };

layout(location = 0) out vec2 place;
layout(location = 1) out vec4 color;

void main() {
    OverlayVertex vertex = overlayVertices[gl_VertexIndex];
    place = vec2(vertex.u * float(push.fontWidth), vertex.v * float(push.fontHeight));
    color = unpackUnorm4x8(vertex.color);
    gl_Position = vec4(2.0 * vertex.xPx / push.widthPx - 1.0, 2.0 * vertex.yPx / push.heightPx - 1.0, 0.0, 1.0);
}
