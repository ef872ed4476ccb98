/* Every value of a history against what was written, thinned or not.  SPDX-License-Identifier: MIT
 */
#include "core/probe/seeds.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define LAYERS 3
#define HEADS 2

/* A layout of three layers: W_Q, W_1, a head, and what every model has. */
static void layout_with_probes(NsRecordLayout *layout, bool final_norm, int64_t probe_every)
{
    NsTensorTable table = {0};
    for (int l = 0; l < LAYERS; l++) {
        NsTensor wq = {.parameter = NS_PARAMETER_WQ, .layer = l, .rows = 4, .cols = 4};
        NsTensor w1 = {.parameter = NS_PARAMETER_W1, .layer = l, .rows = 8, .cols = 4};
        ns_tensor_table_add(&table, wq, false);
        ns_tensor_table_add(&table, w1, false);
    }
    NsTensor head = {.parameter = NS_PARAMETER_HEAD, .layer = -1, .rows = 9, .cols = 4};
    ns_tensor_table_add(&table, head, false);
    ns_record_layout_init(layout, &(NsRecordShape){
                                      .table = &table,
                                      .layers = LAYERS,
                                      .hidden = LAYERS + 1,
                                      .heads = HEADS,
                                      .has = final_norm ? NS_NEED_FINAL_NORM : NS_NEED_NOTHING,
                                      .probe_every = probe_every,
                                  });
    ns_tensor_table_clear(&table);
}

static void small_layout(NsRecordLayout *layout, bool final_norm)
{
    layout_with_probes(layout, final_norm, 0);
}

static void test_quantities(void)
{
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        const NsQuantityInfo *info = ns_quantity(q);
        g_assert_true(ns_quantity_choice(q) == &info->choice);
        g_assert_nonnull(info->choice.label);
        g_assert_nonnull(info->choice.purpose);
        g_assert_nonnull(info->symbol);
        g_assert_cmpint(ns_choices_find(ns_quantity_choice, info->choice.key), ==, (int)q);
    }
    g_assert_null(ns_quantity_choice(NS_QUANTITY_COUNT));
    g_assert_cmpstr(ns_quantity(NS_QUANTITY_GRAD_WQ)->choice.key, ==, "grad-wq");
    g_assert_cmpint(ns_quantity(NS_QUANTITY_GRAD_WQ)->domain, ==, NS_DOMAIN_LAYER);
    g_assert_cmpint(ns_quantity(NS_QUANTITY_GRAD_HEAD)->domain, ==, NS_DOMAIN_STEP);
    g_assert_cmpint((int)NS_QUANTITY_GRAD_HEAD, ==, (int)NS_PARAMETER_HEAD);
}

static void test_layout(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    g_assert_cmpuint(layout.count[NS_QUANTITY_GRAD_WQ], ==, LAYERS);
    g_assert_cmpuint(layout.count[NS_QUANTITY_GRAD_HEAD], ==, 1);
    g_assert_cmpuint(layout.count[NS_QUANTITY_GRAD_WK], ==, 0);
    g_assert_cmpuint(layout.count[NS_QUANTITY_GRAD_LAYER], ==, LAYERS);
    g_assert_cmpuint(layout.count[NS_QUANTITY_HIDDEN_SQ], ==, LAYERS + 1);
    g_assert_cmpuint(layout.count[NS_QUANTITY_FINAL_SQ], ==, 0);
    size_t width = layout.width, expected = 0;
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        g_assert_cmpuint(layout.offset[q], ==, expected);
        expected += layout.count[q];
    }
    g_assert_cmpuint(width, ==, expected);
    small_layout(&layout, true);
    g_assert_cmpuint(layout.width, ==, width + 2);
}

/* The value number i of a record: anything without a pattern, exact in a float. */
static float value(int64_t step, size_t i)
{
    uint64_t x = (uint64_t)step * 0x9E3779B97F4A7C15u + i * 0xD1B54A32D192ED03u;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9u;
    return (float)(x >> 44) - 500000;
}

static void append(NsHistory *history, int64_t step)
{
    size_t width = ns_history_layout(history)->width;
    g_autofree float *values = g_new(float, width);
    for (size_t i = 0; i < width; i++) values[i] = value(step, i);
    ns_history_append(history, &(NsStep){.step = step, .loss = (double)step / 7},
                      (NsValues){.value = values});
}

