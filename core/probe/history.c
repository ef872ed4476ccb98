/* SPDX-License-Identifier: MIT */
/* The profiles are stored in an array of chunks.  A chunk holds a fixed number of buckets of the
 * same width, its stride, in about one megabyte at the default budget.  New records are gathered
 * into buckets of the finest stride s; the oldest chunks may have the stride 4 s; there are no
 * other strides.  When the budget is spent, the four oldest chunks of stride s are joined into one
 * of stride 4 s.  When fewer than four of them are left, they become the beginning of a chunk of
 * stride 4 s, which is then the finest stride.
 *
 * Readers see an immutable view, and every new record publishes a new one.  A chunk is freed with
 * the last view that refers to it. */
#include "core/probe/history.h"

#include "core/base/clones.h"
#include "core/base/copy.h"
#include "core/base/digits.h"
#include "core/base/log.h"
#include "core/base/words.h"
#include "core/probe/latest.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* The number of buckets that are joined into one. */
#define JOINED 4

/* The budget is divided into this many units; a chunk of single records takes one, a chunk of
 * minima and maxima takes two. */
#define UNITS ((size_t)256)

/* The smallest number of units, which exceeds the budget if records are very wide. */
#define LEAST_UNITS ((size_t)16)

/* Units reserved for chunks that are being replaced. */
#define SPARE_UNITS ((size_t)6)

/* The number of records that are searched backward for one in which a quantity was measured. */
#define FURTHEST_BACK ((size_t)1000)

/* The values of a record, or the minima and maxima of a bucket. */
typedef struct {
    float *min, *max; /* [width]; the same memory for a single record */
    uint8_t *has;     /* one bit a value (size_of_bits): it was measured in at least one record */
} Profile;

typedef struct {
    int64_t first;  /* index of its first record */
    int64_t stride; /* records in a bucket */
    size_t rows;    /* complete buckets; writer only (readers use the records of their view) */
    size_t units;
    size_t refs;       /* arrays that contain it; writer only */
    Profile first_row; /* the first of rows_per_chunk rows, which follow one another */
    float data[];
} Chunk;

/* The view of readers. */
typedef struct {
    int64_t records;   /* number of records */
    int64_t last_step; /* step of the newest record */
    int64_t coarsest;  /* largest stride */
    int64_t gathered;  /* records in the incomplete bucket at the end */
    GPtrArray *chunks; /* oldest first */
    Profile gathering; /* the incomplete bucket; unused while the stride is 1 */
    Profile newest;    /* the newest record; unused while the stride is 1 */
} View;

struct NsHistory {
    atomic_int refs;
    NsRecordLayout layout;
    NsBaselines baselines;
    int64_t first_step; /* of record 0 */
    NsLog *steps, *evaluations, *continuations, *events;
    NsLatest *view, *similarity, *token_snapshot, *along;
    Profile first;     /* record 0, written before it is published */
    GPtrArray *others; /* histories of further seeds; NULL for none */

    /* Only the writer uses the fields below. */
    size_t rows_per_chunk, unit_bytes;
    size_t units, most_units; /* in use, allowed */
    GPtrArray *chunks;        /* oldest first; all but the last are full.  Views share it, so it is
                                 replaced by a copy before chunks are added or removed */
    int64_t n_records;
    int64_t last_step; /* step of the newest record */
    int64_t stride;    /* of the bucket being gathered */
    int64_t gathered;  /* records in that bucket */
    Profile gathering; /* their minima and maxima */
    Profile newest;    /* the newest record */
};

/* ---- Profiles ---- */

/* The number of bytes that hold n bits. */
static size_t size_of_bits(size_t n)
{
    return (n + 7) / 8;
}

