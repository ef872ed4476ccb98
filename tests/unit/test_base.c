/* Random numbers, logs, tensor tables, shares and choices.  SPDX-License-Identifier: MIT */
#include "core/base/choice.h"
#include "core/base/clock.h"
#include "core/base/copy.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/flush.h"
#include "core/base/log.h"
#include "core/base/real.h"
#include "core/base/rng.h"
#include "core/base/share.h"
#include "core/base/squares.h"
#include "core/base/tensor.h"
#include "core/settings/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The known answers that Random123 publishes for Philox 4x32-10. */
static void test_philox(void)
{
    static const struct {
        uint32_t counter[4], key[2], answer[4];
    } table[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        uint32_t out[4];
        ns_philox(out, table[i].counter, table[i].key);
        for (int k = 0; k < 4; k++) g_assert_cmphex(out[k], ==, table[i].answer[k]);
    }
}

static void test_distributions(void)
{
    NsRng rng, again;
    ns_rng_init(&rng, 1, ns_rng_stream("a"));
    ns_rng_init(&again, 1, ns_rng_stream("b"));
    g_assert_cmpuint(ns_rng_below(&rng, 1u << 31), !=, ns_rng_below(&again, 1u << 31));

    enum { N = 200000 };
    double sum = 0, squares = 0, fourth = 0, least = 1, most = 0;
    for (int i = 0; i < N; i++) {
        double x = ns_rng_normal(&rng), u = ns_rng_uniform(&rng);
        sum += x;
        squares += x * x;
        fourth += x * x * x * x;
        least = MIN(least, u);
        most = MAX(most, u);
    }
    /* Five standard errors of the mean, the variance and the fourth moment of a standard normal. */
    g_assert_cmpfloat(fabs(sum / N), <, 5 / sqrt(N));
    g_assert_cmpfloat(fabs(squares / N - 1), <, 5 * sqrt(2.0 / N));
    g_assert_cmpfloat(fabs(fourth / N - 3), <, 5 * sqrt(96.0 / N));
    g_assert_cmpfloat(least, >, 0);
    g_assert_cmpfloat(most, <, 1);

    int counts[6] = {0};
    for (int i = 0; i < 60000; i++) counts[ns_rng_below(&rng, 6)]++;
    for (int k = 0; k < 6; k++) g_assert_cmpint(ABS(counts[k] - 10000), <, 500);
}

/* Many at once are the same numbers, bit for bit, wherever the first of them is. */
static void test_fill(void)
{
    enum { N = 300000 };
    static const size_t starts[] = {0, 1, 255, 256, 100001, N - 1},
                        lengths[] = {1, 2, 511, 512, 3000};
    uint64_t stream = ns_rng_stream("blk0.attn.wq");
    g_autofree ns_real *normal = g_new(ns_real, N), *uniform = g_new(ns_real, N);
    g_autofree ns_real *many = g_new(ns_real, N);
    NsRng rng;
    ns_rng_init(&rng, 5, stream);
    for (size_t i = 0; i < N; i++) normal[i] = (ns_real)(0.3 * ns_rng_normal(&rng));
    ns_rng_init(&rng, 5, stream);
    for (size_t i = 0; i < N; i++) uniform[i] = (ns_real)(0.3 * (2 * ns_rng_uniform(&rng) - 1));

    ns_rng_fill_normal(many, N, 0, 0.3, 5, stream);
    g_assert_true(memcmp(many, normal, N * sizeof *many) == 0);
    ns_rng_fill_uniform(many, N, 0, 0.3, 5, stream);
    g_assert_true(memcmp(many, uniform, N * sizeof *many) == 0);
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(lengths); k++) {
            size_t first = starts[i], n = MIN(lengths[k], N - first);
            many[n] = 7;
            ns_rng_fill_normal(many, n, first, 0.3, 5, stream);
            g_assert_true(memcmp(many, normal + first, n * sizeof *many) == 0);
            ns_rng_fill_uniform(many, n, first, 0.3, 5, stream);
            g_assert_true(memcmp(many, uniform + first, n * sizeof *many) == 0);
            g_assert_cmpfloat(many[n], ==, 7);
        }
    /* Past what one word of the counter counts. */
    ns_rng_fill_normal(many, 3, ((size_t)1 << 32) - 1, 0.3, 5, stream);
    ns_rng_init(&rng, 5, stream);
    g_assert_true(memcmp(many + 1, normal, sizeof *many) != 0);
    rng.counter[1] = 1;
    g_assert_cmpfloat(many[1], ==, (ns_real)(0.3 * ns_rng_normal(&rng)));
}

