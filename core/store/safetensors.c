/* Files of tensors.  SPDX-License-Identifier: MIT */
#include "core/store/safetensors.h"

#include "core/base/database_file.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/json_object.h"
#include "core/data/reader.h"
#include "core/store/json.h"
#include "core/store/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Data is written with the byte order of the machine, and the format is little-endian. */
G_STATIC_ASSERT(G_BYTE_ORDER == G_LITTLE_ENDIAN);

/* The header is padded with spaces so that the data after it is aligned. */
#define ALIGNMENT 8

/* ---- Writing ---- */

static const struct {
    const char *name;
    size_t bytes;
} types[] = {
    [NS_STORED_F32] = {"F32", 4},
    [NS_STORED_F64] = {"F64", 8},
    [NS_STORED_I64] = {"I64", 8},
    [NS_STORED_BOOL] = {"BOOL", 1},
};

static size_t data_bytes(const NsStoredTensor *tensor)
{
    size_t n = types[tensor->type].bytes;
    for (size_t i = 0; i < tensor->dims; i++) n *= tensor->shape[i];
    return n;
}

void ns_stored_tensors_clear(NsStoredTensors *tensors)
{
    g_free(tensors->tensor);
    g_clear_pointer(&tensors->owned, g_ptr_array_unref);
}

static void add(NsStoredTensors *tensors, const char *prefix, const char *name,
                NsStoredTensor tensor, void *owned)
{
    char *whole = g_strconcat(prefix, name, NULL);
    tensor.name = whole;
    tensors->tensor = g_renew(NsStoredTensor, tensors->tensor, tensors->n + 1);
    tensors->tensor[tensors->n++] = tensor;
    if (!tensors->owned) tensors->owned = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(tensors->owned, whole);
    g_ptr_array_add(tensors->owned, owned);
}

void ns_stored_tensors_add(NsStoredTensors *tensors, const char *prefix, const NsTensorTable *table,
                           const ns_real *arena)
{
    NsStoredType type = sizeof(ns_real) == sizeof(double) ? NS_STORED_F64 : NS_STORED_F32;
    for (size_t i = 0; arena && i < table->n; i++) {
        const NsTensor *own = &table->tensors[i];
        size_t dims = own->cols ? 2 : 1;
        NsStoredTensor one = {NULL, type, dims, {own->rows, own->cols}, arena + own->offset};
        add(tensors, prefix, own->name, one, NULL);
    }
}

void ns_stored_tensors_add_numbers(NsStoredTensors *tensors, const char *prefix, const char *name,
                                   const int32_t *numbers, size_t rows, size_t cols)
{
    size_t n = rows * MAX(cols, 1), dims = cols ? 2 : 1;
    int64_t *data = g_new(int64_t, n);
    for (size_t i = 0; i < n; i++) data[i] = numbers[i];
    add(tensors, prefix, name, (NsStoredTensor){NULL, NS_STORED_I64, dims, {rows, cols}, data},
        data);
}

