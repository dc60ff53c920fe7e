#version 450
// The fragment shader of a made-up game: glslangValidator -V leaf.frag -o leaf.spv
layout(location = 2, component = 1) in vec2 leaf;
layout(set = 0, binding = 1) uniform texture2D base;
layout(set = 0, binding = 2) uniform sampler smooth_;
layout(location = 0) out vec4 color;

void main()
{
	color = texture(sampler2D(base, smooth_), vec2(leaf.x, leaf.y));
	if (color.a >= 0.75)
		return;
	discard;
}