static void test_log(void)
{
    g_autoptr(NsLog) log = ns_log_new(sizeof(uint64_t));
    g_assert_cmpuint(ns_log_count(log), ==, 0);
    const uint64_t *first = NULL;
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t value = i * i;
        ns_log_append(log, &value);
        if (i == 0) first = ns_log_get(log, 0);
    }
    g_assert_cmpuint(ns_log_count(log), ==, 100000);
    g_assert_true(first == ns_log_get(log, 0));
    for (uint64_t i = 0; i < 100000; i++)
        g_assert_cmpuint(*(const uint64_t *)ns_log_get(log, i), ==, i * i);
}

static gpointer append_many(gpointer data)
{
    for (uint64_t i = 0; i < 200000; i++) ns_log_append(data, &i);
    return NULL;
}

static void test_log_readers(void)
{
    g_autoptr(NsLog) log = ns_log_new(sizeof(uint64_t));
    GThread *writer = g_thread_new("writer", append_many, log);
    for (size_t count = 0; count < 200000;) {
        size_t now = ns_log_count(log);
        g_assert_cmpuint(now, >=, count);
        for (; count < now; count++)
            g_assert_cmpuint(*(const uint64_t *)ns_log_get(log, count), ==, count);
    }
    g_thread_join(writer);
}

static void test_norm(void)
{
    ns_real x[5] = {3, 4, 0, 0, 0};
    g_assert_cmpfloat(ns_real_norm(x, 5), ==, 5);
    x[2] = (ns_real)3e38; /* its square is beyond single precision */
    g_assert_true(isfinite(ns_real_norm(x, 5)));
    x[3] = NAN;
    g_assert_true(isnan(ns_real_norm(x, 5)));
}

/* Against a plain sum in double, of squares beyond single precision on both sides, too. */
static void test_squares(void)
{
    static const double sizes[] = {1, 1e-12, 1e-30, 1e-37, 1e12, 1e30, 1e37};
    enum { N = 1000 };
    ns_real x[N];
    NsRng rng;
    ns_rng_init(&rng, 3, 1);
    for (size_t k = 0; k < G_N_ELEMENTS(sizes); k++)
        for (size_t few = 0; few < 2; few++)
            for (size_t n = 0; n <= N; n += n < 40 ? 1 : 61) {
                double sum = 0;
                for (size_t i = 0; i < n; i++) {
                    /* Among zeros, or among others of ordinary size. */
                    double other = few ? 0 : ns_rng_normal(&rng);
                    x[i] = (ns_real)(i % 100 == 17 ? sizes[k] : other);
                    sum += (double)x[i] * (double)x[i];
                }
                double seen = ns_real_squares(x, n);
                g_assert_cmpfloat(fabs(seen - sum), <=, 2e-7 * sum);
                g_assert_cmpfloat(ns_real_squares(x, n), ==, seen);
            }
    for (size_t at = 0; at < 200; at++) {
        for (size_t i = 0; i < 200; i++) x[i] = 1;
        x[at] = NAN;
        g_assert_true(isnan(ns_real_squares(x, 200)));
        x[at] = -INFINITY;
        g_assert_true(isinf(ns_real_squares(x, 200)));
    }
}