static bool has_bit(const uint8_t *bits, size_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

/* The minimum, or the maximum, of so_far and x, as far as each was measured; a NaN wins over any
 * number.  It has no branches, so that loops around it are vectorized: a record of a deep model has
 * tens of thousands of values. */
static inline float extreme(float so_far, bool had, float x, bool has, bool greater)
{
    bool beyond = greater ? x > so_far : x < so_far;
    return has & (!had | beyond | (bool)isnan(x)) ? x : so_far;
}

/* Merges values i .. i + n - 1 into so_far; the n <= 8 values share one byte of bits. */
static inline __attribute__((always_inline)) void widen_byte(Profile so_far, Profile by, size_t i,
                                                             unsigned n)
{
    unsigned had = so_far.has[i / 8], has = by.has[i / 8];
#pragma omp simd
    for (unsigned k = 0; k < n; k++) {
        bool a = had & 1u << k, b = has & 1u << k;
        so_far.min[i + k] = extreme(so_far.min[i + k], a, by.min[i + k], b, false);
        so_far.max[i + k] = extreme(so_far.max[i + k], a, by.max[i + k], b, true);
    }
    so_far.has[i / 8] |= by.has[i / 8];
}

NS_CLONES(static, widen, (Profile so_far, Profile by, size_t n), (so_far, by, n))
{
    size_t aligned = n - n % 8;
    for (size_t i = 0; i < aligned; i += 8) widen_byte(so_far, by, i, 8);
    if (n > aligned) widen_byte(so_far, by, aligned, (unsigned)(n - aligned));
}

/* An empty record, of a run that only has a loss, has NULL arrays, which memcpy does not take. */
static void copy_profile(Profile to, Profile from, size_t n)
{
    if (n == 0) return;
    memcpy(to.min, from.min, n * sizeof *to.min);
    if (to.max != to.min) memcpy(to.max, from.max, n * sizeof *to.max);
    memcpy(to.has, from.has, size_of_bits(n));
}

static Profile profile_new(size_t n, bool bucket)
{
    float *min = g_new(float, n);
    return (Profile){min, bucket ? g_new(float, n) : min, g_new0(uint8_t, size_of_bits(n))};
}

static void profile_free(Profile *profile)
{
    if (profile->max != profile->min) g_free(profile->max);
    g_free(profile->min);
    g_free(profile->has);
}

/* ---- Chunks ---- */

static void chunk_unref(void *data)
{
    Chunk *chunk = data;
    if (--chunk->refs == 0) g_free(chunk);
}

static Chunk *chunk_at(const NsHistory *h, size_t i)
{
    return g_ptr_array_index(h->chunks, i);
}

static size_t units_of(int64_t stride)
{
    return stride == 1 ? 1 : 2;
}

/* NULL if the machine is out of memory. */
static Chunk *chunk_new(const NsHistory *h, int64_t first, int64_t stride)
{
    size_t units = units_of(stride), floats = h->rows_per_chunk * h->layout.width;
    Chunk *chunk = g_try_malloc(sizeof *chunk + units * h->unit_bytes);
    if (!chunk) return NULL;
    *chunk = (Chunk){.first = first, .stride = stride, .units = units, .refs = 1};
    chunk->first_row = (Profile){.min = chunk->data,
                                 .max = chunk->data + (units - 1) * floats,
                                 .has = (uint8_t *)(chunk->data + units * floats)};
    return chunk;
}

static Profile row_at(const NsHistory *h, const Chunk *chunk, size_t row)
{
    size_t at = row * h->layout.width;
    return (Profile){.min = chunk->first_row.min + at,
                     .max = chunk->first_row.max + at,
                     .has = chunk->first_row.has + row * size_of_bits(h->layout.width)};
}

/* Replaces the array by a copy that no view shares, so that it can be changed. */
static void unshare_chunks(NsHistory *h)
{
    GPtrArray *copy = g_ptr_array_new_full(h->chunks->len + 1, chunk_unref);
    for (size_t i = 0; i < h->chunks->len; i++) {
        chunk_at(h, i)->refs++;
        g_ptr_array_add(copy, chunk_at(h, i));
    }
    g_ptr_array_unref(h->chunks);
    h->chunks = copy;
}

/* Replaces the n chunks from `at` by one of four times their stride.  Rows left over at the end,
 * too few for a bucket, are merged into the bucket being gathered, which follows them directly.
 * False if the machine is out of memory. */
static bool join_chunks(NsHistory *h, size_t at, size_t n)
{
    size_t width = h->layout.width, R = h->rows_per_chunk;
    const Chunk *oldest = chunk_at(h, at);
    int64_t stride = oldest->stride;
    Chunk *joined = chunk_new(h, oldest->first, JOINED * stride);
    if (!joined) return false;
    joined->rows = n * R / JOINED;

    for (size_t row = 0; row < n * R; row++) {
        Profile from = row_at(h, chunk_at(h, at + row / R), row % R);
        size_t to = row / JOINED;
        if (to == joined->rows) {
            widen(h->gathering, from, width);
            h->gathered += stride;
        } else {
            (row % JOINED ? widen : copy_profile)(row_at(h, joined, to), from, width);
        }
    }

    for (size_t i = at; i < at + n; i++) h->units -= chunk_at(h, i)->units;
    h->units += joined->units;
    unshare_chunks(h);
    g_ptr_array_remove_range(h->chunks, (guint)at, (guint)n);
    g_ptr_array_insert(h->chunks, (gint)at, joined);
    return true;
}

/* Frees units by joining the oldest chunks of the finest stride.  False if there is nothing to
 * join, or no memory for the joined chunk. */
static bool thin(NsHistory *h)
{
    size_t n = h->chunks->len, run = 0, end = 0, finest = 0;
    for (size_t i = 0; i < n; i++) {
        bool same = i && chunk_at(h, i)->stride == chunk_at(h, i - 1)->stride;
        run = same ? run + 1 : 1;
        bool finer = !end || chunk_at(h, i)->stride < chunk_at(h, end - 1)->stride;
        if (run == JOINED && finer) end = i + 1;
    }
    while (finest < n && chunk_at(h, n - 1 - finest)->stride == h->stride) finest++;

    bool too_few = finest > 0 && finest < JOINED;
    if (too_few && (!end || h->stride < chunk_at(h, end - 1)->stride)) {
        if (!join_chunks(h, n - finest, finest)) return false;
        h->stride *= JOINED;
        return true;
    }
    return end && join_chunks(h, end - JOINED, JOINED);
}

/* Adds a chunk for the next row; NULL if the budget or the memory of the machine is exhausted. */
static Chunk *add_chunk(NsHistory *h)
{
    if (h->units + units_of(h->stride) > h->most_units) return NULL;
    Chunk *chunk = chunk_new(h, h->n_records - h->gathered, h->stride);
    if (!chunk) return NULL;
    h->units += chunk->units;
    unshare_chunks(h);
    g_ptr_array_add(h->chunks, chunk);
    return chunk;
}

/* The chunk that the bucket being gathered will be written to; NULL if it does not exist yet. */
static Chunk *open_chunk(const NsHistory *h)
{
    Chunk *last = h->chunks->len ? chunk_at(h, h->chunks->len - 1) : NULL;
    bool open = last && last->stride == h->stride && last->rows < h->rows_per_chunk;
    return open ? last : NULL;
}

/* ---- Views ---- */

static void view_clear(void *data)
{
    View *view = data;
    if (view->chunks) g_ptr_array_unref(view->chunks);
    profile_free(&view->gathering);
    profile_free(&view->newest);
}

static void publish(NsHistory *h)
{
    size_t width = h->layout.width;
    NsSlot *slot = ns_latest_prepare(h->view);
    View *view = slot->value;
    view->records = h->n_records;
    view->last_step = h->last_step;
    view->gathered = h->gathered;
    view->coarsest = h->stride;
    if (view->chunks != h->chunks) {
        if (view->chunks) g_ptr_array_unref(view->chunks);
        view->chunks = g_ptr_array_ref(h->chunks);
    }
    for (size_t i = 0; i < h->chunks->len; i++)
        view->coarsest = MAX(view->coarsest, chunk_at(h, i)->stride);
    if (h->stride > 1) {
        if (!view->newest.min) {
            view->gathering = profile_new(width, true);
            view->newest = profile_new(width, false);
        }
        copy_profile(view->newest, h->newest, width);
        if (h->gathered) copy_profile(view->gathering, h->gathering, width);
    }
    ns_latest_publish(h->view, slot);
}

/* ---- Life ---- */

NsHistory *ns_history_new(const NsRecordLayout *layout, size_t budget, int64_t first_step)
{
    NsHistory *h = g_new0(NsHistory, 1);
    atomic_init(&h->refs, 1);
    h->layout = *layout;
    h->baselines.uniform = h->baselines.frequencies = NAN;
    h->first_step = first_step;
    h->view = ns_latest_new(sizeof(View), view_clear);
    h->similarity = ns_latest_new(sizeof(NsSimilarity), NULL);
    h->token_snapshot = ns_latest_new(sizeof(NsTokenSnapshot), NULL);
    h->along = ns_latest_new(sizeof(NsLossAlong), NULL);
    h->steps = ns_log_new(sizeof(NsStep));
    h->evaluations = ns_log_new(sizeof(NsEvaluation));
    h->continuations = ns_log_new(sizeof(NsContinuation));
    h->events = ns_log_new(sizeof(NsEvent));

    size_t values = MAX(layout->width, 1), record = values * sizeof(float) + size_of_bits(values);
    size_t rows = MAX(budget / UNITS / record, 1);
    h->rows_per_chunk = rows < JOINED ? rows : rows - rows % JOINED;
    h->unit_bytes = h->rows_per_chunk * record;
    h->most_units = MAX(budget / h->unit_bytes, LEAST_UNITS) - SPARE_UNITS;

    h->first = profile_new(layout->width, false);
    h->newest = profile_new(layout->width, false);
    h->gathering = profile_new(layout->width, true);
    h->stride = 1;
    h->chunks = g_ptr_array_new_with_free_func(chunk_unref);
    publish(h);
    return h;
}

void ns_history_set_baselines(NsHistory *history, NsBaselines baselines)
{
    history->baselines = baselines;
}

NsBaselines ns_history_baselines(const NsHistory *history)
{
    return history->baselines;
}

NsHistory *ns_history_ref(NsHistory *history)
{
    atomic_fetch_add_explicit(&history->refs, 1, memory_order_relaxed);
    return history;
}

void ns_history_unref(NsHistory *h)
{
    if (!h || atomic_fetch_sub_explicit(&h->refs, 1, memory_order_acq_rel) > 1) return;
    ns_latest_free(h->view);
    g_ptr_array_unref(h->chunks);
    ns_log_free(h->steps);
    ns_log_free(h->evaluations);
    ns_log_free(h->continuations);
    ns_log_free(h->events);
    ns_latest_free(h->similarity);
    ns_latest_free(h->token_snapshot);
    ns_latest_free(h->along);
    profile_free(&h->first);
    profile_free(&h->newest);
    profile_free(&h->gathering);
    g_clear_pointer(&h->others, g_ptr_array_unref);
    g_free(h);
}

void ns_history_add_seed(NsHistory *h, NsHistory *other)
{
    if (!h->others) h->others = g_ptr_array_new_with_free_func((GDestroyNotify)ns_history_unref);
    g_ptr_array_add(h->others, ns_history_ref(other));
}

size_t ns_history_seeds(const NsHistory *h)
{
    return 1 + (h->others ? h->others->len : 0);
}

NsHistory *ns_history_seed(NsHistory *h, size_t i)
{
    return i ? h->others->pdata[i - 1] : h;
}

/* ---- Writer ---- */

void ns_history_append(NsHistory *h, const NsStep *step, NsValues values)
{
    g_assert(h->n_records ? step->step > h->last_step : step->step == h->first_step);
    size_t width = h->layout.width;
    h->last_step = step->step;
    if (width != 0) {
        memcpy(h->newest.min, values.value, width * sizeof *h->newest.min);
        for (size_t i = 0; i < width; i += 8) {
            unsigned byte = values.has ? 0 : 0xff;
            for (size_t k = 0; values.has && k < MIN(8, width - i); k++)
                byte |= (unsigned)values.has[i + k] << k;
            h->newest.has[i / 8] = (uint8_t)byte;
        }
        /* Older files and other programs store it only as a number of the step. */
        size_t total = h->layout.offset[NS_QUANTITY_GRAD_TOTAL];
        if (h->layout.count[NS_QUANTITY_GRAD_TOTAL] && !step->grad_norm_absent) {
            h->newest.min[total] = (float)step->grad_norm;
            h->newest.has[total / 8] |= (uint8_t)(1u << total % 8);
        }
    }

    if (h->n_records == 0) copy_profile(h->first, h->newest, width);
    h->n_records++;
    (h->gathered ? widen : copy_profile)(h->gathering, h->newest, width);
    h->gathered++;
    /* Move the gathered bucket into a chunk when it is complete. */
    while (h->gathered == h->stride) {
        Chunk *chunk = open_chunk(h);
        if (chunk) {
            copy_profile(row_at(h, chunk, chunk->rows++), h->gathering, width);
            h->gathered = 0;
        } else if (!add_chunk(h) && !thin(h)) {
            /* Out of memory: gather more records into this bucket, which takes no further memory.
             */
            h->stride *= JOINED;
        }
    }
    /* The profile is published first, because a reader that sees the step may read it. */
    publish(h);
    ns_log_append(h->steps, step);
}

void ns_history_append_evaluation(NsHistory *history, const NsEvaluation *evaluation)
{
    ns_log_append(history->evaluations, evaluation);
}

void ns_history_append_continuation(NsHistory *history, const NsContinuation *continuation)
{
    ns_log_append(history->continuations, continuation);
}

char *ns_event_number(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    bool aligned = fabs(value) >= 1e3 && fabs(value) < 1e6;
    g_ascii_formatd(text, sizeof text, aligned ? "%.0f" : "%.3g", value);
    char *power = strchr(text, 'e');
    if (!power) return ns_group_plain(text);
    *power = '\0';
    g_autofree char *mantissa = ns_group_plain(text);
    GString *number = g_string_new(mantissa);
    g_string_append(number, power[1] == '-' ? "×10⁻" : "×10");
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    power += power[2] == '0' ? 3 : 2; /* after the sign, and the zero of "e-05" */
    for (; *power; power++) g_string_append(number, raised[*power - '0']);
    return g_string_free(number, FALSE);
}

void ns_event_describe(NsEvent *event, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(_(format), arguments);
    va_end(arguments);
    ns_copy_text(event->text, sizeof event->text, text);
}

void ns_history_append_event(NsHistory *history, const NsEvent *event)
{
    ns_log_append(history->events, event);
}

void ns_history_publish_similarity(NsHistory *history, const NsSimilarity *similarity)
{
    ns_latest_write(history->similarity, similarity);
}

void ns_history_publish_token_snapshot(NsHistory *history, const NsTokenSnapshot *snapshot)
{
    ns_latest_write(history->token_snapshot, snapshot);
}

void ns_history_publish_along(NsHistory *history, const NsLossAlong *along)
{
    ns_latest_write(history->along, along);
}

/* ---- Readers ---- */

const NsRecordLayout *ns_history_layout(const NsHistory *history)
{
    return &history->layout;
}

static bool records(NsHistory *const *histories, size_t n, size_t quantity)
{
    for (size_t i = 0; i < n; i++)
        if (histories[i] && histories[i]->layout.count[quantity]) return true;
    return false;
}

NsQuantity ns_history_recorded(NsHistory *const *histories, size_t n, NsQuantity quantity)
{
    NsDomain domain = ns_quantity(quantity)->domain;
    NsQuantity usual = domain == NS_DOMAIN_HIDDEN ? NS_QUANTITY_HIDDEN_NORM : NS_QUANTITY_GRAD_W2;
    if (records(histories, n, quantity)) return quantity;
    if (ns_quantity(usual)->domain == domain && records(histories, n, usual)) return usual;
    for (int any = 0; any < 2; any++)
        for (size_t q = 0; ns_quantity_choice(q); q++) {
            bool gradient = g_str_has_prefix(ns_quantity_choice(q)->key, "grad");
            if (ns_quantity((NsQuantity)q)->domain == domain && (any || gradient) &&
                records(histories, n, q))
                return (NsQuantity)q;
        }
    return quantity;
}

int64_t ns_history_first_step(const NsHistory *history)
{
    return history->first_step;
}

int64_t ns_history_last_step(const NsHistory *history)
{
    size_t records = ns_history_steps(history);
    return records ? ns_history_step(history, records - 1)->step : -1;
}

/* The last element at or before a step of a log whose elements begin with their step; -1 if there
 * is none. */
static int64_t last_until(const NsLog *log, int64_t step)
{
    int64_t low = -1, high = (int64_t)ns_log_count(log);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        const int64_t *at = ns_log_get(log, (size_t)middle);
        *(*at <= step ? &low : &high) = middle;
    }
    return low;
}

