// Instance and the log of the validation layer.
#include "ext_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t vkx_instance_version(void *gipa) {
    PFN_vkEnumerateInstanceVersion f =
        (PFN_vkEnumerateInstanceVersion)((PFN_vkGetInstanceProcAddr)gipa)(NULL, "vkEnumerateInstanceVersion");
    uint32_t v = VK_API_VERSION_1_0;
    if (f && f(&v) != VK_SUCCESS)
        v = VK_API_VERSION_1_0;
    return v;
}

int vkx_has_layer(void *gipa, const char *name) {
    PFN_vkEnumerateInstanceLayerProperties f = (PFN_vkEnumerateInstanceLayerProperties)((PFN_vkGetInstanceProcAddr)gipa)(
        NULL, "vkEnumerateInstanceLayerProperties");
    uint32_t n = 0;
    if (!f || f(&n, NULL) != VK_SUCCESS || n == 0)
        return 0;
    VkLayerProperties *p = calloc(n, sizeof *p);
    int found = 0;
    if (p && f(&n, p) >= 0)
        for (uint32_t i = 0; i < n; i++)
            found |= strcmp(p[i].layerName, name) == 0;
    free(p);
    return found;
}

int vkx_has_instance_extension(void *gipa, const char *name) {
    PFN_vkEnumerateInstanceExtensionProperties f =
        (PFN_vkEnumerateInstanceExtensionProperties)((PFN_vkGetInstanceProcAddr)gipa)(
            NULL, "vkEnumerateInstanceExtensionProperties");
    uint32_t n = 0;
    if (!f || f(NULL, &n, NULL) != VK_SUCCESS || n == 0)
        return 0;
    VkExtensionProperties *p = calloc(n, sizeof *p);
    int found = 0;
    if (p && f(NULL, &n, p) >= 0)
        for (uint32_t i = 0; i < n; i++)
            found |= strcmp(p[i].extensionName, name) == 0;
    free(p);
    return found;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                 VkDebugUtilsMessageTypeFlagsEXT types,
                                                 const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    (void)severity;
    (void)types;
    vkxInstance *in = user;
    pthread_mutex_lock(&in->lock);
    if (in->logCount < VKX_LOG_MAX) {
        char *copy = strdup(data->pMessage ? data->pMessage : "(no text)");
        if (copy)
            in->log[in->logCount++] = copy;
    }
    pthread_mutex_unlock(&in->lock);
    return VK_FALSE;
}

VkResult vkx_adopt_instance(void *gipa, void *handle, uint32_t api, vkxInstance **out) {
    vkxInstance *in = calloc(1, sizeof *in);
    if (!in)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&in->lock, NULL);
    in->gipa = (PFN_vkGetInstanceProcAddr)gipa;
    in->handle = handle;
    in->api = api;
    *out = in;
    return VK_SUCCESS;
}

VkResult vkx_create_instance(void *gipa, const char *app, uint32_t api, const char *extensions,
                             uint32_t extensionCount, int validation, int debugUtils, vkxInstance **out) {
    vkxInstance *in = calloc(1, sizeof *in);
    const char **names = calloc(extensionCount + 1, sizeof *names);
    if (!in || !names) {
        free(in);
        free(names);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_init(&in->lock, NULL);
    in->gipa = (PFN_vkGetInstanceProcAddr)gipa;
    in->api = api;
    in->debugUtils = debugUtils;
    for (uint32_t i = 0; i < extensionCount; i++, extensions += strlen(extensions) + 1)
        names[i] = extensions;

    VkDebugUtilsMessengerCreateInfoEXT messenger = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        // Not GENERAL: the loader reports every driver that found no hardware.
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
        .pUserData = in,
    };
    VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .pNext = &messenger, // also covers the creation and destruction of the instance
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = &enable,
    };
    const char *layer = "VK_LAYER_KHRONOS_validation";
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = app,
        .pEngineName = "shadeonce",
        .apiVersion = api,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = validation ? &features : NULL,
        .pApplicationInfo = &application,
        .enabledLayerCount = validation ? 1 : 0,
        .ppEnabledLayerNames = &layer,
        .enabledExtensionCount = extensionCount,
        .ppEnabledExtensionNames = names,
    };
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)in->gipa(NULL, "vkCreateInstance");
    VkResult r = create ? create(&info, NULL, &in->handle) : VK_ERROR_INITIALIZATION_FAILED;
    free(names);
    if (r == VK_SUCCESS && validation) {
        PFN_vkCreateDebugUtilsMessengerEXT f =
            (PFN_vkCreateDebugUtilsMessengerEXT)in->gipa(in->handle, "vkCreateDebugUtilsMessengerEXT");
        r = f ? f(in->handle, &messenger, NULL, &in->messenger) : VK_ERROR_EXTENSION_NOT_PRESENT;
        if (r != VK_SUCCESS)
            vkx_destroy_instance(in);
    }
    if (r != VK_SUCCESS) {
        vkx_free_instance(in);
        return r;
    }
    *out = in;
    return VK_SUCCESS;
}

void *vkx_instance_handle(vkxInstance *in) { return in->handle; }

void vkx_destroy_instance(vkxInstance *in) {
    if (!in->handle)
        return;
    if (in->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT f =
            (PFN_vkDestroyDebugUtilsMessengerEXT)in->gipa(in->handle, "vkDestroyDebugUtilsMessengerEXT");
        if (f)
            f(in->handle, in->messenger, NULL);
    }
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)in->gipa(in->handle, "vkDestroyInstance");
    if (destroy)
        destroy(in->handle, NULL);
    in->handle = NULL;
}

void vkx_free_instance(vkxInstance *in) {
    vkx_log_clear(in);
    pthread_mutex_destroy(&in->lock);
    free(in);
}

uint32_t vkx_log_count(vkxInstance *in) {
    pthread_mutex_lock(&in->lock);
    uint32_t n = in->logCount;
    pthread_mutex_unlock(&in->lock);
    return n;
}

// The text lives until vkx_log_clear.
const char *vkx_log_at(vkxInstance *in, uint32_t i) {
    pthread_mutex_lock(&in->lock);
    const char *s = i < in->logCount ? in->log[i] : "";
    pthread_mutex_unlock(&in->lock);
    return s;
}

void vkx_log_clear(vkxInstance *in) {
    pthread_mutex_lock(&in->lock);
    for (uint32_t i = 0; i < in->logCount; i++)
        free(in->log[i]);
    in->logCount = 0;
    pthread_mutex_unlock(&in->lock);
}

VkResult vkx_surface_formats(vkxInstance *in, void *phys, uint64_t surface, uint32_t *count,
                             VkSurfaceFormatKHR *formats) {
    PFN_vkGetPhysicalDeviceSurfaceFormatsKHR f =
        (PFN_vkGetPhysicalDeviceSurfaceFormatsKHR)in->gipa(in->handle, "vkGetPhysicalDeviceSurfaceFormatsKHR");
    if (!f)
        return VK_ERROR_EXTENSION_NOT_PRESENT;
    return f((VkPhysicalDevice)phys, H(VkSurfaceKHR, surface), count, formats);
}
