#version 150
// A vertex shader of OpenGL: glslangValidator -V -R --auto-map-locations --auto-map-bindings gl.vert -o gl.spv
in vec3 position;
in vec3 unused;
in ivec4 joints;
in vec4 colour;
struct Light { vec3 place; float power[2]; };
uniform mat3x2 turn;
uniform Light lights[2];
uniform bool on;
layout(std140) uniform Camera { mat4 viewProj; };
out vec4 shade;

void main()
{
	shade = colour;
	vec3 p = position + lights[1].place * lights[1].power[1] + vec3(turn * position, joints.y + gl_InstanceID);
	gl_Position = viewProj * vec4(on ? p : p + unused, 1);
}
