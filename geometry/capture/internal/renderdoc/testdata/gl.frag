#version 150
// A fragment shader of OpenGL: glslangValidator -V -R --auto-map-locations --auto-map-bindings gl.frag -o glfrag.spv
uniform sampler2D lightMap;
uniform sampler2D skin;
uniform vec2 shift;
in vec4 shade;
out vec4 color;

vec4 sampled(sampler2D image, vec2 at)
{
	return texture(image, at);
}

void main()
{
	vec4 light = texture(lightMap, shade.xy);
	vec2 at = shade.wz;
	at -= shift;
	vec4 c = sampled(skin, at) * light;
	if (0.25 > c.a)
		discard;
	color = c;
}
