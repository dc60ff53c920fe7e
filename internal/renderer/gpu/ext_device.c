// What a device is and can do, and opening it with the features it has.
#include "ext_internal.h"
#include <stdlib.h>
#include <string.h>

// The optional features and the extensions that bring them, in one chain. The
// driver fills it, and vkCreateDevice gets what the keep functions leave of it.
typedef struct {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceShaderDrawParametersFeatures draw;
    VkPhysicalDevice16BitStorageFeatures storage16;
    VkPhysicalDeviceShaderAtomicInt64Features atomic64;
    VkPhysicalDeviceShaderImageAtomicInt64FeaturesEXT image64;
    VkPhysicalDeviceVulkanMemoryModelFeatures model;
    VkPhysicalDevice8BitStorageFeatures storage8;
    VkPhysicalDeviceShaderFloat16Int8Features int8;
    VkPhysicalDeviceScalarBlockLayoutFeatures scalar;
    VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures extended;
    VkPhysicalDeviceSubgroupSizeControlFeatures size;
    VkPhysicalDeviceSynchronization2Features sync2;
    VkPhysicalDeviceMaintenance4Features maintenance4;
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
    const char *extensions[16]; // needed for the above on this device
    uint32_t extensionCount;
} features;

typedef struct {
    VkExtensionProperties *list;
    uint32_t count;
} extensions;

#define LOAD(in, name) ((PFN_vk##name)(in)->gipa((in)->handle, "vk" #name))

static extensions list_extensions(vkxInstance *in, VkPhysicalDevice phys) {
    extensions e = {0};
    PFN_vkEnumerateDeviceExtensionProperties f = LOAD(in, EnumerateDeviceExtensionProperties);
    if (!f || f(phys, NULL, &e.count, NULL) != VK_SUCCESS)
        return (extensions){0};
    e.list = calloc(e.count + 1, sizeof *e.list);
    if (!e.list || f(phys, NULL, &e.count, e.list) < 0)
        e.count = 0;
    return e;
}

static int has(const extensions *e, const char *name) {
    for (uint32_t i = 0; i < e->count; i++)
        if (strcmp(e->list[i].extensionName, name) == 0)
            return 1;
    return 0;
}

static void link_struct(void *head, void *item, VkStructureType type) {
    VkBaseOutStructure *h = head, *s = item;
    s->sType = type;
    s->pNext = h->pNext;
    h->pNext = s;
}

// offer adds a struct to the chain where the device knows it: as part of the
// core since version `since` (0: never), or through an extension.
static void offer(features *f, const extensions *e, uint32_t api, void *item, VkStructureType type, uint32_t since,
                  const char *extension) {
    if (since == 0 || api < since) {
        if (!extension || !has(e, extension))
            return;
        f->extensions[f->extensionCount++] = extension;
    }
    link_struct(&f->core, item, type);
}