/* Whether the extremes are those of value() over the bucket. */
static bool true_extremes(const NsRecordLayout *layout, NsQuantity q, NsBucket bucket,
                          const float *min, const float *max)
{
    for (size_t i = 0; i < layout->count[q]; i++) {
        float least = value(bucket.first, layout->offset[q] + i), most = least;
        for (int64_t step = bucket.first + 1; step <= bucket.last; step++) {
            least = fminf(least, value(step, layout->offset[q] + i));
            most = fmaxf(most, value(step, layout->offset[q] + i));
        }
        if (min[i] < least || min[i] > least || max[i] < most || max[i] > most) return false;
    }
    return true;
}

/* Walks over all buckets: they follow one another without a gap, their extremes are right, their
 * widths are within a factor of four, the first and the newest record are exact. */
static void check_all(const NsHistory *history, int64_t steps)
{
    const NsRecordLayout *layout = ns_history_layout(history);
    const NsQuantity q = NS_QUANTITY_HIDDEN_NORM;
    float min[LAYERS + 1], max[LAYERS + 1];
    g_assert_cmpuint(ns_history_steps(history), ==, (size_t)steps);

    int64_t exact[] = {0, steps - 1};
    for (int i = 0; i < 2; i++) {
        NsBucket bucket = ns_history_read(history, q, (size_t)exact[i], min, max, NULL);
        g_assert_cmpint(bucket.first, ==, exact[i]);
        g_assert_cmpint(bucket.last, ==, exact[i]);
        g_assert_true(true_extremes(layout, q, bucket, min, max));
    }

    int64_t widest = 1, narrowest = INT64_MAX, expected = 0;
    for (int64_t step = 1; step < steps - 1;) {
        NsBucket bucket = ns_history_read(history, q, (size_t)step, min, max, NULL);
        g_assert_cmpint(bucket.first, <=, step);
        g_assert_cmpint(bucket.last, >=, step);
        if (expected) g_assert_cmpint(bucket.first, ==, expected);
        g_assert_true(true_extremes(layout, q, bucket, min, max));
        int64_t width = bucket.last - bucket.first + 1;
        if (bucket.last < steps - 1) {
            widest = MAX(widest, width);
            narrowest = MIN(narrowest, width);
        }
        step = expected = bucket.last + 1;
    }
    if (narrowest < INT64_MAX) g_assert_cmpint(widest, <=, 4 * narrowest);
    g_assert_cmpint(ns_history_stride(history), >=, widest);
}

/* The records of a run without quantities, of another program that only says its losses. */
static void test_without_values(void)
{
    NsRecordLayout layout = {0};
    g_autoptr(NsHistory) history = ns_history_new(&layout, (size_t)1 << 10, 0);
    for (int64_t step = 0; step < 5000; step++)
        ns_history_append(history, &(NsStep){.step = step, .loss = 1}, (NsValues){0});
    g_assert_cmpuint(ns_history_steps(history), ==, 5000);
}

static void test_exact(void)
{
    NsRecordLayout layout;
    small_layout(&layout, true);
    g_autoptr(NsHistory) history = ns_history_new(&layout, (size_t)1 << 20, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 0);
    for (int64_t step = 0; step < 1000; step++) append(history, step);
    g_assert_cmpint(ns_history_stride(history), ==, 1);
    for (int64_t step = 0; step < 1000; step++) {
        float min[LAYERS], max[LAYERS];
        NsBucket bucket =
            ns_history_read(history, NS_QUANTITY_GRAD_WQ, (size_t)step, min, max, NULL);
        g_assert_cmpint(bucket.first, ==, step);
        g_assert_cmpint(bucket.last, ==, step);
        g_assert_true(true_extremes(&layout, NS_QUANTITY_GRAD_WQ, bucket, min, max));
        g_assert_cmpint(ns_history_step(history, (size_t)step)->step, ==, step);
    }
    /* A quantity that is not there leaves the caller's memory alone. */
    float untouched = 7;
    ns_history_read(history, NS_QUANTITY_GRAD_WK, 5, &untouched, NULL, NULL);
    g_assert_cmpfloat(untouched, ==, 7);
}