void ns_stored_tensors_add_batch(NsStoredTensors *tensors, const char *prefix, const NsBatch *batch,
                                 bool segments)
{
    size_t B = batch->B, T = batch->T;
    ns_stored_tensors_add_numbers(tensors, prefix, "tokens", batch->tokens, B, T);
    ns_stored_tensors_add_numbers(tensors, prefix, "targets", batch->targets, B, T);
    ns_stored_tensors_add_numbers(tensors, prefix, "length", batch->length, B, 0);
    if (!segments) return;
    ns_stored_tensors_add_numbers(tensors, prefix, "second", batch->second, B, 0);
    ns_stored_tensors_add_numbers(tensors, prefix, "labels", batch->labels, B, 0);
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
        offset += data_bytes(tensor);
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

bool ns_safetensors_fill(int fd, const NsStoredTensor *tensors, size_t n)
{
    size_t bytes;
    g_autofree char *head = ns_safetensors_head(tensors, n, NULL, &bytes);
    if (!ns_write_all(fd, head, bytes)) return false;
    for (size_t i = 0; i < n; i++)
        if (!ns_write_all(fd, tensors[i].data, data_bytes(&tensors[i]))) return false;
    return true;
}

bool ns_safetensors_write(const char *path, const NsStoredTensor *tensors, size_t n, GError **error)
{
    NsOutputFile file;
    if (!ns_output_file_open(&file, path, error)) return false;
    return ns_output_file_close(&file, ns_safetensors_fill(file.fd, tensors, n) ? 0 : errno, error);
}

/* ---- Reading ---- */

/* Longer headers are refused.  The header of a model with 10,000 tensors has about one megabyte. */
#define MOST_HEADER ((uint64_t)64 << 20)

struct NsSafetensors {
    int fd;
    char *name;      /* display name */
    uint64_t begin;  /* of the data */
    uint64_t length; /* of the data */
    JsonNode *header;
};

static bool refuse(const NsSafetensors *file, GError **error, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static bool refuse(const NsSafetensors *file, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *why = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return ns_refuse(error, NS_ERROR_FILE, "“%s” cannot be read as safetensors: %s.", file->name,
                     why);
}

static bool read_header(NsSafetensors *file, GError **error)
{
    struct stat status;
    uint64_t header;
    if (fstat(file->fd, &status) < 0 || !S_ISREG(status.st_mode))
        return refuse(file, error, "it is not a regular file");
    uint64_t size = (uint64_t)status.st_size;
    if (size < sizeof header || !ns_read_all(file->fd, 0, &header, sizeof header))
        return refuse(file, error, "it is too short for a header; download it again");
    char start[NS_LFS_POINTER_BYTES];
    if (size >= sizeof start && ns_read_all(file->fd, 0, start, sizeof start) &&
        ns_lfs_pointer_is(start, sizeof start))
        return ns_lfs_pointer_refuse(file->name, error);
    header = GUINT64_FROM_LE(header);
    if (header > size - sizeof header)
        return refuse(file, error, "its header is longer than the file; download it again");
    if (header > MOST_HEADER) return refuse(file, error, "its header is longer than 64 MiB");
    g_autofree char *text = g_malloc(header + 1);
    if (!ns_read_all(file->fd, sizeof header, text, header))
        return refuse(file, error, "its header ends early");
    file->begin = sizeof header + header;
    file->length = size - file->begin;
    file->header = ns_json_parse(text, header);
    return file->header || refuse(file, error, "its header is not a JSON object");
}

NsSafetensors *ns_safetensors_open(const char *path, GError **error)
{
    g_autoptr(NsSafetensors) file = g_new0(NsSafetensors, 1);
    file->name = g_filename_display_name(path);
    file->fd = ns_open_for_reading(path);
    if (file->fd < 0) {
        refuse(file, error, "%s", errno == EMEDIUMTYPE ? "it is a database" : g_strerror(errno));
        return NULL;
    }
    return read_header(file, error) ? g_steal_pointer(&file) : NULL;
}

void ns_safetensors_free(NsSafetensors *file)
{
    if (!file) return;
    if (file->fd >= 0) close(file->fd);
    g_clear_pointer(&file->header, json_node_unref);
    g_free(file->name);
    g_free(file);
}

GList *ns_safetensors_names(const NsSafetensors *file)
{
    GList *names = json_object_get_members(json_node_get_object(file->header));
    GList *metadata = g_list_find_custom(names, "__metadata__", (GCompareFunc)strcmp);
    return metadata ? g_list_delete_link(names, metadata) : names;
}

/* Reads the first two nonnegative integers of an array and returns its length; -1 for other values.
 */
static int numbers_of(JsonObject *tensor, const char *key, int64_t numbers[2])
{
    JsonArray *array = ns_json_array_of(json_object_get_member(tensor, key));
    if (!array) return -1;
    guint n = json_array_get_length(array);
    for (guint i = 0; i < MIN(n, 2); i++)
        if (!ns_json_integer_of(json_array_get_element(array, i), &numbers[i]) || numbers[i] < 0)
            return -1;
    return (int)MIN(n, 1000);
}

/* Number i of a buffer in one of these types, all of which double precision can hold. */
static double read_f64(const void *buffer, size_t i)
{
    return ((const double *)buffer)[i];
}

static double read_f32(const void *buffer, size_t i)
{
    return (double)((const float *)buffer)[i];
}

double ns_f16_at(const void *buffer, size_t i)
{
    /* Half precision: 1 bit for the sign, 5 for the exponent, 10 for the fraction (IEEE 754). */
    uint16_t bits = ((const uint16_t *)buffer)[i];
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float magnitude = exponent == 31  ? fraction ? NAN : INFINITY
                      : exponent == 0 ? ldexpf((float)fraction, -24)
                                      : ldexpf((float)(1024 + fraction), exponent - 25);
    return (double)(bits >> 15 ? -magnitude : magnitude);
}

/* BF16 is the upper half of single precision. */
double ns_bf16_at(const void *buffer, size_t i)
{
    uint32_t bits = (uint32_t)((const uint16_t *)buffer)[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

typedef struct {
    const char *name;
    size_t bytes;
    double (*read)(const void *buffer, size_t i);
} FloatType;

static const FloatType float_types[] = {
    {"F32", 4, read_f32},
    {"F16", 2, ns_f16_at},
    {"BF16", 2, ns_bf16_at},
    {"F64", 8, read_f64},
};

/* A tensor of the header. */
typedef struct {
    const FloatType *type;
    int64_t shape[2];
    uint64_t begin; /* of its data in the file */
} Found;

/* Finds a tensor in the header and checks that its data is within the file and has the size of its
 * shape. */
static bool find(const NsSafetensors *file, const char *name, Found *found, GError **error)
{
    JsonObject *tensor =
        ns_json_object_of(json_object_get_member(json_node_get_object(file->header), name));
    if (!tensor) return refuse(file, error, "it has no tensor “%s”", name);
    const char *word = ns_json_text_of(json_object_get_member(tensor, "dtype"));
    *found = (Found){0};
    for (size_t i = 0; i < G_N_ELEMENTS(float_types); i++)
        if (g_strcmp0(word, float_types[i].name) == 0) found->type = &float_types[i];
    if (!found->type)
        return refuse(file, error,
                      "“%s” has the type %s, not F32, F16, BF16 or F64; convert the file to F32",
                      name, word ? word : "nothing");
    int64_t offsets[2], *shape = found->shape;
    int dims = numbers_of(tensor, "shape", shape);
    if (dims < 1 || dims > 2)
        return refuse(file, error, "“%s” is neither a matrix nor a vector", name);
    if (dims == 1) shape[1] = 0;
    uint64_t most = file->length / found->type->bytes, rows = (uint64_t)shape[0];
    uint64_t columns = dims == 2 ? (uint64_t)shape[1] : 1;
    bool placed = numbers_of(tensor, "data_offsets", offsets) == 2;
    if (placed && (uint64_t)offsets[1] > file->length)
        return refuse(file, error, "it ends before the end of “%s”; download it again", name);
    if (!placed || rows < 1 || columns < 1 || rows > most || columns > most / rows ||
        offsets[1] < offsets[0] ||
        (uint64_t)(offsets[1] - offsets[0]) != rows * columns * found->type->bytes)
        return refuse(file, error, "the size of “%s” does not match its shape", name);
    found->begin = file->begin + (uint64_t)offsets[0];
    return true;
}

bool ns_safetensors_shape(const NsSafetensors *file, const char *name, size_t shape[2],
                          GError **error)
{
    Found found;
    if (!find(file, name, &found, error)) return false;
    shape[0] = (size_t)found.shape[0];
    shape[1] = (size_t)found.shape[1];
    return true;
}

bool ns_safetensors_read(const NsSafetensors *file, const char *name, ns_real *to, size_t n,
                         size_t *rounded, GError **error)
{
    Found found;
    double buffer[2048];
    if (!find(file, name, &found, error)) return false;
    g_assert(n <= (size_t)(found.shape[0] * MAX(found.shape[1], 1)));
    size_t bytes = found.type->bytes, most = sizeof buffer / bytes;
    uint64_t at = found.begin;
    for (size_t i = 0, m; i < n; i += m, at += m * bytes) {
        m = MIN(n - i, most);
        if (!ns_read_all(file->fd, at, buffer, m * bytes))
            return refuse(file, error, "“%s” ends early", name);
        for (size_t k = 0; k < m; k++) {
            double value = found.type->read(buffer, k);
            to[i + k] = (ns_real)value;
            *rounded += (double)to[i + k] != value && !isnan(value);
        }
    }
    return true;
}
