// This renderer's vertex shader, in the hooks of shadeonce's include/own.glsl: one mesh of
// positions and normals, one matrix, light from the camera.

struct OwnVertex { // what draw.vert takes from a vertex buffer, and draw.frag
    vec4 clip;
    vec4 color;
};

layout(binding = BINDING_OWN, std430) readonly buffer Mesh { float mesh[]; };            // per vertex position and normal
layout(binding = BINDING_OWN + 1, std430) readonly buffer View { mat4 modelToClip; };

vec3 mesh_vector(uint at) { return vec3(mesh[at], mesh[at + 1u], mesh[at + 2u]); }

vec4 own_place(uint draw, uint id) { return modelToClip * vec4(mesh_vector(6u * id), 1.0); }

OwnVertex own_shade(uint draw, uint id) {
    float light = 0.2 + 0.8 * abs(normalize(mesh_vector(6u * id + 3u)).z);
    return OwnVertex(own_place(draw, id), vec4(light * vec3(0.9, 0.8, 0.6), 1.0));
}

#ifdef MESH // a mesh shader's outputs
layout(location = 0) flat out vec4 shade[];
void own_emit(uint place, OwnVertex v) {
    gl_MeshVerticesEXT[place].gl_Position = v.clip;
    shade[place] = v.color;
}
#else
layout(binding = BINDING_OWN + 2, std430) writeonly buffer Queue { OwnVertex queue[]; }; // by place
void own_emit(uint place, OwnVertex v) { queue[place] = v; }
#endif

uint own_first(uint draw) { return 0u; } // there is one draw
