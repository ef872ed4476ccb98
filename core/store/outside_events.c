/* SPDX-License-Identifier: MIT
 *
 * An event file is a sequence of records: the length of an Event in eight little-endian bytes; a
 * checksum of these bytes; the Event of tensorflow/core/util/event.proto; its checksum.  Programs
 * write one event per tag, so consecutive events of one step make one record.  The record is
 * complete when another step begins; if nothing arrives for a moment, it is used as it is. */
#include "core/store/outside_events-private.h"

#include "core/base/words.h"
#include "core/probe/quantity.h"
#include "core/settings/settings.h"
#include "core/store/json.h"

#include <string.h>

/* Larger events, such as images, are skipped without being stored. */
#define MOST_BYTES ((uint64_t)16 << 20)

/* Wire types of Protocol Buffers: how a field of an event is encoded. */
enum { WIRE_VARINT, WIRE_EIGHT_BYTES, WIRE_LENGTH, WIRE_FOUR_BYTES = 5 };

#define MOST_LAYERS 65536
#define MOST_VALUES ((guint)1 << 20) /* of a step, in the order of the file */

/* A tag of a step, with its value. */
typedef struct {
    char name[sizeof((NsOutsideArray *)0)->name];
    bool gradient, layered;
    size_t layer; /* as written in the tag */
    double value;
} Value;

struct NsOutsideEvents {
    GByteArray *bytes; /* bytes from `at` on have not been read */
    size_t at;
    uint64_t passing; /* remaining bytes of an event that is too large */
    bool damaged;     /* the beginning of the next event is unknown */
    size_t read;
    GHashTable *from_zero; /* names of arrays that have a layer 0 */
    GHashTable *sizes[2];  /* of other arrays and of gradients by name, in complete steps */

    NsOutsideLine step; /* that is being told, without arrays; its step is -1 of none */
    bool grown;         /* more of it was told since it was handed over at a pause, */
    bool partial;       /* incomplete arrays were left out */
    GArray *values;     /* elements are Value */
    GPtrArray *tags;    /* the first ones, as they are written */

    /* The part of the newest event that has not been processed yet. */
    GByteArray *event;
    const uint8_t *summary, *summary_end;
    int64_t event_step;
};

NsOutsideEvents *ns_outside_events_new(void)
{
    NsOutsideEvents *e = g_new0(NsOutsideEvents, 1);
    e->bytes = g_byte_array_new();
    e->event = g_byte_array_new();
    e->from_zero = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (int i = 0; i < 2; i++)
        e->sizes[i] = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    e->values = g_array_new(FALSE, FALSE, sizeof(Value));
    e->tags = g_ptr_array_new_with_free_func(g_free);
    e->step.step = -1;
    return e;
}

void ns_outside_events_free(NsOutsideEvents *e)
{
    if (!e) return;
    g_byte_array_unref(e->bytes);
    g_byte_array_unref(e->event);
    g_hash_table_unref(e->from_zero);
    for (int i = 0; i < 2; i++) g_hash_table_unref(e->sizes[i]);
    g_array_unref(e->values);
    g_ptr_array_unref(e->tags);
    g_free(e);
}

const GPtrArray *ns_outside_events_tags(const NsOutsideEvents *e)
{
    return e->tags;
}

size_t ns_outside_events_read(const NsOutsideEvents *e)
{
    return e->read;
}

/* ---- Records ---- */

uint32_t ns_outside_events_check(const void *bytes, size_t n)
{
    static struct {
        gsize ready;
        uint32_t of[256];
    } table;
    if (g_once_init_enter(&table.ready)) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = byte;
            for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
            table.of[byte] = crc;
        }
        g_once_init_leave(&table.ready, 1);
    }
    const uint8_t *p = bytes;
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) crc = crc >> 8 ^ table.of[(crc ^ p[i]) & 0xff];
    crc = ~crc;
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static bool is_checked(const void *bytes, size_t n, const void *check)
{
    uint32_t expected = ns_outside_events_check(bytes, n);
    return memcmp(check, &expected, sizeof expected) == 0;
}

bool ns_outside_events_are(const char *bytes, size_t n)
{
    return n >= NS_OUTSIDE_EVENTS_HEAD && is_checked(bytes, 8, bytes + 8);
}