/* rows: records in a chunk; 0 for a budget that is too small for a single one. */
static void test_thinned(gconstpointer rows)
{
    NsRecordLayout layout;
    small_layout(&layout, true);
    size_t budget = 256 * GPOINTER_TO_SIZE(rows) * layout.width * sizeof(float);
    g_autoptr(NsHistory) history = ns_history_new(&layout, budget, 0);
    for (int64_t step = 0; step < 30000; step++) {
        append(history, step);
        if (step % 1499 == 0 || (step > 200 && step < 300)) check_all(history, step + 1);
    }
    check_all(history, 30000);
    g_assert_cmpint(ns_history_stride(history), >, 1);
    /* The budget is used: at least a quarter as many buckets as it could hold. */
    int64_t room = (int64_t)MAX(GPOINTER_TO_SIZE(rows) * 256, 8);
    g_assert_cmpint(30000 / ns_history_stride(history), >=, room / 16);
}

static void test_range(void)
{
    NsRecordLayout layout;
    small_layout(&layout, true);
    g_autoptr(NsHistory) history =
        ns_history_new(&layout, 256 * 4 * layout.width * sizeof(float), 0);
    for (int64_t step = 0; step < 9000; step++) append(history, step);
    static const size_t ranges[][2] = {{0, 8999},  {0, 0},       {1, 2},
                                       {17, 4000}, {8990, 8999}, {8999, 8999}};
    for (size_t r = 0; r < G_N_ELEMENTS(ranges); r++) {
        float min[LAYERS], max[LAYERS], only[LAYERS];
        NsQuantity q = NS_QUANTITY_GRAD_LAYER;
        NsBucket span =
            ns_history_read_range(history, q, ranges[r][0], ranges[r][1], min, max, NULL);
        g_assert_cmpint(span.first, <=, (int64_t)ranges[r][0]);
        g_assert_cmpint(span.last, >=, (int64_t)ranges[r][1]);
        g_assert_true(true_extremes(&layout, q, span, min, max));
        ns_history_read_range(history, q, ranges[r][0], ranges[r][1], NULL, only, NULL);
        g_assert_true(memcmp(only, max, sizeof only) == 0);
    }
}

