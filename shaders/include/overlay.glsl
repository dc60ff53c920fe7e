// The viewer's panels: triangles in pixels of the window.
#ifndef OVERLAY_GLSL
#define OVERLAY_GLSL

#include "include/interface.glsl"

struct OverlayVertex {
    float xPx; // from the left
    float yPx; // from the top
    float u;   // in the font, 0..1
    float v;
    uint color; // RGBA8, red in the lowest byte; not multiplied by alpha
};

// Push constants of the panels' draws.
struct OverlayPush {
    float widthPx; // of the window
    float heightPx;
    uint fontWidth; // texels
    uint fontHeight;
};

#endif