void ns_outside_events_feed(NsOutsideEvents *e, const char *bytes, size_t n)
{
    size_t passed = (size_t)MIN(e->passing, n);
    e->passing -= passed;
    g_byte_array_remove_range(e->bytes, 0, (guint)e->at);
    e->at = 0;
    if (!e->damaged)
        g_byte_array_append(e->bytes, (const guint8 *)bytes + passed, (guint)(n - passed));
}

typedef enum { INCOMPLETE, WHOLE, WRONG } Found;

static Found pass_over(NsOutsideEvents *e, uint64_t length)
{
    uint64_t all = NS_OUTSIDE_EVENTS_HEAD + length + 4, there = MIN(all, e->bytes->len - e->at);
    e->passing = all - there;
    e->at += (size_t)there;
    return WHOLE;
}

/* Reads the bytes of the next event without its checksums.  An event that is too large is
 * skipped. */
static Found next_event(NsOutsideEvents *e, const char **why)
{
    uint64_t length;
    g_byte_array_set_size(e->event, 0);
    size_t there = e->bytes->len - e->at;
    if (e->damaged || there < NS_OUTSIDE_EVENTS_HEAD) return INCOMPLETE;
    const uint8_t *data = e->bytes->data + e->at;
    memcpy(&length, data, sizeof length);
    if (!is_checked(data, 8, data + 8)) {
        *why = N_("its length field is damaged, so nothing after it can be read");
        e->damaged = true;
        return WRONG;
    }
    if (length > MOST_BYTES) {
        if (length > G_MAXINT64) {
            *why = N_("it is longer than a file can be");
            e->damaged = true;
            return WRONG;
        }
        return pass_over(e, length);
    }
    size_t all = NS_OUTSIDE_EVENTS_HEAD + (size_t)length + 4;
    if (there < all) return INCOMPLETE;
    data += NS_OUTSIDE_EVENTS_HEAD;
    bool good = is_checked(data, (size_t)length, data + length);
    if (good) g_byte_array_append(e->event, data, (guint)length);
    e->at += all;
    if (!good) *why = N_("it is damaged");
    return good ? WHOLE : WRONG;
}

/* ---- Protocol Buffers ---- */

typedef struct {
    uint64_t number; /* field number */
    unsigned type;
    uint64_t value;             /* the bits of a number */
    const uint8_t *bytes, *end; /* of WIRE_LENGTH */
} Field;

static bool read_varint(const uint8_t **at, const uint8_t *end, uint64_t *number)
{
    *number = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return true;
    }
    return false;
}

/* Returns false at the end and if there is no valid field. */
static bool read_field(const uint8_t **at, const uint8_t *end, Field *field)
{
    uint64_t key, n;
    *field = (Field){0};
    if (!read_varint(at, end, &key)) return false;
    field->number = key >> 3;
    field->type = (unsigned)(key & 7);
    if (field->type == WIRE_VARINT) return read_varint(at, end, &field->value);
    if (field->type == WIRE_LENGTH) {
        if (!read_varint(at, end, &n)) return false;
    } else {
        n = field->type == WIRE_EIGHT_BYTES ? 8 : 4;
        if (field->type != WIRE_EIGHT_BYTES && field->type != WIRE_FOUR_BYTES) return false;
    }
    if (n > (uint64_t)(end - *at)) return false;
    if (field->type != WIRE_LENGTH) memcpy(&field->value, *at, (size_t)n);
    field->bytes = *at;
    field->end = *at += n;
    return true;
}

static double float_of(const void *bits)
{
    float number;
    memcpy(&number, bits, sizeof number);
    return number;
}

/* Reads a field that contains exactly one number of this type (DT_FLOAT 1, DT_DOUBLE 2). */
static bool read_only(const Field *field, unsigned type, double *number)
{
    size_t n = (size_t)(field->end - field->bytes);
    if (type == 1 && n == 4) *number = float_of(field->bytes);
    if (type == 2 && n == 8) memcpy(number, field->bytes, sizeof *number);
    return (type == 1 && n == 4) || (type == 2 && n == 8);
}

