#version 450
// What vertex shaders of games read. glslangValidator -V game.vert -o game.spv
layout(constant_id = 7) const float size = 1;
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 4) in uvec4 joints;
layout(location = 5) in vec4 origin;
layout(set = 1, binding = 2) uniform Camera { mat4 viewProj; vec4 shift[2]; } camera;
layout(set = 0, binding = 0) readonly buffer Bones { vec4 bones[]; };
layout(push_constant) uniform Push { vec2 wind; };

void main()
{
	vec4 p = vec4(position * size, 1) + origin + bones[joints.x + gl_InstanceIndex];
	gl_Position = camera.viewProj * (p + camera.shift[1] + vec4(uv + wind, 0, 0));
}