static void query_features(vkxInstance *in, VkPhysicalDevice phys, uint32_t api, const extensions *e, features *f) {
    memset(f, 0, sizeof *f);
    f->core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    PFN_vkGetPhysicalDeviceFeatures2 get = LOAD(in, GetPhysicalDeviceFeatures2);
    if (api < VK_API_VERSION_1_1 || !get) {
        PFN_vkGetPhysicalDeviceFeatures old = LOAD(in, GetPhysicalDeviceFeatures);
        if (old)
            old(phys, &f->core.features);
        return;
    }
#define OFFER(field, type, since, extension) \
    offer(f, e, api, &f->field, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, since, extension)
    OFFER(draw, SHADER_DRAW_PARAMETERS_FEATURES, VK_API_VERSION_1_1, NULL);
    OFFER(storage16, 16BIT_STORAGE_FEATURES, VK_API_VERSION_1_1, NULL);
    OFFER(atomic64, SHADER_ATOMIC_INT64_FEATURES, VK_API_VERSION_1_2, "VK_KHR_shader_atomic_int64");
    OFFER(image64, SHADER_IMAGE_ATOMIC_INT64_FEATURES_EXT, 0, "VK_EXT_shader_image_atomic_int64");
    OFFER(model, VULKAN_MEMORY_MODEL_FEATURES, VK_API_VERSION_1_2, "VK_KHR_vulkan_memory_model");
    OFFER(storage8, 8BIT_STORAGE_FEATURES, VK_API_VERSION_1_2, "VK_KHR_8bit_storage");
    OFFER(int8, SHADER_FLOAT16_INT8_FEATURES, VK_API_VERSION_1_2, "VK_KHR_shader_float16_int8");
    OFFER(scalar, SCALAR_BLOCK_LAYOUT_FEATURES, VK_API_VERSION_1_2, "VK_EXT_scalar_block_layout");
    OFFER(extended, SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, VK_API_VERSION_1_2, "VK_KHR_shader_subgroup_extended_types");
    OFFER(size, SUBGROUP_SIZE_CONTROL_FEATURES, VK_API_VERSION_1_3, "VK_EXT_subgroup_size_control");
    OFFER(sync2, SYNCHRONIZATION_2_FEATURES, VK_API_VERSION_1_3, "VK_KHR_synchronization2");
    OFFER(maintenance4, MAINTENANCE_4_FEATURES, VK_API_VERSION_1_3, "VK_KHR_maintenance4");
    if (api >= VK_API_VERSION_1_2) // the shaders are SPIR-V 1.5
        OFFER(mesh, MESH_SHADER_FEATURES_EXT, 0, "VK_EXT_mesh_shader");
#undef OFFER
    get(phys, &f->core);
}

static uint64_t feature_bits(const features *f) {
    const VkPhysicalDeviceFeatures *c = &f->core.features;
    uint64_t bits = 0;
#define BIT(i, value) bits |= (uint64_t)((value) ? 1 : 0) << (i)
    BIT(VKX_INT64, c->shaderInt64);
    BIT(VKX_INT64_ATOMICS, f->atomic64.shaderBufferInt64Atomics);
    BIT(VKX_SHARED_INT64_ATOMICS, f->atomic64.shaderSharedInt64Atomics);
    BIT(VKX_IMAGE_INT64_ATOMICS, f->image64.shaderImageInt64Atomics);
    BIT(VKX_PIPELINE_STATISTICS, c->pipelineStatisticsQuery);
    BIT(VKX_VERTEX_STORES, c->vertexPipelineStoresAndAtomics);
    BIT(VKX_FRAGMENT_STORES, c->fragmentStoresAndAtomics);
    BIT(VKX_PRIMITIVE_ID, c->geometryShader);
    BIT(VKX_DRAW_PARAMETERS, f->draw.shaderDrawParameters);
    BIT(VKX_SUBGROUP_SIZE, f->size.subgroupSizeControl);
    BIT(VKX_FULL_SUBGROUPS, f->size.computeFullSubgroups);
    BIT(VKX_SYNC2, f->sync2.synchronization2);
    BIT(VKX_MEMORY_MODEL, f->model.vulkanMemoryModel);
    BIT(VKX_INT8_STORAGE, f->int8.shaderInt8 && f->storage8.storageBuffer8BitAccess);
    BIT(VKX_INT16_STORAGE, c->shaderInt16 && f->storage16.storageBuffer16BitAccess);
    BIT(VKX_SCALAR_LAYOUT, f->scalar.scalarBlockLayout);
    BIT(VKX_MULTI_DRAW, c->multiDrawIndirect && c->drawIndirectFirstInstance);
    BIT(VKX_FLOAT64, c->shaderFloat64);
    BIT(VKX_FLOAT16, f->int8.shaderFloat16);
    BIT(VKX_MESH_SHADER, f->mesh.meshShader);
    BIT(VKX_CLIP_DISTANCE, c->shaderClipDistance);
    BIT(VKX_CULL_DISTANCE, c->shaderCullDistance);
#undef BIT
    return bits;
}