int64_t ns_history_record(const NsHistory *history, int64_t step)
{
    int64_t n = (int64_t)ns_history_steps(history), guess = step - history->first_step;
    bool right = guess >= 0 && guess < n && ns_history_step(history, (size_t)guess)->step == step;
    return right ? guess : last_until(history->steps, step);
}

size_t ns_history_steps(const NsHistory *history)
{
    return ns_log_count(history->steps);
}

const NsStep *ns_history_step(const NsHistory *history, size_t record)
{
    return ns_log_get(history->steps, record);
}

size_t ns_history_evaluations(const NsHistory *history)
{
    return ns_log_count(history->evaluations);
}

const NsEvaluation *ns_history_evaluation(const NsHistory *history, size_t i)
{
    return ns_log_get(history->evaluations, i);
}

size_t ns_history_continuations(const NsHistory *history)
{
    return ns_log_count(history->continuations);
}

const NsContinuation *ns_history_continuation(const NsHistory *history, size_t i)
{
    return ns_log_get(history->continuations, i);
}

const NsContinuation *ns_history_continuation_at(const NsHistory *history, int64_t step)
{
    int64_t i = last_until(history->continuations, step);
    return i >= 0 ? ns_history_continuation(history, (size_t)i) : NULL;
}

size_t ns_history_events(const NsHistory *history)
{
    return ns_log_count(history->events);
}

