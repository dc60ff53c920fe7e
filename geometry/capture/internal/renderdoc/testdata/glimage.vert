#version 150
// An image in a vertex shader of OpenGL: glslangValidator -V -R --auto-map-locations --auto-map-bindings glimage.vert -o glimage.spv
in vec3 position;
uniform sampler2D skin;
layout(std140) uniform Camera { mat4 viewProj; };

void main()
{
	gl_Position = viewProj * vec4(position + texture(skin, position.xy).xyz, 1);
}
