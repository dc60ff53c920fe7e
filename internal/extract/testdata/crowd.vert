#version 450
// A vertex shader of a made-up game: glslangValidator -V --target-env vulkan1.1 crowd.vert -o crowd.spv
layout(constant_id = 5) const float grow = 1;
layout(location = 0) in vec3 position;
layout(location = 1) in vec4 lean;   // half floats
layout(location = 3) in vec4 tint;   // 10, 10, 10 and 2 bits
layout(location = 4) in ivec2 step;  // per instance
layout(push_constant) uniform Push { mat4 place; vec2 sway[2]; int turns; };
layout(location = 0) out vec3 color;

void main()
{
	vec3 p = position * grow + lean.xyz * lean.w + vec3(step, gl_InstanceIndex);
	p.xy += sway[gl_VertexIndex & 1] * turns;
	color = tint.rgb;
	gl_Position = place * vec4(p, 1) + vec4(0, 0, tint.x * tint.w, 0);
}
