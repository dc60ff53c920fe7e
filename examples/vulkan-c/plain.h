// What any Vulkan program has: a device, buffers, pipelines, a picture to draw into, and a reader of OBJ
// files. Nothing of shadeonce is here.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 960, HEIGHT = 640 };

// The device, and what it has beside Vulkan 1.1. openDevice enables what is there.
extern VkDevice device;
extern VkQueue queue;
extern VkCommandBuffer commands;
extern VkPhysicalDeviceSubgroupSizeControlPropertiesEXT subgroups; // zero without VK_EXT_subgroup_size_control
extern int atomics64;                                              // shaderInt64, and 64-bit atomics on buffers
extern int meshShaders;                                            // VK_EXT_mesh_shader
extern VkPipelineLayout layout;
extern VkDescriptorSet set;

#define CHECK(call) do { VkResult r_ = (call); if (r_ < 0) fail("%s: VkResult %d", #call, r_); } while (0)
#define fail(...) do { fprintf(stderr, "vulkan-c: "); fprintf(stderr, __VA_ARGS__); fprintf(stderr, "\n"); exit(1); } while (0)

// Opens the device of a number or of a part of a name; NULL is the first. The version is Vulkan's, and
// prints its name.
void openDevice(const char *which, uint32_t version);

// The mesh: positions and normals, six floats per vertex, and a triangle list.
typedef struct { float *vertices; uint32_t *indices; uint32_t vertexCount, indexCount; } Mesh;
Mesh readOBJ(const char *path);
void lookAt(const Mesh *m, float clip[16]); // a camera on +z that sees the whole mesh; columns, Vulkan's clip space

// A buffer that the host sees. A renderer keeps most in memory that only the device does.
typedef struct { VkBuffer handle; VkDeviceMemory memory; void *data; VkDeviceSize size; } Buffer;
Buffer makeBuffer(VkDeviceSize size);
void freeBuffer(Buffer *b);
void bind(uint32_t binding, const Buffer *b);

// Storage buffers of set 0 and push constants, for these stages.
void makeLayout(const uint32_t *bindings, uint32_t count, VkShaderStageFlags stages, uint32_t pushBytes);

// Pipelines. specialize is for one that is created next; requireLanes has a stage run in full subgroups.
typedef struct { uint32_t id, value; } Constant;
VkPipelineShaderStageCreateInfo stage(const char *name, VkShaderStageFlagBits kind);
const VkSpecializationInfo *specialize(const Constant *constants, uint32_t count);
int hasLanes(uint32_t lanes, VkShaderStageFlags kind);
void requireLanes(VkPipelineShaderStageCreateInfo *s, uint32_t lanes);

// A pass that draws into a picture, which it leaves in a buffer, and a graphics pipeline that draws with
// draw.frag. first is a vertex shader, whose vertices have a clip position and a colour, or a mesh shader.
VkPipeline graphics(VkPipelineShaderStageCreateInfo first);
void beginPicture(void);
void endPicture(VkBuffer to);

// Recording. What is written before barrier, in a stage and by an access, is there after it for others.
void begin(void);
void barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags read);
void submit(void); // runs what was recorded, and waits: the host can read what shaders and copies wrote

void printCounts(const char *name, const Mesh *m, const uint32_t *counts);
void writePPM(const char *path, const uint32_t *rgba);