const NsEvent *ns_history_event(const NsHistory *history, size_t i)
{
    return ns_log_get(history->events, i);
}

const NsEvent *ns_history_last_event(const NsHistory *history, NsEventKind kind)
{
    for (size_t i = history ? ns_history_events(history) : 0; i-- > 0;)
        if (ns_history_event(history, i)->kind == kind) return ns_history_event(history, i);
    return NULL;
}

const NsEvent *ns_history_divergence(const NsHistory *history)
{
    const NsEvent *event = ns_history_last_event(history, NS_EVENT_DIVERGED);
    int64_t at = event ? ns_history_record(history, event->step) : -1;
    if (at < 0 || isfinite(ns_history_step(history, (size_t)at)->loss)) return event;
    return isfinite(ns_history_step(history, ns_history_steps(history) - 1)->loss) ? NULL : event;
}

size_t ns_history_measured(const NsHistory *history, NsQuantity quantity, size_t record)
{
    int64_t every = ns_record_interval(&history->layout, quantity);
    if (every == 1) {
        g_autofree bool *has = g_new(bool, MAX(history->layout.count[quantity], 1));
        for (size_t back = 0; back <= MIN(record, FURTHEST_BACK); back++) {
            ns_history_read(history, quantity, record - back, NULL, NULL, has);
            for (size_t i = 0; i < history->layout.count[quantity]; i++)
                if (has[i]) return record - back;
        }
        return record;
    }
    int64_t step = ns_history_step(history, record)->step, due = step - step % every;
    int64_t found = ns_history_record(history, due);
    return found >= 0 && ns_history_step(history, (size_t)found)->step == due ? (size_t)found
                                                                              : record;
}

