#version 450
// Images in a vertex shader. glslangValidator -V images.vert -o images.spv
layout(location = 0) in vec3 position;
layout(set = 0, binding = 9) uniform sampler2D waves;
layout(set = 1, binding = 9) uniform sampler2D heights;

void main()
{
	vec3 wave = textureLod(waves, position.xy, 0).xyz;
	gl_Position = vec4(position + wave + texelFetch(heights, ivec2(gl_VertexIndex, 0), 0).xyz, 1);
}