static void test_tensor_table(void)
{
    NsTensorTable table = {0};
    ns_tensor_table_add(&table, (NsTensor){.name = "a", .rows = 3, .cols = 5, .init = NS_INIT_ONE},
                        false);
    ns_tensor_table_add(&table, (NsTensor){.name = "b", .rows = 7, .cols = 1, .init = NS_INIT_ONE},
                        true);
    ns_tensor_table_add(
        &table,
        (NsTensor){.name = "c", .rows = 4000, .cols = 5, .init = NS_INIT_NORMAL, .std = 0.5},
        false);
    g_assert_cmpuint(table.elements, ==, 15 + 7 + 20000);
    g_assert_cmpuint(ns_tensor_find(&table, "b")->offset, ==, 15);
    g_assert_cmpuint(ns_tensor_find(&table, "c")->offset % 16, ==, 0);
    g_assert_null(ns_tensor_find(&table, "d"));

    g_autofree ns_real *x = g_new(ns_real, table.size);
    ns_tensor_table_init(&table, x, 3, NULL);
    const ns_real *c = x + ns_tensor_find(&table, "c")->offset;
    g_assert_cmpfloat(x[14], ==, 1);
    double std = ns_real_norm(c, 20000) / sqrt(20000);
    g_assert_cmpfloat(fabs(std - 0.5), <, 5 * 0.5 / sqrt(40000));

    /* The values depend on the seed and the name, not on what else is in the table. */
    NsTensorTable alone = {0};
    ns_tensor_table_add(
        &alone,
        (NsTensor){.name = "c", .rows = 4000, .cols = 5, .init = NS_INIT_NORMAL, .std = 0.5},
        false);
    g_autofree ns_real *y = g_new(ns_real, alone.size);
    ns_tensor_table_init(&alone, y, 3, NULL);
    g_assert_true(memcmp(c, y, 20000 * sizeof *c) == 0);
    ns_tensor_table_clear(&alone);
    ns_tensor_table_clear(&table);
}

/* Tensors of all sizes, joined and not, one of them larger than a share. */
static void add_tensors(NsTensorTable *table)
{
    static const size_t sizes[] = {5, 3, 1 << 14, 40, (1 << 14) + 1, 3000000, 100000, 16, 700};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        NsTensor tensor = {.rows = sizes[i], .init = NS_INIT_NORMAL, .std = 1};
        g_snprintf(tensor.name, sizeof tensor.name, "t%zu", i);
        ns_tensor_table_add(table, tensor, i % 3 == 1);
    }
}

/* Every element is in the share of one thread, whose blocks are in order; blocks are late exactly
 * where an earlier thread has the first one. */
static void test_share(void)
{
    NsTensorTable table = {0};
    add_tensors(&table);
    g_autofree size_t *cuts = g_new0(size_t, table.size);
    for (unsigned n = 1; n < 40; n += n < 5 ? 1 : 17) {
        size_t elements = 0, last = table.n, end = 0, most = 0, blocks = 0;
        for (unsigned k = 0; k < n; k++) {
            NsShare share = ns_share(&table, k, n);
            NsBlock b;
            size_t in_share = 0;
            bool begun = false; /* the tensor of the block, in this share */
            for (; ns_share_next(&share, &b); in_share += b.n) {
                const NsTensor *t = &table.tensors[b.tensor];
                begun = b.first || (begun && b.tensor == last);
                blocks = b.first ? 1 : blocks + 1;
                g_assert_cmpuint(blocks, <=, NS_BLOCKS_MAX);
                g_assert_true(b.first == (b.offset == t->offset) && b.late == !begun);
                if (b.tensor == last)
                    g_assert_cmpuint(b.offset, ==, end);
                else
                    g_assert_true(b.first);
                /* The cuts are those of one thread. */
                if (n == 1) cuts[b.offset] = b.n;
                g_assert_cmpuint(b.n, ==, cuts[b.offset]);
                last = b.tensor;
                end = b.offset + b.n;
            }
            elements += in_share;
            most = MAX(most, in_share);
        }
        g_assert_cmpuint(elements, ==, table.elements);
        g_assert_cmpuint(most, <=, table.elements / n + 60000);
    }
    ns_tensor_table_clear(&table);
}

static void test_init_threads(void)
{
    NsTensorTable table = {0};
    add_tensors(&table);
    g_autofree ns_real *one = g_new(ns_real, table.size), *many = g_new(ns_real, table.size);
    NsTeam *team = ns_team_new(3);
    ns_tensor_table_init(&table, one, 3, NULL);
    ns_tensor_table_init(&table, many, 3, team);
    ns_team_free(team);
    g_assert_true(memcmp(one, many, table.size * sizeof *one) == 0);
    ns_tensor_table_clear(&table);
}