bool ns_history_similarity(const NsHistory *history, NsSimilarity *similarity)
{
    return ns_latest_read(history->similarity, similarity);
}

bool ns_history_token_snapshot(const NsHistory *history, NsTokenSnapshot *snapshot)
{
    return ns_latest_read(history->token_snapshot, snapshot);
}

bool ns_history_along(const NsHistory *history, NsLossAlong *along)
{
    return ns_latest_read(history->along, along);
}

/* A bucket found in a view. */
typedef struct {
    NsBucket span; /* in records */
    Profile profile;
} Found;

static Found find(const NsHistory *h, const View *view, int64_t record)
{
    int64_t gathered_first = view->records - view->gathered;
    if (record >= gathered_first)
        return (Found){{gathered_first, view->records - 1}, view->gathering};
    size_t low = 0, high = view->chunks->len;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        const Chunk *chunk = g_ptr_array_index(view->chunks, middle);
        *(chunk->first <= record ? &low : &high) = middle;
    }
    const Chunk *chunk = g_ptr_array_index(view->chunks, low);
    int64_t row = (record - chunk->first) / chunk->stride;
    int64_t first = chunk->first + row * chunk->stride;
    return (Found){{first, first + chunk->stride - 1}, row_at(h, chunk, (size_t)row)};
}