static void query_properties(vkxInstance *in, VkPhysicalDevice phys, const extensions *e, vkxDeviceInfo *out) {
    PFN_vkGetPhysicalDeviceProperties2 get = LOAD(in, GetPhysicalDeviceProperties2);
    uint32_t api = out->core.apiVersion;
    if (api < VK_API_VERSION_1_1 || !get)
        return;
    VkPhysicalDeviceProperties2 head = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    VkPhysicalDeviceSubgroupProperties subgroup = {0};
    VkPhysicalDeviceIDProperties id = {0};
    VkPhysicalDeviceDriverProperties driver = {0};
    VkPhysicalDeviceSubgroupSizeControlProperties size = {0};
    link_struct(&head, &subgroup, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES);
    link_struct(&head, &id, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES);
    if (api >= VK_API_VERSION_1_2 || has(e, "VK_KHR_driver_properties"))
        link_struct(&head, &driver, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES);
    if (api >= VK_API_VERSION_1_3 || has(e, "VK_EXT_subgroup_size_control"))
        link_struct(&head, &size, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES);
    VkPhysicalDeviceMaintenance4Properties buffers = {0};
    if (api >= VK_API_VERSION_1_3 || has(e, "VK_KHR_maintenance4"))
        link_struct(&head, &buffers, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES);
    VkPhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia = {0};
    if (has(e, "VK_NV_shader_sm_builtins"))
        link_struct(&head, &nvidia, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV);
    VkPhysicalDeviceShaderCorePropertiesAMD amd = {0};
    if (has(e, "VK_AMD_shader_core_properties"))
        link_struct(&head, &amd, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_AMD);
    VkPhysicalDeviceShaderCoreProperties2AMD active = {0};
    if (has(e, "VK_AMD_shader_core_properties2"))
        link_struct(&head, &active, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CORE_PROPERTIES_2_AMD);
    VkPhysicalDeviceMeshShaderPropertiesEXT mesh = {0};
    if (api >= VK_API_VERSION_1_2 && has(e, "VK_EXT_mesh_shader"))
        link_struct(&head, &mesh, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_PROPERTIES_EXT);
    get(phys, &head);
    out->meshGroups = mesh.maxMeshWorkGroupCount[0] < mesh.maxMeshWorkGroupCount[1] ? mesh.maxMeshWorkGroupCount[0] : mesh.maxMeshWorkGroupCount[1];
    out->meshGroupsTotal = mesh.maxMeshWorkGroupTotalCount;
    out->meshInvocations = mesh.maxMeshWorkGroupInvocations < mesh.maxMeshWorkGroupSize[0] ? mesh.maxMeshWorkGroupInvocations : mesh.maxMeshWorkGroupSize[0];
    out->meshSharedBytes = mesh.maxMeshSharedMemorySize;
    out->meshOutputBytes = mesh.maxMeshOutputMemorySize;
    out->meshOutputVertices = mesh.maxMeshOutputVertices;
    out->meshOutputPrimitives = mesh.maxMeshOutputPrimitives;
    out->meshPreferredInvocations = mesh.maxPreferredMeshWorkGroupInvocations;
    out->maxBufferBytes = buffers.maxBufferSize;
    out->multiprocessors = nvidia.shaderSMCount;
    if (!out->multiprocessors)
        out->multiprocessors = active.activeComputeUnitCount;
    if (!out->multiprocessors)
        out->multiprocessors = amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
    memcpy(out->deviceUUID, id.deviceUUID, VK_UUID_SIZE);
    memcpy(out->driverUUID, id.driverUUID, VK_UUID_SIZE);
    memcpy(out->driverName, driver.driverName, sizeof out->driverName);
    memcpy(out->driverInfo, driver.driverInfo, sizeof out->driverInfo);
    out->subgroupSize = subgroup.subgroupSize;
    out->subgroupOps = subgroup.supportedOperations;
    out->subgroupMin = size.minSubgroupSize ? size.minSubgroupSize : subgroup.subgroupSize;
    out->subgroupMax = size.maxSubgroupSize ? size.maxSubgroupSize : subgroup.subgroupSize;
    out->requiredSizeStages = size.requiredSubgroupSizeStages;
    out->maxSubgroups = size.maxComputeWorkgroupSubgroups;
}