static void test_nearest(void)
{
    NsNearest near = {0};
    ns_nearest_look(&near, "sitting", "kitten");
    g_assert_cmpuint(near.edits, ==, 3);
    ns_nearest_look(&near, "sitting", "fitting");
    g_assert_cmpstr(near.key, ==, "fitting");
    g_assert_cmpstr(ns_choices_nearest(ns_switch_choice, "atuo")->key, ==, "auto");
    g_assert_cmpstr(ns_choices_nearest(ns_switch_choice, "AUTO")->key, ==, "auto");
    g_assert_null(ns_choices_nearest(ns_switch_choice, "xyzzy"));
}

static const NsChoice *many_choices(size_t i)
{
    static const NsChoice choice = {.key = "many"};
    return i < 100 ? &choice : NULL;
}

static void assert_unknown(const char *word, NsChoices choices, const char *sentence)
{
    g_autoptr(GError) error = NULL;
    ns_choices_unknown("switch", word, choices, &error);
    g_assert_error(error, NS_ERROR, NS_ERROR_USAGE);
    g_assert_cmpstr(error->message, ==, sentence);
}

static void test_unknown(void)
{
    assert_unknown("atuo", ns_switch_choice, "There is no switch “atuo”; did you mean “auto”?");
    assert_unknown("xyzzy", ns_switch_choice,
                   "There is no switch “xyzzy”; choose one of auto, on, off.");
    assert_unknown("xyzzy", many_choices,
                   "There is no switch “xyzzy”; “normscope-cli list” shows all 100.");
}

static void test_no_room(void)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_real_new(SIZE_MAX / 8, "weights", &error));
    g_assert_nonnull(error);
    g_assert_nonnull(g_strstr_len(error->message, -1, "weights"));
}

/* The bits of a product that is too small to be normal, and of one with a factor that is; in the
 * mode that is tested a comparison would not tell such numbers from 0. */
static void multiply_small(uint32_t *product, uint32_t *grown)
{
    volatile float small = 1e-30f, smaller = 1e-10f, denormal = 1e-40f, large = 1e30f;
    float results[2] = {small * smaller, denormal * large};
    memcpy(product, &results[0], sizeof *product);
    memcpy(grown, &results[1], sizeof *grown);
}

static gpointer multiply_in_thread(gpointer data)
{
    uint32_t product, grown;
    (void)data;
    multiply_small(&product, &grown);
    return GINT_TO_POINTER(product && grown);
}

static void test_flush(void)
{
#if defined __x86_64__ || defined __aarch64__
    uint32_t product, grown;
    multiply_small(&product, &grown);
    g_assert_cmphex(product, !=, 0);
    g_assert_cmphex(grown, !=, 0);

    GThread *other = g_thread_new("other", multiply_in_thread, NULL);
    uint64_t before = ns_flush_begin(), within = ns_flush_begin();
    for (int depth = 2; depth > 0; depth--) {
        multiply_small(&product, &grown);
        g_assert_cmphex(product, ==, 0);
        g_assert_cmphex(grown, ==, 0);
        ns_flush_end(depth == 2 ? within : before);
    }
    multiply_small(&product, &grown);
    g_assert_cmphex(product, !=, 0);
    g_assert_cmphex(grown, !=, 0);
    g_assert_true(GPOINTER_TO_INT(g_thread_join(other)));
#else
    g_test_skip("this processor computes with every number");
#endif
}

static void work(NsOp op, gulong us)
{
    NsClockMark mark = ns_clock_begin();
    g_usleep(us);
    ns_clock_end(mark, op);
}

static void mark(void *data, const NsMember *member)
{
    (void)data;
    (void)member;
    NsClockMark outer = ns_clock_begin();
    g_usleep(2000);
    work(NS_OP_MATMUL, 3000);
    work(NS_OP_MATMUL, 3000);
    ns_clock_end(outer, NS_OP_ATTENTION);
}

