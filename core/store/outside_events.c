/* SPDX-License-Identifier: MIT
 *
 * An event file is a sequence of records: the length of an Event in eight little-endian bytes; a
 * checksum of these bytes; the Event of tensorflow/core/util/event.proto; its checksum.  Programs
 * write one event per tag, so consecutive events of one step make one record.  The record is
 * complete when another step begins; if nothing arrives for a moment, it is used as it is. */
#include "core/store/outside_events-private.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/probe/quantity.h"
#include "core/settings/settings.h"
#include "core/store/json.h"
#include "core/store/safetensors.h"

#include <string.h>

/* Larger events, such as images, are skipped without being stored. */
#define MOST_BYTES ((uint64_t)16 << 20)

/* Wire types of Protocol Buffers: how a field of an event is encoded. */
enum { WIRE_VARINT, WIRE_EIGHT_BYTES, WIRE_LENGTH, WIRE_FOUR_BYTES = 5 };

/* Longest tag that is read, and texts that are stored. */
#define MOST_TAG 512
#define MOST_SETTINGS 1000
#define LONGEST_TEXT (1 << 16)

NsOutsideEvents *ns_outside_events_new(NsOutsideNames *names, const char *prefix, size_t *read)
{
    NsOutsideEvents *e = g_new0(NsOutsideEvents, 1);
    e->bytes = g_byte_array_new();
    e->event = g_byte_array_sized_new(64); /* an event without bytes has an address, too */
    e->names = names;
    e->read = read;
    e->prefix = prefix;
    e->step = ns_outside_line_new();
    e->at_zero = g_hash_table_new(g_direct_hash, g_direct_equal);
    e->settings = g_ptr_array_new_with_free_func(g_free);
    return e;
}

