// The C side of ext.go: what vulkan-go lacks, and what it cannot do safely.
// It includes the system's headers, so that the features of Vulkan 1.1 to 1.3
// are known. Every struct that crosses from Go is free of Go's pointers (its
// handles are uint64_t), and every pNext chain lives on this side.
#ifndef SHADEONCE_VKX_H
#define SHADEONCE_VKX_H

#define VK_NO_PROTOTYPES
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

_Static_assert(sizeof(void *) == 8, "handles travel as 64-bit values");

typedef struct vkxInstance vkxInstance;
typedef struct vkxDevice vkxDevice;

// Optional features, in the order of featureNames in device.go.
enum {
    VKX_INT64,                // shaderInt64
    VKX_INT64_ATOMICS,        // shaderBufferInt64Atomics
    VKX_SHARED_INT64_ATOMICS, // shaderSharedInt64Atomics
    VKX_IMAGE_INT64_ATOMICS,  // shaderImageInt64Atomics
    VKX_PIPELINE_STATISTICS,  // pipelineStatisticsQuery
    VKX_VERTEX_STORES,        // vertexPipelineStoresAndAtomics
    VKX_FRAGMENT_STORES,      // fragmentStoresAndAtomics
    VKX_PRIMITIVE_ID,         // geometryShader: gl_PrimitiveID in fragment shaders
    VKX_DRAW_PARAMETERS,      // shaderDrawParameters
    VKX_SUBGROUP_SIZE,        // subgroupSizeControl
    VKX_FULL_SUBGROUPS,       // computeFullSubgroups
    VKX_SYNC2,                // synchronization2
    VKX_MEMORY_MODEL,         // vulkanMemoryModel
    VKX_INT8_STORAGE,         // shaderInt8 and storageBuffer8BitAccess
    VKX_INT16_STORAGE,        // shaderInt16 and storageBuffer16BitAccess
    VKX_SCALAR_LAYOUT,        // scalarBlockLayout
    VKX_MULTI_DRAW,           // multiDrawIndirect and drawIndirectFirstInstance
    VKX_FLOAT64,              // shaderFloat64
    VKX_FLOAT16,              // shaderFloat16
    VKX_MESH_SHADER,          // meshShader
    VKX_CLIP_DISTANCE,        // shaderClipDistance
    VKX_CULL_DISTANCE,        // shaderCullDistance
};

typedef struct {
    VkPhysicalDeviceProperties core;
    VkPhysicalDeviceMemoryProperties memory;
    char driverName[VK_MAX_DRIVER_NAME_SIZE];
    char driverInfo[VK_MAX_DRIVER_INFO_SIZE];
    uint8_t deviceUUID[VK_UUID_SIZE];
    uint8_t driverUUID[VK_UUID_SIZE];
    uint32_t subgroupSize, subgroupMin, subgroupMax;
    uint32_t subgroupOps, requiredSizeStages, maxSubgroups;
    uint64_t features; // bit i: feature i of the enum above
    uint64_t budget[VK_MAX_MEMORY_HEAPS], usage[VK_MAX_MEMORY_HEAPS];
    uint64_t maxBufferBytes;  // 0 where the device does not say
    uint32_t multiprocessors; // or compute units; 0 where the driver does not say
    // Of mesh shaders; 0 without VK_EXT_mesh_shader.
    uint32_t meshGroups, meshGroupsTotal, meshInvocations, meshSharedBytes;
    uint32_t meshOutputBytes, meshOutputVertices, meshOutputPrimitives, meshPreferredInvocations;
    uint32_t hasBudget, hasSwapchain;
    uint32_t familyCount;
    uint32_t familyFlags[16], familyTimestampBits[16];
} vkxDeviceInfo;

typedef struct {
    uint64_t buffer;
    uint32_t srcAccess, dstAccess;
} vkxBufferBarrier;

typedef struct {
    uint64_t image;
    uint32_t aspect, oldLayout, newLayout, srcAccess, dstAccess;
} vkxImageBarrier;

typedef struct {
    uint32_t binding, type, stages;
} vkxBinding;

typedef struct {
    uint32_t binding, type;
    uint64_t buffer;
} vkxWrite;

typedef struct {
    uint32_t flag; // VkShaderStageFlagBits
    uint32_t subgroupSize, fullSubgroups; // required lanes, 0 for any; whether all of them must exist
    const uint32_t *code;
    uint64_t codeBytes;
    const uint32_t *specIDs, *specValues; // specCount words each
    uint32_t specCount;
} vkxStage;

typedef struct {
    uint32_t depthTest, depthWrite, blend, discard;
    uint32_t streams; // vertex buffers of float3, one a location
} vkxRaster;

// ext_instance.c. Lists of names are NUL-terminated strings one after the other.
void *vkx_open_loader(const char *library, char *why, size_t size);
uint32_t vkx_instance_version(void *gipa);
int vkx_has_layer(void *gipa, const char *name);
int vkx_has_instance_extension(void *gipa, const char *name);
VkResult vkx_create_instance(void *gipa, const char *app, uint32_t api, const char *extensions,
                             uint32_t extensionCount, int validation, int debugUtils, vkxInstance **out);
