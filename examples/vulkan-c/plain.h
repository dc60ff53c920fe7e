// What any Vulkan program needs: a device, buffers, pipelines, a picture to draw into, and a reader of OBJ
// files. Nothing here is specific to shadeonce.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

enum { WIDTH = 960, HEIGHT = 640 };

// The device, and its optional features beyond Vulkan 1.1. openDevice enables those that the device has.
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

// Opens a device by its number or a part of its name, and prints the name; NULL means the first device.
// version is the version of Vulkan to use.
void openDevice(const char *which, uint32_t version);

// The mesh: positions and normals, six floats per vertex, and a triangle list.
typedef struct { float *vertices; uint32_t *indices; uint32_t vertexCount, indexCount; } Mesh;
Mesh readOBJ(const char *path);
void lookAt(const Mesh *m, float clip[16]); // a camera on +z that sees the whole mesh; columns, Vulkan's clip space

// A buffer that the host can access. A renderer keeps most buffers in memory that only the device can access.
typedef struct { VkBuffer handle; VkDeviceMemory memory; void *data; VkDeviceSize size; } Buffer;
Buffer makeBuffer(VkDeviceSize size);
void freeBuffer(Buffer *b);
void bind(uint32_t binding, const Buffer *b);

// Makes the pipeline layout: storage buffers in set 0 and push constants, for these stages.
void makeLayout(const uint32_t *bindings, uint32_t count, VkShaderStageFlags stages, uint32_t pushBytes);

// Pipelines. The result of specialize is valid until its next call; requireLanes makes a stage run in full subgroups.
typedef struct { uint32_t id, value; } Constant;
VkPipelineShaderStageCreateInfo stage(const char *name, VkShaderStageFlagBits kind);
const VkSpecializationInfo *specialize(const Constant *constants, uint32_t count);
int hasLanes(uint32_t lanes, VkShaderStageFlags kind);
void requireLanes(VkPipelineShaderStageCreateInfo *s, uint32_t lanes);

// Makes a graphics pipeline that draws with draw.frag; first is a vertex shader, whose vertices have a clip
// position and a colour, or a mesh shader. beginPicture clears the picture, endPicture copies it to a buffer.
VkPipeline graphics(VkPipelineShaderStageCreateInfo first);
void beginPicture(void);
void endPicture(VkBuffer to);

// Recording. barrier makes what the stages `from` have written visible to the stages `to` after it.
void begin(void);
void barrier(VkPipelineStageFlags from, VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags read);
void submit(void); // runs what was recorded, and waits: the host can read what shaders and copies wrote

void printCounts(const char *name, const Mesh *m, const uint32_t *counts);
void writePPM(const char *path, const uint32_t *rgba);
