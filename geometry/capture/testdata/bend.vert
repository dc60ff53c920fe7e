#version 450
// A vertex shader of a made-up game: glslangValidator -V bend.vert -o bend.spv
layout(location = 0) in vec3 position;
layout(push_constant) uniform Push { mat4 place; float bend; int turns; };
layout(location = 2) out vec3 leaf;

void main()
{
	vec3 p = position;
	p.y += bend * p.x * p.z;
	for (int i = 0; i < turns; i++)
		p.y = fract(p.y + 0.25);
	leaf = vec3(7, p.x, p.z + bend);
	gl_Position = place * vec4(p, 1);
}
