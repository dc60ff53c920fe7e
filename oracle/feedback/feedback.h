// The C side of feedback.go. What crosses from Go holds no Go pointer; offsets are bytes of
// one buffer.
#ifndef SHADEONCE_FEEDBACK_H
#define SHADEONCE_FEEDBACK_H

#define VK_NO_PROTOTYPES
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

typedef struct {
    uint32_t location, format, stride; // stride 0: the same element for all
    uint64_t offset;
} feedbackAttribute;

typedef struct {
    uint32_t set, binding, element, type;
    uint32_t format, width, height; // of texels; height 0: an image of one dimension
    uint64_t offset, bytes;
} feedbackBlock;

typedef struct {
    const void *code; // SPIR-V
    uint64_t codeBytes;
    char entry[256];
    feedbackAttribute attributes[64];
    feedbackBlock blocks[64];
    uint8_t push[256];
    uint32_t attributeCount, blockCount, pushBytes, indexCount, instance;
    uint64_t indexOffset, resultOffset, resultBytes;
} feedbackJob;

// data has the initial contents of the buffer; the run writes the results to data at resultOffset.
VkResult feedback_run(void *instance, void *physical, const feedbackJob *job, void *data, uint64_t size);

#endif
