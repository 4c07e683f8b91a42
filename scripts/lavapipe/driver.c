// Stands in for libvk_swiftshader.so beside Chromium and passes each call to Mesa's software driver, which keeps compiled shaders on disk.
//
// Two answers differ from the driver's. Chromium accepts no software adapter except SwiftShader, so the adapter has SwiftShader's numbers.
// Dawn, Chromium's WebGPU, refuses drivers that cannot choose from arrays of images by an index, which no compute shader here does: the
// two features are claimed, and no device gets them. DRIVER, the path of Mesa's driver, is given at compilation.

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/** VkStructureType of VkPhysicalDeviceFeatures2. */
enum { FEATURES_2 = 1000059000 };
/** Positions in VkPhysicalDeviceFeatures, a struct of 55 32-bit booleans. */
enum { SAMPLED_IMAGE_ARRAYS = 34, STORAGE_IMAGE_ARRAYS = 36, FEATURES = 55 };

/** The beginning of VkPhysicalDeviceProperties. */
typedef struct {
    uint32_t api, driver, vendor, device;
} Properties;

/** The beginning of every extensible struct of Vulkan. */
typedef struct Chained {
    int32_t type;
    struct Chained *next;
} Chained;

typedef struct {
    Chained base;
    Properties properties;
} Properties2;

typedef struct {
    Chained base;
    uint32_t features[FEATURES];
} Features2;

/** VkDeviceCreateInfo. */
typedef struct {
    Chained base;
    uint32_t flags, queue_count;
    const void *queues;
    uint32_t layer_count;
    const void *layers;
    uint32_t extension_count;
    const void *extensions;
    const uint32_t *features;
} DeviceInfo;

typedef void (*Function)(void);
typedef Function (*Lookup)(void *instance, const char *name);

static void (*get_properties)(void *, Properties *);
static void (*get_properties2)(void *, Properties2 *);
static void (*get_features)(void *, uint32_t *);
static void (*get_features2)(void *, Features2 *);
static int32_t (*create_device)(void *, const DeviceInfo *, const void *, void **);

static void set_arrays(uint32_t *features, uint32_t value) {
    features[SAMPLED_IMAGE_ARRAYS] = value;
    features[STORAGE_IMAGE_ARRAYS] = value;
}

static void name_swiftshader(Properties *properties) {
    properties->vendor = 0x1ae0;
    properties->device = 0xc0de;
}

static void properties(void *device, Properties *found) {
    get_properties(device, found);
    name_swiftshader(found);
}

static void properties2(void *device, Properties2 *found) {
    get_properties2(device, found);
    name_swiftshader(&found->properties);
}

static void features(void *device, uint32_t *found) {
    get_features(device, found);
    set_arrays(found, 1);
}

static void features2(void *device, Features2 *found) {
    get_features2(device, found);
    set_arrays(found->features, 1);
}

static int32_t new_device(void *device, const DeviceInfo *asked, const void *allocator, void **made) {
    DeviceInfo info = *asked;
    uint32_t enabled[FEATURES];
    if (info.features) {
        memcpy(enabled, info.features, sizeof enabled);
        set_arrays(enabled, 0);
        info.features = enabled;
    }
    for (Chained *each = info.base.next; each; each = each->next)
        if (each->type == FEATURES_2) set_arrays(((Features2 *)each)->features, 0);
    return create_device(device, &info, allocator, made);
}

static const struct {
    const char *name;
    Function own;
    void *driver;
} replaced[] = {
    {"vkGetPhysicalDeviceProperties", (Function)properties, &get_properties},
    {"vkGetPhysicalDeviceProperties2", (Function)properties2, &get_properties2},
    {"vkGetPhysicalDeviceProperties2KHR", (Function)properties2, &get_properties2},
    {"vkGetPhysicalDeviceFeatures", (Function)features, &get_features},
    {"vkGetPhysicalDeviceFeatures2", (Function)features2, &get_features2},
    {"vkGetPhysicalDeviceFeatures2KHR", (Function)features2, &get_features2},
    {"vkCreateDevice", (Function)new_device, &create_device},
};

EXPORT Function vkGetInstanceProcAddr(void *instance, const char *name) {
    static Lookup lookup;
    if (!lookup) {
        void *driver = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
        if (!driver) return 0;
        lookup = (Lookup)dlsym(driver, "vk_icdGetInstanceProcAddr");
        if (!lookup) return 0;
    }
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (Function)vkGetInstanceProcAddr;
    Function found = lookup(instance, name);
    if (!found) return 0;
    for (size_t n = 0; n < sizeof replaced / sizeof *replaced; n++)
        if (strcmp(name, replaced[n].name) == 0) {
            memcpy(replaced[n].driver, &found, sizeof found);
            return replaced[n].own;
        }
    return found;
}