/* Reads a tensor of one real number.  Field numbers: dtype = 1, tensor_content = 4, float_val = 5,
 * double_val = 6. */
static bool read_tensor(const uint8_t *at, const uint8_t *end, double *number)
{
    Field field;
    unsigned type = 0;
    bool found = false;
    while (read_field(&at, end, &field)) {
        if (field.number == 1 && field.type == WIRE_VARINT)
            type = field.value <= 2 ? (unsigned)field.value : 0;
        bool bytes = field.type == WIRE_LENGTH || field.type == WIRE_EIGHT_BYTES ||
                     field.type == WIRE_FOUR_BYTES;
        if (field.number == 4 && field.type == WIRE_LENGTH)
            found |= read_only(&field, type, number);
        if (field.number == 5 && bytes) found |= read_only(&field, 1, number);
        if (field.number == 6 && bytes) found |= read_only(&field, 2, number);
    }
    return found;
}

/* Reads a Summary.Value: tag = 1, simple_value = 2, tensor = 8.  Returns false if it is not a
 * number. */
static bool read_value(const Field *value, char *tag, size_t size, double *number)
{
    Field field;
    bool found = false;
    const uint8_t *at = value->bytes;
    *tag = '\0';
    while (read_field(&at, value->end, &field)) {
        size_t n = field.type == WIRE_LENGTH ? (size_t)(field.end - field.bytes) : 0;
        if (field.number == 1 && field.type == WIRE_LENGTH && n < size) {
            memcpy(tag, field.bytes, n);
            tag[n] = '\0';
        }
        if (field.number == 2 && field.type == WIRE_FOUR_BYTES) {
            *number = float_of(field.bytes);
            found = true;
        }
        if (field.number == 8 && field.type == WIRE_LENGTH)
            found |= read_tensor(field.bytes, field.end, number);
    }
    return found && *tag && g_utf8_validate(tag, -1, NULL);
}

/* Field numbers of an Event: step = 2, summary = 5. */
static void open_event(NsOutsideEvents *e)
{
    Field field;
    const uint8_t *at = e->event->data, *end = at ? at + e->event->len : at;
    e->event_step = 0;
    e->summary = e->summary_end = NULL;
    while (at < end && read_field(&at, end, &field)) {
        if (field.number == 2 && field.type == WIRE_VARINT)
            e->event_step = field.value <= (uint64_t)NS_JSON_LAST_WHOLE ? (int64_t)field.value : -1;
        if (field.number == 5 && field.type == WIRE_LENGTH) {
            e->summary = field.bytes;
            e->summary_end = field.end;
        }
    }
}

/* ---- Tags ---- */

/* Prefixes of a tag: "lane2/loss" belongs to the second lane, "seed3/loss" to seed 3, and
 * "train/loss" means "loss". */