static void test_nan(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    g_autoptr(NsHistory) history = ns_history_new(&layout, 0, 0);
    g_autofree float *values = g_new0(float, layout.width);
    for (int64_t step = 0; step < 2000; step++) {
        float x = step == 777 ? NAN : step == 1333 ? INFINITY : 1;
        for (size_t i = 0; i < layout.width; i++) values[i] = i % 2 ? 1 : x;
        ns_history_append(history, &(NsStep){.step = step}, (NsValues){.value = values});
    }
    g_assert_cmpint(ns_history_stride(history), >, 1);
    size_t offset = layout.offset[NS_QUANTITY_HIDDEN_SQ];
    for (size_t step = 0; step < 2000; step++) {
        float min[LAYERS + 1], max[LAYERS + 1];
        NsBucket bucket = ns_history_read(history, NS_QUANTITY_HIDDEN_SQ, step, min, max, NULL);
        bool has_nan = bucket.first <= 777 && bucket.last >= 777;
        bool has_inf = bucket.first <= 1333 && bucket.last >= 1333;
        for (size_t i = 0; i <= LAYERS; i++) {
            bool plain = (offset + i) % 2;
            g_assert_true(isnan(min[i]) == (has_nan && !plain));
            g_assert_true(isnan(max[i]) == (has_nan && !plain));
            if (has_nan || plain) continue;
            g_assert_cmpfloat(min[i], ==, 1);
            g_assert_true(isinf(max[i]) == has_inf);
        }
    }
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static void test_budget(void)
{
    NsRecordLayout layout = {.layers = 1, .width = 50000};
    layout.count[NS_QUANTITY_GRAD_LAYER] = layout.width;
    const size_t budget = (size_t)8 << 20, record = layout.width * sizeof(float);
    g_autofree float *values = g_new0(float, layout.width);
    size_t before = heap_bytes(), most = 0;
    if (before == 0) {
        g_test_skip("this allocator does not say what it has handed out");
        return;
    }
    g_autoptr(NsHistory) history = ns_history_new(&layout, budget, 0);
    for (int64_t step = 0; step < 3000; step++) {
        values[0] = value(step, 0);
        ns_history_append(history, &(NsStep){.step = step}, (NsValues){.value = values});
        most = MAX(most, heap_bytes() - before);
    }
    /* Besides the budget: record 0, the bucket being gathered, and the ends of three views. */
    size_t fixed = 12 * record + ((size_t)1 << 20);
    g_test_message("%zu bytes of %zu", most, budget);
    g_assert_cmpuint(most, <=, budget + fixed);
    g_assert_cmpuint(most, >=, budget / 2);
}

static void test_other_logs(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    g_autoptr(NsHistory) history = ns_history_new(&layout, 0, 0);
    ns_history_append_evaluation(history, &(NsEvaluation){.step = 3, .loss = 2.5});
    ns_history_append_event(history, &(NsEvent){.step = 4, .what = "lr"});
    g_assert_cmpuint(ns_history_evaluations(history), ==, 1);
    g_assert_cmpfloat(ns_history_evaluation(history, 0)->loss, ==, 2.5);
    g_assert_cmpuint(ns_history_events(history), ==, 1);
    g_assert_cmpstr(ns_history_event(history, 0)->what, ==, "lr");
}

typedef struct {
    NsHistory *history;
    unsigned seed;
    atomic_bool *over;
    size_t reads;
} Reader;

static void *read_at_random(void *data)
{
    Reader *reader = data;
    NsHistory *history = reader->history;
    const NsRecordLayout *layout = ns_history_layout(history);
    GRand *rand = g_rand_new_with_seed(reader->seed);
    float min[LAYERS + 1], max[LAYERS + 1];
    while (!atomic_load(reader->over)) {
        size_t steps = ns_history_steps(history);
        if (!steps) continue;
        size_t step = (size_t)(g_rand_double(rand) * (double)steps);
        if (g_rand_boolean(rand)) step = steps - 1;
        const NsQuantity q = NS_QUANTITY_HIDDEN_NORM;
        NsBucket bucket;
        if (reader->reads % 16 == 0)
            bucket = ns_history_read_range(history, q, step / 2, step, min, max, NULL);
        else
            bucket = ns_history_read(history, q, step, min, max, NULL);
        g_assert_cmpint(bucket.first, <=, (int64_t)step);
        g_assert_cmpint(bucket.last, >=, (int64_t)step);
        g_assert_true(true_extremes(layout, q, bucket, min, max));
        g_assert_cmpint(ns_history_step(history, step)->step, ==, (int64_t)step);
        g_assert_cmpint(ns_history_stride(history), >=, 1);
        reader->reads++;
    }
    g_rand_free(rand);
    return NULL;
}

static void test_readers(void)
{
    NsRecordLayout layout;
    small_layout(&layout, true);
    NsHistory *history = ns_history_new(&layout, 0, 0);
    atomic_bool over = false;
    pthread_t threads[3];
    Reader readers[3];
    for (unsigned i = 0; i < 3; i++) {
        readers[i] = (Reader){.history = ns_history_ref(history), .seed = i, .over = &over};
        pthread_create(&threads[i], NULL, read_at_random, &readers[i]);
    }
    for (int64_t step = 0; step < 20000; step++) {
        append(history, step);
        if (step % 64 == 0) g_usleep(50);
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        g_assert_cmpuint(readers[i].reads, >, 0);
        g_test_message("reader %u: %zu reads", i, readers[i].reads);
        ns_history_unref(readers[i].history);
    }
    check_all(history, 20000);
    ns_history_unref(history);
}

/* What was not measured is neutral beside what was, and is told from a NaN that was. */
static void test_not_measured(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    NsHistory *history = ns_history_new(&layout, 4096, 0);
    g_auto(NsValues) values = ns_values_new(layout.width);
    const size_t at = layout.offset[NS_QUANTITY_GRAD_LAYER];
    enum { STEPS = 5000, EVERY = 7, HOLE = 2100 };
    for (int64_t step = 0; step < STEPS; step++) {
        ns_values_reset(values, layout.width);
        if (step % EVERY == 0) ns_values_put(values, at, (double)step);
        if (step == HOLE)
            ns_values_put(values, at + 2, (double)NAN);
        else if (step % 2 == 0)
            ns_values_put(values, at + 2, -(double)step);
        ns_history_append(history, &(NsStep){.step = step}, values);
    }
    g_assert_cmpint(ns_history_stride(history), >, EVERY);
    bool seen_hole = false;
    for (int64_t step = 1; step < STEPS - 1;) {
        float min[LAYERS], max[LAYERS];
        bool has[LAYERS];
        NsBucket b = ns_history_read(history, NS_QUANTITY_GRAD_LAYER, (size_t)step, min, max, has);
        int64_t first = (b.first + EVERY - 1) / EVERY * EVERY, last = b.last / EVERY * EVERY;
        g_assert_true(has[0] == (first <= b.last) && !has[1]);
        if (has[0]) {
            g_assert_cmpfloat(min[0], ==, (float)first);
            g_assert_cmpfloat(max[0], ==, (float)last);
        }
        bool hole = b.first <= HOLE && HOLE <= b.last;
        g_assert_true(hole == (has[2] && isnan(max[2])));
        seen_hole = seen_hole || hole;
        step = b.last + 1;
    }
    g_assert_true(seen_hole);
    float max[LAYERS];
    bool has[LAYERS];
    ns_history_read_range(history, NS_QUANTITY_GRAD_LAYER, 1, STEPS - 2, NULL, max, has);
    g_assert_true(has[0] && !has[1] && has[2]);
    g_assert_cmpfloat(max[0], ==, (STEPS - 1) / EVERY * EVERY);
    g_assert_true(isnan(max[2]));
    ns_history_unref(history);
}

static void test_expensive(void)
{
    NsRecordLayout without, layout;
    small_layout(&without, false);
    layout_with_probes(&layout, false, 10);
    g_assert_cmpuint(without.count[NS_QUANTITY_TOKEN_COSINE], ==, 0);
    g_assert_cmpuint(without.count[NS_QUANTITY_HIDDEN_MAX], ==, LAYERS + 1);
    g_assert_cmpuint(layout.count[NS_QUANTITY_TOKEN_COSINE], ==, LAYERS + 1);
    g_assert_cmpuint(layout.count[NS_QUANTITY_HEAD_ENTROPY_ATTENTION], ==, LAYERS * HEADS);
    g_assert_cmpuint(layout.count[NS_QUANTITY_ENTROPY_CROSS], ==, 0);
    g_assert_cmpuint(layout.count[NS_QUANTITY_MEAN_GRAD_W1], ==, LAYERS);
    g_assert_cmpuint(layout.count[NS_QUANTITY_MEAN_GRAD_W2], ==, 0);
    g_assert_cmpuint(layout.count[NS_QUANTITY_NORM_SIGMA_FFN], ==, 0);
    g_assert_cmpuint(layout.count[NS_QUANTITY_ADAM_RMS], ==, 0);

    /* Begins at 25: 30 is measured first. */
    NsHistory *history = ns_history_new(&layout, 1 << 20, 25);
    for (int64_t step = 25; step < 41; step++) append(history, step);
    static const size_t expected[][2] = {{0, 0}, {4, 4}, {5, 5}, {9, 5}, {14, 5}, {15, 15}};
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        size_t record = expected[i][0];
        g_assert_cmpuint(ns_history_measured(history, NS_QUANTITY_TOKEN_COSINE, record), ==,
                         expected[i][1]);
        g_assert_cmpuint(ns_history_measured(history, NS_QUANTITY_HIDDEN_MAX, record), ==, record);
    }
    ns_history_unref(history);
}