void ns_outside_events_free(NsOutsideEvents *e)
{
    if (!e) return;
    g_byte_array_unref(e->bytes);
    g_byte_array_unref(e->event);
    g_ptr_array_unref(e->settings);
    ns_outside_line_free(e->step);
    g_clear_pointer(&e->at_zero, g_hash_table_unref);
    g_free(e);
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
    bool good = is_checked(data, 8, data + 8);
    if (!good || length > G_MAXINT64) {
        *why = good ? N_("it is longer than a file can be")
                    : N_("its length field is damaged, so nothing after it can be read");
        e->damaged = true;
        return WRONG;
    }
    uint64_t all = NS_OUTSIDE_EVENTS_HEAD + length + 4;
    if (length > MOST_BYTES) {
        e->passing = all - MIN(all, there);
        e->at += (size_t)MIN(all, there);
        return WHOLE;
    }
    if (there < all) return INCOMPLETE;
    data += NS_OUTSIDE_EVENTS_HEAD;
    good = is_checked(data, (size_t)length, data + length);
    if (good) g_byte_array_append(e->event, data, (guint)length);
    e->at += (size_t)all;
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
    bool length = field->type == WIRE_LENGTH, eight = field->type == WIRE_EIGHT_BYTES;
    if (!length && !eight && field->type != WIRE_FOUR_BYTES) return false;
    n = eight ? 8 : 4;
    if (length && !read_varint(at, end, &n)) return false;
    if (n > (uint64_t)(end - *at)) return false;
    if (!length) memcpy(&field->value, *at, (size_t)n);
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

/* Reads a tensor of one real number.  Field numbers: dtype = 1, tensor_content = 4, float_val = 5,
 * double_val = 6, half_val = 13; types: DT_FLOAT = 1, DT_DOUBLE = 2, DT_BFLOAT16 = 14, DT_HALF
 * = 19. */
static bool read_tensor(const uint8_t *at, const uint8_t *end, double *number)
{
    Field field;
    uint64_t type = 0;
    bool found = false;
    while (read_field(&at, end, &field)) {
        bool content = field.number == 4 && field.type == WIRE_LENGTH;
        size_t n = field.type == WIRE_VARINT ? 0 : (size_t)(field.end - field.bytes);
        bool is_float = n == 4 && (field.number == 5 || (content && type == 1));
        bool is_double = n == 8 && (field.number == 6 || (content && type == 2));
        if (field.number == 1 && field.type == WIRE_VARINT) type = field.value;
        if (is_float) *number = float_of(field.bytes);
        if (is_double) memcpy(number, field.bytes, sizeof *number);
        found |= is_float || is_double;
        if (field.number == 13 && (type == 14 || type == 19)) { /* packed or not */
            uint64_t bits = field.value;
            const uint8_t *packed = field.bytes;
            found |= field.type == WIRE_VARINT || read_varint(&packed, field.end, &bits);
            const uint16_t half = (uint16_t)bits;
            *number = type == 14 ? ns_bf16_at(&half, 0) : ns_f16_at(&half, 0);
        }
    }
    return found;
}

/* The last field with this number inside a message, or an empty one. */
static Field find_field(const Field *in, uint64_t number)
{
    Field field, found = {0};
    const uint8_t *at = in->bytes;
    while (at && at < in->end && read_field(&at, in->end, &field))
        if (field.number == number) found = field;
    return found;
}

/* Reads a Summary.Value: tag = 1, simple_value = 2, tensor = 8.  Returns false if it is not a
 * number. */
static bool read_value(const Field *value, char *tag, size_t size, double *number)
{
    const Field name = find_field(value, 1), simple = find_field(value, 2);
    const Field tensor = find_field(value, 8);
    size_t n = name.type == WIRE_LENGTH ? (size_t)(name.end - name.bytes) : 0;
    bool found = simple.type == WIRE_FOUR_BYTES;
    if (found) *number = float_of(simple.bytes);
    if (tensor.type == WIRE_LENGTH) found |= read_tensor(tensor.bytes, tensor.end, number);
    if (!found || !n || n >= size) return false;
    memcpy(tag, name.bytes, n);
    tag[n] = '\0';
    return g_utf8_validate(tag, -1, NULL);
}

/* ---- Settings ---- */

static char *text_of(const Field *field)
{
    size_t n = field->type == WIRE_LENGTH ? (size_t)(field->end - field->bytes) : 0;
    return g_utf8_make_valid(n ? (const char *)field->bytes : "", (gssize)n);
}

/* Takes over both texts. */
static void add_setting(NsOutsideEvents *e, char *name, char *text)
{
    g_ptr_array_add(e->settings, name);
    g_ptr_array_add(e->settings, text);
}

/* Reads the settings of tensorboard/plugins/hparams/plugin_data.proto: HParamsPluginData
 * {session_start_info = 3 {hparams = 1 {key = 1, value = 2}}}; a google.protobuf.Value has a number
 * = 2, a text = 3 or a truth = 4. */
static void read_hyperparameters(NsOutsideEvents *e, const Field *content)
{
    Field entry, start = find_field(content, 3);
    const uint8_t *at = start.bytes;
    while (at && at < start.end && read_field(&at, start.end, &entry)) {
        Field key = find_field(&entry, 1), value = find_field(&entry, 2), in = {0};
        const uint8_t *within = value.bytes;
        if (entry.number != 1 || entry.type != WIRE_LENGTH || value.type != WIRE_LENGTH ||
            !read_field(&within, value.end, &in) || in.number < 2 || in.number > 4 ||
            e->settings->len >= 2 * MOST_SETTINGS)
            continue;
        double number = 0;
        if (in.number == 2 && in.type == WIRE_EIGHT_BYTES)
            memcpy(&number, &in.value, sizeof number);
        add_setting(e, text_of(&key),
                    in.number == 2   ? ns_number_text(number)
                    : in.number == 3 ? text_of(&in)
                                     : g_strdup(in.value ? "true" : "false"));
    }
}

/* Reads what a Summary.Value has that is no number: tag = 1, tensor = 8 {string_val = 8}, metadata
 * = 9 {plugin_data = 1 {plugin_name = 1, content = 2}}. */
static void read_settings(NsOutsideEvents *e, const Field *value)
{
    Field metadata = find_field(value, 9), tensor = find_field(value, 8);
    Field plugin = find_field(&metadata, 1), name = find_field(&plugin, 1);
    Field content = find_field(&plugin, 2), tag = find_field(value, 1);
    Field text = find_field(&tensor, 8);
    g_autofree char *called = text_of(&name);
    if (g_str_equal(called, "hparams") && content.type == WIRE_LENGTH) {
        read_hyperparameters(e, &content);
    } else if (g_str_equal(called, "text") && text.type == WIRE_LENGTH &&
               text.end - text.bytes <= LONGEST_TEXT && e->settings->len < 2 * MOST_SETTINGS) {
        char *own = text_of(&tag);
        if (g_str_has_suffix(own, "/text_summary")) own[strlen(own) - strlen("/text_summary")] = 0;
        add_setting(e, own, text_of(&text));
    }
}

/* Field numbers of an Event: wall_time = 1, step = 2, summary = 5. */
static void open_event(NsOutsideEvents *e)
{
    const Field event = {.bytes = e->event->data, .end = e->event->data + e->event->len};
    const Field wall = find_field(&event, 1), step = find_field(&event, 2);
    const Field summary = find_field(&event, 5);
    double time = 0;
    if (wall.type == WIRE_EIGHT_BYTES) memcpy(&time, &wall.value, sizeof time);
    e->event_step = step.type != WIRE_VARINT                       ? 0
                    : step.value <= (uint64_t)NS_JSON_LAST_INTEGER ? (int64_t)step.value
                                                                   : -1;
    e->summary = summary.type == WIRE_LENGTH ? summary.bytes : NULL;
    e->summary_end = e->summary ? summary.end : NULL;
    if (!e->summary || !(time > 0)) return;
    if (!(e->first_time > 0)) e->first_time = time;
    e->last_time = MAX(e->last_time, time);
}

/* ---- Steps ---- */

bool ns_outside_events_show(NsOutsideEvents *e, NsOutsideLine *line, bool whole)
{
    NsOutsideLine *step = e->step;
    bool news = !step->again || e->grown || (whole && e->left_out);
    if (step->step < 0 || !news) return false;
    ns_outside_line_clear(line);
    ns_outside_line_merge(line, step);
    line->step = step->step;
    line->lane = step->lane;
    line->again = step->again;
    line->partial = !whole;
    e->left_out = !ns_outside_line_gather(line);
    step->again = true;
    e->grown = false;
    return true;
}

static bool take_step(NsOutsideEvents *e, NsOutsideLine *line)
{
    bool shown = ns_outside_events_show(e, line, true);
    ns_outside_line_clear(e->step);
    return shown;
}

static bool is_same_step(const NsOutsideEvents *e, const NsOutsideName *name, int64_t at)
{
    const NsOutsideLine *step = e->step;
    const NsOutsideCell *seed = &step->scalars[NS_OUTSIDE_SEED];
    bool same_seed = (seed->name != NULL) == name->has_seed &&
                     (!seed->name || (uint64_t)seed->value == (uint64_t)name->seed);
    return step->step == at && step->lane == MAX(name->lane, 1) && same_seed;
}

/* Processes the event up to its end, or until the step before it is complete; then returns true. */
static bool take_event(NsOutsideEvents *e, NsOutsideLine *line)
{
    Field field;
    while (e->summary < e->summary_end) {
        const uint8_t *at = e->summary;
        char tag[MOST_TAG];
        double number;
        if (!read_field(&at, e->summary_end, &field)) at = e->summary_end;
        bool value = field.number == 1 && field.type == WIRE_LENGTH && e->event_step >= 0 &&
                     read_value(&field, tag, sizeof tag, &number);
        bool other = !value && field.number == 1 && field.type == WIRE_LENGTH && !e->event_step;
        if (other) read_settings(e, &field);
        const NsOutsideName *name = value ? ns_outside_names_find(e->names, e->prefix, tag) : NULL;
        /* A tag that is called like the step is no step: the event has one. */
        if (!name || name->kind == NS_OUTSIDE_STEP || name->lane > NS_LANES_MAX) {
            e->summary = at;
            continue;
        }
        /* Without steps all values are at step 0, and those of one tag are counted. */
        if (e->event_step > 0) g_clear_pointer(&e->at_zero, g_hash_table_unref);
        size_t before = e->at_zero ? GPOINTER_TO_SIZE(g_hash_table_lookup(e->at_zero, name)) : 0;
        int64_t step = e->event_step + (int64_t)before;
        if (e->step->step >= 0 && !is_same_step(e, name, step) && take_step(e, line)) return true;
        e->summary = at;
        if (e->at_zero)
            g_hash_table_insert(e->at_zero, (gpointer)(uintptr_t)name,
                                GSIZE_TO_POINTER(before + 1));
        e->counted |= before == 1;
        e->step->step = step;
        e->step->lane = MAX(name->lane, 1);
        e->grown = true;
        ns_outside_line_put(e->step, name, number);
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
        ++*e->read;
        if (found == WRONG) return NS_OUTSIDE_EVENTS_WRONG;
        open_event(e);
    }
    return last && take_step(e, line) ? NS_OUTSIDE_EVENTS_STEP : NS_OUTSIDE_EVENTS_NONE;
}
