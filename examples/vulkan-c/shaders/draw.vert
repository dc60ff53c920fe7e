#version 450

// Draws the vertices that claim has shaded: it only passes them on.

layout(location = 0) in vec4 clip;
layout(location = 1) in vec4 color;
layout(location = 0) flat out vec4 shade; // of a triangle's first corner

void main() {
    gl_Position = clip;
    shade = color;
}