/* A run from outside has a record now and then: records are found by their steps, also where they
 * share buckets. */
static void test_gaps(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    for (size_t budget = 1 << 12; budget <= 1 << 24; budget <<= 12) {
        g_autoptr(NsHistory) history = ns_history_new(&layout, budget, 10);
        g_assert_cmpint(ns_history_last_step(history), ==, -1);
        g_assert_cmpint(ns_history_record(history, 10), ==, -1);
        for (int64_t i = 0; i < 5000; i++) append(history, 10 + i * i);
        g_assert_cmpint(ns_history_last_step(history), ==, 10 + 4999 * 4999);
        g_assert_cmpint(ns_history_record(history, 9), ==, -1);
        g_assert_cmpint(ns_history_record(history, 10), ==, 0);
        g_assert_cmpint(ns_history_record(history, 12), ==, 1);
        g_assert_cmpint(ns_history_record(history, INT64_MAX), ==, 4999);
        g_assert_true((ns_history_stride(history) > 1) == (budget < 1 << 20));
        for (int64_t i = 0; i < 5000; i++) {
            NsBucket bucket =
                ns_history_read(history, NS_QUANTITY_GRAD_LAYER, (size_t)i, NULL, NULL, NULL);
            int64_t first = ns_history_record(history, bucket.first);
            int64_t last = ns_history_record(history, bucket.last);
            g_assert_cmpint(bucket.first, ==, 10 + first * first);
            g_assert_cmpint(bucket.last, ==, 10 + last * last);
            g_assert_cmpint(first, <=, i);
            g_assert_cmpint(last, >=, i);
            g_assert_cmpint(ns_history_record(history, 10 + i * i), ==, i);
        }
    }
}