static void query_memory(vkxInstance *in, VkPhysicalDevice phys, const extensions *e, vkxDeviceInfo *out) {
    PFN_vkGetPhysicalDeviceMemoryProperties2 get = LOAD(in, GetPhysicalDeviceMemoryProperties2);
    if (out->core.apiVersion < VK_API_VERSION_1_1 || !get) {
        PFN_vkGetPhysicalDeviceMemoryProperties old = LOAD(in, GetPhysicalDeviceMemoryProperties);
        if (old)
            old(phys, &out->memory);
        return;
    }
    VkPhysicalDeviceMemoryProperties2 head = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
    get(phys, &head);
    out->memory = head.memoryProperties;
    out->hasBudget = has(e, "VK_EXT_memory_budget");
    if (out->hasBudget)
        vkx_query_budget(in, phys, out->budget, out->usage);
}

void vkx_query_budget(vkxInstance *in, void *phys, uint64_t *budget, uint64_t *usage) {
    VkPhysicalDeviceMemoryBudgetPropertiesEXT b = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
    };
    VkPhysicalDeviceMemoryProperties2 head = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = &b,
    };
    LOAD(in, GetPhysicalDeviceMemoryProperties2)((VkPhysicalDevice)phys, &head);
    memcpy(budget, b.heapBudget, sizeof b.heapBudget);
    memcpy(usage, b.heapUsage, sizeof b.heapUsage);
}

static void query_families(vkxInstance *in, VkPhysicalDevice phys, vkxDeviceInfo *out) {
    PFN_vkGetPhysicalDeviceQueueFamilyProperties get = LOAD(in, GetPhysicalDeviceQueueFamilyProperties);
    VkQueueFamilyProperties list[16];
    uint32_t n = 16;
    if (!get)
        return;
    get(phys, &n, list); // writes at most n
    out->familyCount = n;
    for (uint32_t i = 0; i < n; i++) {
        out->familyFlags[i] = list[i].queueFlags;
        out->familyTimestampBits[i] = list[i].timestampValidBits;
    }
}

// What the instance allows bounds what may be used of the device.
static uint32_t usable_api(const vkxInstance *in, uint32_t device) {
    return device >> 12 <= in->api >> 12 ? device : in->api; // major and minor
}