// A caller's instance, which vkx_free_instance leaves alone.
VkResult vkx_adopt_instance(void *gipa, void *handle, uint32_t api, vkxInstance **out);
void *vkx_instance_handle(vkxInstance *in);
void vkx_destroy_instance(vkxInstance *in); // the log stays readable
void vkx_free_instance(vkxInstance *in);
uint32_t vkx_log_count(vkxInstance *in);
const char *vkx_log_at(vkxInstance *in, uint32_t i);
void vkx_log_clear(vkxInstance *in);
VkResult vkx_surface_formats(vkxInstance *in, void *phys, uint64_t surface, uint32_t *count, VkSurfaceFormatKHR *formats);

// ext_device.c
void vkx_query_device(vkxInstance *in, void *phys, vkxDeviceInfo *out);
// Fills VK_MAX_MEMORY_HEAPS entries each; the device has VK_EXT_memory_budget.
void vkx_query_budget(vkxInstance *in, void *phys, uint64_t *budget, uint64_t *usage);
VkResult vkx_create_device(vkxInstance *in, void *phys, uint32_t family, int swapchain, vkxDevice **out);
// A caller's device, which vkx_destroy_device leaves alone.
VkResult vkx_adopt_device(vkxInstance *in, void *device, vkxDevice **out);
void *vkx_device_handle(vkxDevice *d);
void vkx_destroy_device(vkxDevice *d);
void vkx_name(vkxDevice *d, uint32_t type, uint64_t handle, const char *name);

// ext_pipeline.c
VkResult vkx_create_cache(vkxDevice *d, const void *data, uint64_t size, uint64_t *out);
VkResult vkx_create_set_layout(vkxDevice *d, uint32_t n, const vkxBinding *b, uint64_t *out);
VkResult vkx_create_pipeline_layout(vkxDevice *d, uint32_t n, const uint64_t *sets, uint32_t pushBytes,
                                    uint32_t pushStages, uint64_t *out);
VkResult vkx_create_set(vkxDevice *d, uint64_t layout, uint32_t n, const vkxBinding *b, uint64_t *pool, uint64_t *set);
VkResult vkx_write_set(vkxDevice *d, uint64_t set, uint32_t n, const vkxWrite *w);
VkResult vkx_create_compute(vkxDevice *d, uint64_t cache, uint64_t layout, vkxStage stage, uint64_t *out);
// The first stage is a vertex or a mesh shader. A fragment stage without code leaves a pipeline of it alone.
VkResult vkx_create_graphics(vkxDevice *d, uint64_t cache, uint64_t layout, uint64_t pass, vkxStage first,
                             vkxStage fragment, vkxRaster raster, uint64_t *out);
VkResult vkx_create_pass(vkxDevice *d, uint32_t colorFormat, uint32_t depthFormat, int clear, uint64_t *out);
VkResult vkx_create_framebuffer(vkxDevice *d, uint64_t pass, uint64_t color, uint64_t depth, uint32_t width,
                                uint32_t height, uint64_t *out);

// ext_record.c
VkResult vkx_barrier(vkxDevice *d, void *cmd, uint32_t srcStages, uint32_t dstStages, uint32_t srcAccess,
                     uint32_t dstAccess, uint32_t nb, const vkxBufferBarrier *b, uint32_t ni, const vkxImageBarrier *i);
void vkx_copy_buffer(vkxDevice *d, void *cmd, uint64_t src, uint64_t dst, uint64_t srcOffset, uint64_t dstOffset,
                     uint64_t size);
void vkx_copy_image_to_buffer(vkxDevice *d, void *cmd, uint64_t image, uint32_t aspect, uint32_t width, uint32_t height,
                              uint64_t buffer, uint64_t offset);
void vkx_copy_buffer_to_image(vkxDevice *d, void *cmd, uint64_t buffer, uint64_t offset, uint64_t image,
                              uint32_t aspect, int32_t x, int32_t y, uint32_t width, uint32_t height);
void vkx_blit_part(vkxDevice *d, void *cmd, uint64_t src, const int32_t *from, uint64_t dst, const int32_t *to,
                   uint32_t filter);
void vkx_scissor(vkxDevice *d, void *cmd, int32_t x, int32_t y, uint32_t width, uint32_t height);
void vkx_begin_pass(vkxDevice *d, void *cmd, uint64_t pass, uint64_t framebuffer, uint32_t width, uint32_t height,
                    const float *rgba, float depth);
void vkx_viewport(vkxDevice *d, void *cmd, uint32_t width, uint32_t height);
void vkx_draw_mesh(vkxDevice *d, void *cmd, uint32_t x, uint32_t y); // workgroups; the device has VK_EXT_mesh_shader
void vkx_begin_label(vkxDevice *d, void *cmd, const char *name);
void vkx_end_label(vkxDevice *d, void *cmd);
VkResult vkx_submit(vkxDevice *d, void *queue, void *cmd, uint64_t wait, uint32_t waitStages, uint64_t signal,
                    uint64_t fence);
VkResult vkx_present(vkxDevice *d, void *queue, uint64_t swapchain, uint32_t image, uint64_t wait);
VkResult vkx_flush(vkxDevice *d, uint64_t memory);
VkResult vkx_invalidate(vkxDevice *d, uint64_t memory);

#endif