/* What was measured now and then is found in the record that has it. */
static void test_now_and_then(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    g_autoptr(NsHistory) history = ns_history_new(&layout, 1 << 20, 0);
    g_auto(NsValues) none = ns_values_new(layout.width);
    for (int64_t step = 0; step < 10; step++)
        if (step == 4)
            append(history, step);
        else
            ns_history_append(history, &(NsStep){.step = step}, none);
    g_assert_cmpuint(ns_history_measured(history, NS_QUANTITY_GRAD_LAYER, 3), ==, 3);
    g_assert_cmpuint(ns_history_measured(history, NS_QUANTITY_GRAD_LAYER, 4), ==, 4);
    g_assert_cmpuint(ns_history_measured(history, NS_QUANTITY_GRAD_LAYER, 9), ==, 4);
}

/* Names from outside become quantities of their own. */
static void test_names(void)
{
    NsQuantity one = ns_quantity_name("my_ratio", NS_DOMAIN_LAYER);
    g_assert_cmpint(one, ==, NS_QUANTITY_COUNT);
    g_assert_cmpint(ns_quantity_name("my_ratio", NS_DOMAIN_LAYER), ==, one);
    g_assert_cmpint(ns_quantity_name("my_ratio", NS_DOMAIN_HIDDEN), ==, one + 1);
    g_assert_cmpstr(ns_quantity(one)->choice.key, ==, "my_ratio");
    g_assert_cmpstr(ns_quantity(one)->symbol, ==, "my ratio");
    g_assert_cmpint(ns_choices_find(ns_quantity_choice, "my_ratio"), ==, (int)one);
    for (int i = 2; i < NS_QUANTITIES_NAMED; i++) {
        g_autofree char *name = g_strdup_printf("name %d", i);
        g_assert_cmpint(ns_quantity_name(name, NS_DOMAIN_LAYER), ==, NS_QUANTITY_COUNT + i);
    }
    g_assert_cmpint(ns_quantity_name("one more", NS_DOMAIN_LAYER), ==, NS_QUANTITY_ALL);
    g_assert_null(ns_quantity_choice(NS_QUANTITY_ALL));
}

static void *read_similarities(void *data)
{
    NsHistory *history = data;
    g_autofree NsSimilarity *s = g_new0(NsSimilarity, 1);
    for (int64_t newest = -1; newest < 4999;) {
        if (!ns_history_similarity(history, s)) continue;
        g_assert_cmpint(s->step, >=, newest);
        newest = s->step;
        for (size_t i = 0; i < G_N_ELEMENTS(s->value[0]); i++)
            g_assert_cmpfloat(s->value[1][i], ==, (float)newest);
    }
    return NULL;
}

/* Readers only ever see whole matrices, never older ones than before, and the last one. */
static void test_similarity(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    NsHistory *history = ns_history_new(&layout, 1 << 20, 0);
    g_autofree NsSimilarity *s = g_new0(NsSimilarity, 1);
    g_assert_false(ns_history_similarity(history, s));
    pthread_t readers[2];
    for (size_t i = 0; i < 2; i++)
        g_assert_cmpint(pthread_create(&readers[i], NULL, read_similarities, history), ==, 0);
    for (int64_t step = 0; step < 5000; step++) {
        s->step = step;
        for (size_t i = 0; i < G_N_ELEMENTS(s->value[0]); i++) s->value[1][i] = (float)step;
        ns_history_publish_similarity(history, s);
    }
    for (size_t i = 0; i < 2; i++) pthread_join(readers[i], NULL);
    ns_history_unref(history);
}