/* A mark inside another, once alone and then on every member of a team: what each adds. */
static void test_clock(void)
{
    double none[NS_OP_COUNT], seconds[NS_OP_COUNT];
    ns_clock_read(none);
    work(NS_OP_LOSS, 1000);
    ns_clock_read(seconds);
    g_assert_cmpfloat(seconds[NS_OP_LOSS], ==, none[NS_OP_LOSS]);

    for (unsigned threads = 1; threads <= 2; threads++) {
        NsTeam *team = ns_team_new(threads);
        ns_clock_enable(true);
        gint64 begin = g_get_monotonic_time();
        ns_team_run(team, threads, mark, NULL);
        double wall = (double)(g_get_monotonic_time() - begin) / 1e6;
        ns_clock_enable(false);
        ns_team_free(team);
        work(NS_OP_MATMUL, 1000);
        ns_clock_read(seconds);
        g_assert_cmpfloat(seconds[NS_OP_ATTENTION], >=, 2e-3);
        g_assert_cmpfloat(seconds[NS_OP_MATMUL], >=, 6e-3);
        g_assert_cmpfloat(seconds[NS_OP_ATTENTION] + seconds[NS_OP_MATMUL], <=, wall + 1e-5);
        g_assert_cmpfloat(seconds[NS_OP_OTHER], ==, 0);
    }
    for (size_t i = 0; i < NS_OP_COUNT; i++)
        for (size_t k = 0; k < i; k++) g_assert_cmpstr(ns_op_key((NsOp)i), !=, ns_op_key((NsOp)k));
}

/* A text is cut between two characters, and what is none is replaced. */
static void test_copy_text(void)
{
    static const struct {
        const char *text;
        size_t size;
        const char *copy;
    } table[] = {
        {"abc", 4, "abc"},
        {"abc", 3, "ab"},
        {"abc", 1, ""},
        {"aé", 4, "aé"},
        {"aé", 3, "a"},
        {"é", 2, ""},
        {"“x”", 8, "“x”"},
        {"“x”", 7, "“x"},
        {"“x”", 3, ""},
        {"", 5, ""},
        {"a\xff", 8, "a\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        char to[16];
        memset(to, 'x', sizeof to);
        ns_copy_text(to, table[i].size, table[i].text);
        g_assert_cmpstr(to, ==, table[i].copy);
    }
}

static double resident_mib(void)
{
    unsigned long long pages = 0;
    g_autofree char *counts = NULL;
    g_assert_true(g_file_get_contents("/proc/self/statm", &counts, NULL, NULL));
    g_assert_cmpint(sscanf(counts, "%*u %llu", &pages), ==, 1);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* Zeros, also where others have been before, and no memory where nobody looks. */
static void test_unused(void)
{
    const size_t n = (((size_t)64 << 20) + 4096) / sizeof(ns_real);
    for (int i = 0; i < 3; i++) {
        double before = resident_mib();
        ns_real *elements = ns_real_new(n, "a test", NULL);
        g_assert_nonnull(elements);
        g_assert_cmpfloat(resident_mib() - before, <, 16);
        for (size_t k = 0; k < n; k++) {
            g_assert_true(elements[k] == 0);
            elements[k] = 1;
        }
        ns_real_free(elements);
    }
}

static void test_digits(void)
{
    static const struct {
        int64_t number;
        const char *text;
    } table[] = {{0, "0"},
                 {12, "12"},
                 {999, "999"},
                 {1000, "1,000"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {-1240, "\u22121,240"}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_autofree char *text = ns_group_digits(table[i].number);
        g_assert_cmpstr(text, ==, table[i].text);
    }
    g_autofree char *plain = ns_group_plain("-1372.50");
    g_assert_cmpstr(plain, ==, "\u22121,372.50");
    g_autofree char *power = ns_group_plain("1.2e+09");
    g_assert_cmpstr(power, ==, "1.2e+09");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/base/philox", test_philox);
    g_test_add_func("/base/distributions", test_distributions);
    g_test_add_func("/base/fill", test_fill);
    g_test_add_func("/base/flush", test_flush);
    g_test_add_func("/base/log", test_log);
    g_test_add_func("/base/log-readers", test_log_readers);
    g_test_add_func("/base/clock", test_clock);
    g_test_add_func("/base/norm", test_norm);
    g_test_add_func("/base/squares", test_squares);
    g_test_add_func("/base/tensor-table", test_tensor_table);
    g_test_add_func("/base/share", test_share);
    g_test_add_func("/base/init-threads", test_init_threads);
    g_test_add_func("/base/copy-text", test_copy_text);
    g_test_add_func("/base/nearest", test_nearest);
    g_test_add_func("/base/unknown", test_unknown);
    g_test_add_func("/base/no-room", test_no_room);
    g_test_add_func("/base/unused", test_unused);
    g_test_add_func("/base/digits", test_digits);
    return g_test_run();
}
