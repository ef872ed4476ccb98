/* Tensors in a file.  SPDX-License-Identifier: MIT */
#include "core/store/safetensors.h"

#include "core/base/file.h"
#include "core/store/json.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Data is written as it lies in memory, and the format is little-endian. */
G_STATIC_ASSERT(G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* The header is padded with spaces so that the data behind it is aligned. */
#define ALIGNMENT 8

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [NS_STORED_F32] = {"F32", 4},   [NS_STORED_F64] = {"F64", 8}, [NS_STORED_I64] = {"I64", 8},
    [NS_STORED_BOOL] = {"BOOL", 1}, [NS_STORED_TEXT] = {"U8", 1},
};

size_t ns_stored_bytes(const NsStoredTensor *tensor)
{
    size_t n = types[tensor->type].bytes;
    for (size_t i = 0; i < tensor->dims; i++) n *= tensor->shape[i];
    return n;
}

char *ns_safetensors_head(const NsStoredTensor *tensors, size_t n, const char *experiment,
                          size_t *bytes)
{
    NsJson json;
    size_t offset = 0;
    ns_json_init(&json);
    if (experiment) {
        ns_json_open(&json, "__metadata__", '{');
        ns_json_string(&json, "experiment", experiment);
        ns_json_close(&json, '}');
    }
    for (size_t i = 0; i < n; i++) {
        const NsStoredTensor *tensor = &tensors[i];
        ns_json_open(&json, tensor->name, '{');
        ns_json_string(&json, "dtype", types[tensor->type].name);
        ns_json_open(&json, "shape", '[');
        for (size_t k = 0; k < tensor->dims; k++)
            ns_json_int(&json, NULL, (int64_t)tensor->shape[k]);
        ns_json_close(&json, ']');
        ns_json_open(&json, "data_offsets", '[');
        ns_json_int(&json, NULL, (int64_t)offset);
        offset += ns_stored_bytes(tensor);
        ns_json_int(&json, NULL, (int64_t)offset);
        ns_json_close(&json, ']');
        ns_json_close(&json, '}');
    }
    g_autofree char *text = ns_json_finish(&json);
    uint64_t length = strlen(text) + (ALIGNMENT - strlen(text) % ALIGNMENT) % ALIGNMENT;
    *bytes = sizeof length + length;
    char *head = g_malloc(*bytes);
    memset(head, ' ', *bytes);
    memcpy(head, &length, sizeof length);
    memcpy(head + sizeof length, text, strlen(text));
    return head;
}

/* On failure errno says why. */
static bool write_all(int fd, const void *data, size_t bytes)
{
    const char *p = data;
    while (bytes > 0) {
        ssize_t done = write(fd, p, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        p += done;
        bytes -= (size_t)done;
    }
    return true;
}

static bool write_contents(int fd, const NsStoredTensor *tensors, size_t n)
{
    size_t bytes;
    g_autofree char *head = ns_safetensors_head(tensors, n, NULL, &bytes);
    if (!write_all(fd, head, bytes)) return false;
    for (size_t i = 0; i < n; i++)
        if (!write_all(fd, tensors[i].data, ns_stored_bytes(&tensors[i]))) return false;
    return true;
}

bool ns_safetensors_write(const char *path, const NsStoredTensor *tensors, size_t n, GError **error)
{
    g_autofree char *partial = g_strconcat(path, ".XXXXXX", NULL);
    int fd = g_mkstemp_full(partial, O_WRONLY | O_CLOEXEC, 0666);
    bool created = fd >= 0;
    bool done = created && write_contents(fd, tensors, n);
    int number = errno;
    if (created && close(fd) < 0 && done) {
        done = false;
        number = errno;
    }
    if (done && g_rename(partial, path) < 0) {
        done = false;
        number = errno;
    }
    if (done) return true;

    if (created) g_unlink(partial);
    ns_file_error(path, number, error);
    return false;
}