static void append_loss(NsHistory *history, int64_t step, double loss)
{
    g_autofree float *values = g_new0(float, ns_history_layout(history)->width);
    ns_history_append(history, &(NsStep){.step = step, .loss = loss, .grad_norm = 10 * loss},
                      (NsValues){.value = values});
}

/* Seeds that diverged are left out of a mean as long as one goes on, and so is one of which there
 * is no record; what is not there yet of one is not there. */
static void test_seeds(void)
{
    NsRecordLayout layout;
    small_layout(&layout, false);
    NsHistory *seeds[4];
    for (size_t k = 0; k < 4; k++) seeds[k] = ns_history_new(&layout, 0, 0);
    for (size_t k = 1; k < 4; k++) {
        ns_history_add_seed(seeds[0], seeds[k]);
        ns_history_unref(seeds[k]);
    }
    g_assert_cmpuint(ns_seeds_records(seeds[0]), ==, 0);
    for (size_t k = 0; k < 3; k++) append_loss(seeds[k], 0, (double)k + 1);
    g_assert_cmpuint(ns_seeds_records(seeds[0]), ==, 1);
    g_assert_cmpfloat(ns_seeds_step(seeds[0], 0).loss, ==, 2);
    g_assert_cmpfloat(ns_seeds_step(seeds[0], 0).grad_norm, ==, 20);
    ns_history_append_event(seeds[0], &(NsEvent){.kind = NS_EVENT_SPIKE});
    g_assert_cmpfloat(ns_seeds_step(seeds[0], 0).loss, ==, 2);
    ns_history_append_event(seeds[0], &(NsEvent){.kind = NS_EVENT_DIVERGED});
    g_assert_cmpfloat(ns_seeds_step(seeds[0], 0).loss, ==, 2.5);
    append_loss(seeds[1], 1, 5);
    g_assert_cmpuint(ns_seeds_records(seeds[0]), ==, 1);
    append_loss(seeds[2], 1, 7);
    g_assert_cmpuint(ns_seeds_records(seeds[0]), ==, 2);
    g_assert_cmpfloat(ns_seeds_step(seeds[0], 1).loss, ==, 6);
    g_assert_cmpint(ns_seeds_step(seeds[0], 1).step, ==, 1);
    for (size_t k = 1; k < 3; k++)
        ns_history_append_event(seeds[k], &(NsEvent){.kind = NS_EVENT_DIVERGED});
    g_assert_cmpuint(ns_seeds_records(seeds[0]), ==, 1);
    g_assert_cmpfloat(ns_seeds_step(seeds[0], 0).loss, ==, 2);
    ns_history_unref(seeds[0]);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/history/quantities", test_quantities);
    g_test_add_func("/history/layout", test_layout);
    g_test_add_func("/history/without-values", test_without_values);
    g_test_add_func("/history/exact", test_exact);
    g_test_add_data_func("/history/thinned/least", GSIZE_TO_POINTER(0), test_thinned);
    g_test_add_data_func("/history/thinned/1", GSIZE_TO_POINTER(1), test_thinned);
    g_test_add_data_func("/history/thinned/3", GSIZE_TO_POINTER(3), test_thinned);
    g_test_add_data_func("/history/thinned/9", GSIZE_TO_POINTER(9), test_thinned);
    g_test_add_func("/history/range", test_range);
    g_test_add_func("/history/nan", test_nan);
    g_test_add_func("/history/not-measured", test_not_measured);
    g_test_add_func("/history/expensive", test_expensive);
    g_test_add_func("/history/similarity", test_similarity);
    g_test_add_func("/history/budget", test_budget);
    g_test_add_func("/history/other-logs", test_other_logs);
    g_test_add_func("/history/readers", test_readers);
    g_test_add_func("/history/seeds", test_seeds);
    g_test_add_func("/history/gaps", test_gaps);
    g_test_add_func("/history/now-and-then", test_now_and_then);
    g_test_add_func("/history/names", test_names);
    return g_test_run();
}