static void copy_quantity(const NsHistory *h, NsQuantity quantity, const Profile *from, float *min,
                          float *max, bool *has)
{
    size_t offset = h->layout.offset[quantity], count = h->layout.count[quantity];
    if (min) memcpy(min, from->min + offset, count * sizeof *min);
    if (max) memcpy(max, from->max + offset, count * sizeof *max);
    for (size_t i = 0; has && i < count; i++) has[i] = has_bit(from->has, offset + i);
}

/* The step of a record.  The newest record of a view may not be among the published steps yet. */
static int64_t step_of(const NsHistory *h, const View *view, int64_t record)
{
    bool newest = record == view->records - 1;
    return newest ? view->last_step : ns_history_step(h, (size_t)record)->step;
}

static NsBucket in_steps(const NsHistory *h, const View *view, NsBucket records)
{
    return (NsBucket){step_of(h, view, records.first), step_of(h, view, records.last)};
}

NsBucket ns_history_read(const NsHistory *h, NsQuantity quantity, size_t record, float *min,
                         float *max, bool *has)
{
    NsSlot *slot = ns_latest_acquire(h->view);
    const View *view = slot->value;
    int64_t r = (int64_t)record;
    Found found;
    if (r == 0)
        found = (Found){{0, 0}, h->first};
    else if (r == view->records - 1 && view->newest.min)
        found = (Found){{r, r}, view->newest};
    else
        found = find(h, view, r);
    copy_quantity(h, quantity, &found.profile, min, max, has);
    NsBucket span = in_steps(h, view, found.span);
    ns_latest_release(h->view, slot);
    return span;
}