static const char *skip_prefixes(const char *tag, size_t *lane, NsOutsideNumber *seed)
{
    static const char *const prefixes[] = {"train/", "training/"};
    *lane = 1;
    *seed = (NsOutsideNumber){0};
    if (g_str_has_prefix(tag, "lane") && tag[4] >= '1' && tag[4] <= '0' + NS_LANES_MAX &&
        tag[5] == '/') {
        *lane = (size_t)(tag[4] - '0');
        tag += 6;
    }
    char *end;
    if (g_str_has_prefix(tag, "seed") && g_ascii_isdigit(tag[4])) {
        double number = (double)g_ascii_strtoull(tag + 4, &end, 10);
        if (*end == '/') {
            *seed = (NsOutsideNumber){number, true};
            tag = end + 1;
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++)
        if (g_ascii_strncasecmp(tag, prefixes[i], strlen(prefixes[i])) == 0)
            return tag + strlen(prefixes[i]);
    return tag;
}

/* The number of the step that a tag refers to, in the spellings of several programs.  `name` is
 * lowercase, with “_” for “-”.  Returns NULL for other tags. */
static NsOutsideNumber *scalar_of(NsOutsideEvents *e, const char *name)
{
    const struct {
        const char *names[10];
        NsOutsideNumber *number;
    } scalars[] = {
        {{"loss", "train_loss", "training_loss", "loss/train", "loss/training"}, &e->step.loss},
        {{"validation_loss", "val_loss", "eval_loss", "validation/loss", "val/loss", "eval/loss",
          "loss/validation", "loss/val", "loss/eval"},
         &e->step.validation},
        {{"lr", "learning_rate"}, &e->step.lr},
        {{"grad_norm", "gradient_norm", "grad_norm/total"}, &e->step.grad_norm},
        {{"seconds"}, &e->step.seconds},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(scalars); i++)
        for (size_t k = 0; scalars[i].names[k]; k++)
            if (g_str_equal(name, scalars[i].names[k])) return scalars[i].number;
    return NULL;
}

/* Splits "w2/3", which is layer 3 of "w2". */
static bool split_layer(char *name, size_t *layer)
{
    guint64 number;
    char *slash = strrchr(name, '/');
    if (!slash || !g_ascii_string_to_unsigned(slash + 1, 10, 0, MOST_LAYERS, &number, NULL))
        return false;
    *slash = '\0';
    *layer = (size_t)number;
    return true;
}

/* Strips the prefix of a gradient's name: "grad_norm/w2", or "grad-w2" in a file of this program,
 * is the gradient of "w2".  Returns whether there was one. */
static bool is_gradient(char *name)
{
    static const char norm[] = "grad_norm/", own[] = "grad_";
    size_t skip = 0;
    if (g_str_has_prefix(name, norm)) skip = strlen(norm);
    if (!skip && g_str_has_prefix(name, own)) {
        g_autofree char *key = g_strdelimit(g_strdup(name), "_", '-');
        int found = ns_choices_find(ns_quantity_choice, key);
        if (found >= 0 && found < NS_PARAMETER_COUNT) skip = strlen(own);
    }
    memmove(name, name + skip, strlen(name + skip) + 1);
    return skip > 0;
}

static void take_value(NsOutsideEvents *e, const char *tag, double number)
{
    g_autofree char *plain = g_strdelimit(g_strdup(tag), "-", '_');
    g_autofree char *lower = g_ascii_strdown(plain, -1);
    NsOutsideNumber *scalar = scalar_of(e, lower);
    if (scalar) {
        *scalar = (NsOutsideNumber){number, true};
        return;
    }
    Value value = {.value = number};
    value.layered = split_layer(plain, &value.layer);
    value.gradient = is_gradient(plain);
    if (e->values->len == MOST_VALUES || !*plain || strlen(plain) >= sizeof value.name) return;
    g_strlcpy(value.name, plain, sizeof value.name);
    if (value.layered && value.layer == 0) g_hash_table_add(e->from_zero, g_strdup(plain));
    g_array_append_val(e->values, value);
}

/* ---- Steps ---- */

static gint compare(gconstpointer a, gconstpointer b)
{
    const Value *left = a, *right = b;
    if (left->layered != right->layered) return left->layered - right->layered;
    if (left->gradient != right->gradient) return left->gradient - right->gradient;
    gint names = strcmp(left->name, right->name);
    if (names) return names;
    return left->layer < right->layer ? -1 : left->layer > right->layer;
}

/* Whether an array is complete.  While its step is incomplete, it has to have the size that it had
 * in earlier steps. */
static bool is_whole(NsOutsideEvents *e, const NsOutsideArray *array, bool step_is_whole)
{
    GHashTable *sizes = e->sizes[array->gradient];
    if (!step_is_whole && GPOINTER_TO_SIZE(g_hash_table_lookup(sizes, array->name)) != array->n)
        return false;
    g_hash_table_insert(sizes, g_strdup(array->name), GSIZE_TO_POINTER(array->n));
    return true;
}

/* Adds the array that begins with the value `first`, in the order of layers; returns the index of
 * the next one. */
static guint add_array(NsOutsideEvents *e, NsOutsideLine *line, guint first, bool step_is_whole)
{
    const Value *values = (const Value *)(const void *)e->values->data, *one = &values[first];
    guint end = first + 1;
    while (one->layered && end < e->values->len && values[end].layered &&
           values[end].gradient == one->gradient && g_str_equal(values[end].name, one->name))
        end++;
    size_t base = one->layered && !g_hash_table_contains(e->from_zero, one->name);
    NsOutsideArray array = {.gradient = one->gradient,
                            .scalar = !one->layered,
                            .first = line->numbers->len,
                            .n = one->layered ? values[end - 1].layer + 1 - base : 1};
    g_strlcpy(array.name, one->name, sizeof array.name);
    if (line->arrays->len == NS_OUTSIDE_MOST_ARRAYS ||
        line->numbers->len + array.n > NS_OUTSIDE_MOST_NUMBERS)
        return end;
    if (one->layered && !is_whole(e, &array, step_is_whole)) {
        e->partial = true;
        return end;
    }
    g_array_set_size(line->numbers, line->numbers->len + (guint)array.n);
    NsOutsideNumber *numbers = &g_array_index(line->numbers, NsOutsideNumber, (guint)array.first);
    memset(numbers, 0, array.n * sizeof *numbers);
    for (guint i = first; i < end; i++)
        numbers[one->layered ? values[i].layer - base : 0] =
            (NsOutsideNumber){values[i].value, true};
    g_array_append_val(line->arrays, array);
    return end;
}

/* Fills the line with the current step; returns false if a record would have nothing new. */
static bool show_step(NsOutsideEvents *e, NsOutsideLine *line, bool whole)
{
    NsOutsideLine *step = &e->step;
    bool told = step->step >= 0 && (step->loss.has || step->validation.has) &&
                (!step->again || e->grown || e->partial);
    if (!whole && step->again && !e->grown) return false;
    e->partial = false;
    ns_outside_line_begin(line, *step);
    g_array_sort(e->values, compare);
    for (guint i = 0; told && i < e->values->len;) i = add_array(e, line, i, whole);
    step->again |= told;
    e->grown = false;
    return told;
}

static bool take_step(NsOutsideEvents *e, NsOutsideLine *line)
{
    bool told = show_step(e, line, true);
    g_array_set_size(e->values, 0);
    e->step = (NsOutsideLine){.step = -1};
    return told;
}

static bool is_same_step(const NsOutsideEvents *e, size_t lane, NsOutsideNumber seed)
{
    const NsOutsideLine *step = &e->step;
    bool same_seed =
        step->seed.has == seed.has && (uint64_t)step->seed.value == (uint64_t)seed.value;
    return step->step == e->event_step && step->lane == lane && same_seed;
}

/* Processes the event up to its end, or until the step before it is complete; then returns true. */
static bool take_event(NsOutsideEvents *e, NsOutsideLine *line)
{
    Field field;
    while (e->summary < e->summary_end) {
        const uint8_t *at = e->summary;
        char tag[128];
        double number;
        size_t lane;
        NsOutsideNumber seed;
        if (!read_field(&at, e->summary_end, &field)) at = e->summary_end;
        bool value = field.number == 1 && field.type == WIRE_LENGTH && e->event_step >= 0 &&
                     read_value(&field, tag, sizeof tag, &number);
        const char *name = value ? skip_prefixes(tag, &lane, &seed) : NULL;
        if (value && e->step.step >= 0 && !is_same_step(e, lane, seed) && take_step(e, line))
            return true;
        e->summary = at;
        if (!value) continue;
        e->step.step = e->event_step;
        e->step.lane = lane;
        e->step.seed = seed;
        e->grown = true;
        ns_outside_note_name(e->tags, tag);
        take_value(e, name, number);
    }
    return false;
}

NsOutsideEventsNews ns_outside_events_next(NsOutsideEvents *e, bool last, NsOutsideLine *line,
                                           const char **why)
{
    for (;;) {
        if (take_event(e, line)) return NS_OUTSIDE_EVENTS_STEP;
        Found found = next_event(e, why);
        if (found == INCOMPLETE) break;
        e->read++;
        if (found == WRONG) return NS_OUTSIDE_EVENTS_WRONG;
        open_event(e);
    }
    return last && take_step(e, line) ? NS_OUTSIDE_EVENTS_STEP : NS_OUTSIDE_EVENTS_NONE;
}

bool ns_outside_events_pause(NsOutsideEvents *e, NsOutsideLine *line)
{
    return show_step(e, line, false);
}

bool ns_outside_events_are_partial(const NsOutsideEvents *e)
{
    return e->step.again && (e->partial || e->at < e->bytes->len);
}
