#version 150
// A skinned draw's shader of OpenGL: glslangValidator -V -R --auto-map-locations --auto-map-bindings texels.vert -o texels.spv
in vec3 position;
in ivec4 joints;
uniform samplerBuffer bones;
layout(std140) uniform Camera { mat4 viewProj; };

void main()
{
	gl_Position = viewProj * vec4(position + texelFetch(bones, joints.x).xyz, 1);
}