NsBucket ns_history_read_range(const NsHistory *h, NsQuantity quantity, size_t first, size_t last,
                               float *min, float *max, bool *has)
{
    if (first == last) return ns_history_read(h, quantity, first, min, max, has);
    size_t offset = h->layout.offset[quantity], count = h->layout.count[quantity];
    g_autofree bool *own = has ? NULL : g_new(bool, count);
    if (!has) has = own;
    NsSlot *slot = ns_latest_acquire(h->view);
    const View *view = slot->value;
    Found found = find(h, view, (int64_t)first);
    NsBucket span = found.span;
    copy_quantity(h, quantity, &found.profile, min, max, has);
    while (span.last < (int64_t)last) {
        found = find(h, view, span.last + 1);
        const Profile *by = &found.profile;
        for (size_t i = 0; i < count; i++) {
            bool there = has_bit(by->has, offset + i);
            if (min) min[i] = extreme(min[i], has[i], by->min[offset + i], there, false);
            if (max) max[i] = extreme(max[i], has[i], by->max[offset + i], there, true);
            has[i] |= there;
        }
        span.last = found.span.last;
    }
    span = in_steps(h, view, span);
    ns_latest_release(h->view, slot);
    return span;
}

int64_t ns_history_stride(const NsHistory *history)
{
    NsSlot *slot = ns_latest_acquire(history->view);
    const View *view = slot->value;
    int64_t stride = view->coarsest;
    ns_latest_release(history->view, slot);
    return stride;
}

/* ---- What came before a fork ---- */

void ns_history_take_past(NsHistory *history, const NsHistory *past, int64_t end)
{
    size_t records = ns_history_steps(past), evaluations = ns_history_evaluations(past);
    g_auto(NsValues) values = ns_values_new(ns_history_layout(history)->width);
    for (size_t i = 0; i < records && ns_history_step(past, i)->step < end; i++) {
        const NsRecordLayout *to = ns_history_layout(history), *from = ns_history_layout(past);
        ns_values_reset(values, to->width);
        for (unsigned q = 0; q < G_N_ELEMENTS(to->count); q++) {
            if (to->count[q] == 0 || to->count[q] != from->count[q]) continue;
            bool *has = values.has + to->offset[q];
            NsBucket bucket =
                ns_history_read(past, (NsQuantity)q, i, values.value + to->offset[q], NULL, has);
            for (size_t k = 0; bucket.first < bucket.last && k < to->count[q]; k++) has[k] = false;
        }
        ns_history_append(history, ns_history_step(past, i), values);
    }
    for (size_t i = 0; i < evaluations; i++)
        if (ns_history_evaluation(past, i)->step < end)
            ns_history_append_evaluation(history, ns_history_evaluation(past, i));
    for (size_t i = 0; i < ns_history_continuations(past); i++)
        if (ns_history_continuation(past, i)->step < end)
            ns_history_append_continuation(history, ns_history_continuation(past, i));
    for (size_t i = 0; i < ns_history_events(past); i++) {
        const NsEvent *event = ns_history_event(past, i);
        bool before = event->kind == NS_EVENT_SETTING ? event->step <= end : event->step < end;
        if (before) ns_history_append_event(history, event);
    }
}