void vkx_query_device(vkxInstance *in, void *handle, vkxDeviceInfo *out) {
    VkPhysicalDevice phys = handle;
    memset(out, 0, sizeof *out);
    PFN_vkGetPhysicalDeviceProperties get = LOAD(in, GetPhysicalDeviceProperties);
    if (!get)
        return;
    get(phys, &out->core);
    out->core.apiVersion = usable_api(in, out->core.apiVersion);
    extensions e = list_extensions(in, phys);
    features f;
    query_features(in, phys, out->core.apiVersion, &e, &f);
    out->features = feature_bits(&f);
    query_properties(in, phys, &e, out);
    query_memory(in, phys, &e, out);
    query_families(in, phys, out);
    out->hasSwapchain = has(&e, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
    free(e.list);
}

// Only what the renderer uses: the rest of the core features costs speed on
// some drivers (robustBufferAccess) or means nothing here.
static void keep_core_features(VkPhysicalDeviceFeatures *c) {
    VkPhysicalDeviceFeatures keep = {
        .shaderInt64 = c->shaderInt64,
        .shaderInt16 = c->shaderInt16,
        .shaderFloat64 = c->shaderFloat64,
        .shaderClipDistance = c->shaderClipDistance,
        .shaderCullDistance = c->shaderCullDistance,
        .pipelineStatisticsQuery = c->pipelineStatisticsQuery,
        .vertexPipelineStoresAndAtomics = c->vertexPipelineStoresAndAtomics,
        .fragmentStoresAndAtomics = c->fragmentStoresAndAtomics,
        .geometryShader = c->geometryShader,
        .drawIndirectFirstInstance = c->drawIndirectFirstInstance,
        .multiDrawIndirect = c->multiDrawIndirect,
    };
    *c = keep;
}

// Keeps only meshShader: the rest is not used, or depends on features that are not enabled.
static void keep_mesh_features(VkPhysicalDeviceMeshShaderFeaturesEXT *m) {
    m->taskShader = m->multiviewMeshShader = m->primitiveFragmentShadingRateMeshShader = m->meshShaderQueries = VK_FALSE;
}

// Fetches a device's entry points, and says whether all required ones are there.
static int load_calls(vkxInstance *in, vkxDevice *d) {
    PFN_vkGetDeviceProcAddr gdpa = LOAD(in, GetDeviceProcAddr);
    int complete = 1;
#define X(name) complete &= (d->name = (PFN_vk##name)gdpa(d->handle, "vk" #name)) != NULL;
    VKX_DEVICE_CALLS(X)
#undef X
    d->CmdDrawMeshTasksEXT = (PFN_vkCmdDrawMeshTasksEXT)gdpa(d->handle, "vkCmdDrawMeshTasksEXT");
    return complete;
}

VkResult vkx_adopt_device(vkxInstance *in, void *handle, vkxDevice **out) {
    vkxDevice *d = calloc(1, sizeof *d);
    if (!d)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    d->handle = handle;
    d->adopted = 1;
    if (!load_calls(in, d)) {
        free(d);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    *out = d;
    return VK_SUCCESS;
}

VkResult vkx_create_device(vkxInstance *in, void *handle, uint32_t family, int swapchain, vkxDevice **out) {
    VkPhysicalDevice phys = handle;
    VkPhysicalDeviceProperties properties;
    LOAD(in, GetPhysicalDeviceProperties)(phys, &properties);
    uint32_t api = usable_api(in, properties.apiVersion);
    extensions e = list_extensions(in, phys);
    features f;
    query_features(in, phys, api, &e, &f);
    keep_core_features(&f.core.features);
    keep_mesh_features(&f.mesh);
    if (swapchain)
        f.extensions[f.extensionCount++] = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
    free(e.list);

    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = f.extensionCount,
        .ppEnabledExtensionNames = f.extensions,
    };
    if (api >= VK_API_VERSION_1_1)
        info.pNext = &f.core;
    else
        info.pEnabledFeatures = &f.core.features;

    vkxDevice *d = calloc(1, sizeof *d);
    if (!d)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult r = LOAD(in, CreateDevice)(phys, &info, NULL, &d->handle);
    if (r != VK_SUCCESS) {
        free(d);
        return r;
    }
    int complete = load_calls(in, d);
    PFN_vkGetDeviceProcAddr gdpa = LOAD(in, GetDeviceProcAddr);
    if (swapchain)
        d->QueuePresentKHR = (PFN_vkQueuePresentKHR)gdpa(d->handle, "vkQueuePresentKHR");
    if (in->debugUtils) {
        // Instance extension: the loader's entry points, valid for its devices.
        d->SetDebugUtilsObjectNameEXT = LOAD(in, SetDebugUtilsObjectNameEXT);
        d->CmdBeginDebugUtilsLabelEXT = LOAD(in, CmdBeginDebugUtilsLabelEXT);
        d->CmdEndDebugUtilsLabelEXT = LOAD(in, CmdEndDebugUtilsLabelEXT);
    }
    if (!complete) {
        if (d->DestroyDevice)
            d->DestroyDevice(d->handle, NULL);
        free(d);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    *out = d;
    return VK_SUCCESS;
}

void *vkx_device_handle(vkxDevice *d) { return d->handle; }

void vkx_destroy_device(vkxDevice *d) {
    if (!d->adopted)
        d->DestroyDevice(d->handle, NULL);
    free(d);
}

void vkx_name(vkxDevice *d, uint32_t type, uint64_t handle, const char *name) {
    VkDebugUtilsObjectNameInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = (VkObjectType)type,
        .objectHandle = handle,
        .pObjectName = name,
    };
    if (d->SetDebugUtilsObjectNameEXT)
        d->SetDebugUtilsObjectNameEXT(d->handle, &info);
}
