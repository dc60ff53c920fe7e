#version 450

// A mesh that sways in the wind: the higher a vertex, the further. The values of Wind are
// in wind.yaml; those of Frame are filled in by their names.

layout(set = 0, binding = 0) uniform Frame {
	mat4 model;
	mat4 viewProjection;
	float time; // seconds
};

layout(set = 0, binding = 1) uniform Wind {
	vec3 direction;
	float strength; // scene units per unit of height
	float frequency; // waves per scene unit
	vec3 calmColor; // colours of vertices that stand still, and that move
	vec3 gustColor;
};

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

layout(location = 0) out vec3 color;

void main() {
	vec4 world = model * vec4(position, 1.0);
	float phase = dot(world.xyz, normalize(direction)) * frequency - time;
	float sway = 0.5 + 0.5 * sin(6.2831853 * phase);
	world.xyz += direction * strength * sway * world.y;
	gl_Position = viewProjection * world;
	color = mix(calmColor, gustColor, sway) * (0.6 + 0.4 * normal.y);
}
