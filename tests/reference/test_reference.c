/* Loss, every gradient and ten optimizer steps against PyTorch.  SPDX-License-Identifier: MIT
 *
 * make_fixtures.py wrote the reference values in double precision and says what is in them; this
 * test is built in single and in double. */
#include "core/base/squares.h"
#include "core/experiment/assignment.h"
#include "core/model/model.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "tests/reference/fixture.h"

#include <math.h>
#include <string.h>

/* Relative to the norm of a tensor.  Single precision holds 6e-8 a value; the longest way through a
 * model here has some fifty products, and cancellation in norms of eight features costs the rest.
 * Where PyTorch itself is off by more than a tenth of this in single precision, the limit is ten
 * times what it is off by. */
#ifdef NS_DOUBLE
#define LIMIT 1e-9
#else
#define LIMIT 1e-4
#endif

/* Gradients smaller than this beside the whole are zero but for the reference's own rounding. */
#define ZERO 1e-12

#define SUMS 3 /* in a signature */

static Fixture start;

static const char *const architectures[] = {"decoder", "encoder", "encoder-decoder"};
static Fixture expected[G_N_ELEMENTS(architectures)];

typedef struct {
    const Fixture *expected;
    const char *arch;
    const char *name;
} Case;

typedef struct {
    const Case *c;
    NsSettings settings;
    NsModel *model;
    const NsTensorTable *table;
    NsBatch batch;
    size_t *row; /* [table->n] of each tensor in the signatures of the case */
    double limit;
} Setup;

static void set_tokens(int32_t *tokens, const char *arch, const char *name, size_t n)
{
    g_autofree double *elements = fixture_elements(&start, n, "%s/%s", arch, name);
    for (size_t i = 0; i < n; i++) tokens[i] = (int32_t)elements[i];
}

static void set_batch(NsBatch *batch, const NsSettings *settings, const char *arch)
{
    const size_t B = (size_t)settings->batch, T = (size_t)settings->seq;
    const size_t S = (size_t)ns_settings_source_seq(settings);
    ns_batch_init(batch, B, T, S);
    set_tokens(batch->tokens, arch, "tokens", B * T);
    set_tokens(batch->targets, arch, "targets", B * T);
    set_tokens(batch->length, arch, "length", B);
    if (!S) return;
    set_tokens(batch->source, arch, "src", B * S);
    g_autofree double *mask = fixture_elements(&start, B * S, "%s/src_mask", arch);
    for (size_t b = 0; b < B; b++) {
        batch->source_length[b] = 0;
        for (size_t s = 0; s < S; s++) batch->source_length[b] += (int32_t)mask[b * S + s];
    }
}

static size_t find_name(const char *const *names, const char *name)
{
    size_t i = 0;
    while (names[i] && !g_str_equal(names[i], name)) i++;
    if (!names[i]) g_error("the reference model has no tensor %s", name);
    return i;
}

static double limit_of(const Case *c)
{
    if (sizeof(ns_real) == sizeof(double) || !fixture_has_text(c->expected, "%s/single", c->name))
        return LIMIT;
    const double single = g_ascii_strtod(fixture_text(c->expected, "%s/single", c->name), NULL);
    return MAX(LIMIT, 10 * single);
}

/* A model with the weights and the batch of start.safetensors. */
static void setup_init(Setup *setup, const Case *c)
{
    g_autoptr(GError) error = NULL;
    setup->c = c;
    ns_settings_init(&setup->settings);
    g_auto(GStrv) assignments =
        g_strsplit(fixture_text(c->expected, "%s/settings", c->name), " ", -1);
    for (char **i = assignments; *i; i++) {
        ns_settings_assign(&setup->settings, *i, &error);
        g_assert_no_error(error);
    }
    const size_t vocab = (size_t)g_ascii_strtoull(fixture_text(&start, "vocab"), NULL, 10);
    setup->model = ns_model_new(&setup->settings, (NsVocab){.in = vocab, .out = vocab}, &error);
    g_assert_no_error(error);

    g_auto(GStrv) names = g_strsplit(fixture_text(c->expected, "%s/names", c->name), " ", -1);
    const NsTensorTable *table = setup->table = ns_model_tensors(setup->model);
    g_assert_cmpuint(table->n, ==, g_strv_length(names));
    setup->row = g_new(size_t, table->n);
    ns_real *weights = ns_model_weights(setup->model);
    for (size_t t = 0; t < table->n; t++) {
        const NsTensor *tensor = &table->tensors[t];
        const size_t n = ns_tensor_size(tensor);
        g_autofree double *elements = fixture_first_elements(&start, n, "%s", tensor->name);
        for (size_t i = 0; i < n; i++) weights[tensor->offset + i] = (ns_real)elements[i];
        setup->row[t] = find_name((const char *const *)names, tensor->name);
    }
    set_batch(&setup->batch, &setup->settings, c->arch);
    setup->limit = limit_of(c);
}

static void setup_clear(Setup *setup)
{
    ns_batch_clear(&setup->batch);
    ns_model_free(setup->model);
    ns_settings_clear(&setup->settings);
    g_free(setup->row);
}

static double expected_real(const Setup *setup, const char *name)
{
    g_autofree double *real =
        fixture_elements(setup->c->expected, 1, "%s/%s", setup->c->name, name);
    return *real;
}

static NsMeasure measure(const Setup *setup, int64_t step)
{
    const NsNoise noise = {.training = true, .step = (uint64_t)step};
    return ns_model_measure(setup->model, &setup->batch, &noise);
}

static void check(const Setup *setup, const char *name, double error, double scale)
{
    if (!(error <= setup->limit * scale)) {
        g_test_message("%s: relative error %.2e is above %.0e", name, error / scale, setup->limit);
        g_test_fail();
    }
}

/* Norm and weighted sums of a tensor, as make_fixtures.py writes them. */
static void check_signature(const Setup *setup, const NsTensor *tensor, const ns_real *x,
                            const double *signature, double scale)
{
    double sums[SUMS] = {ns_real_norm(x, ns_tensor_size(tensor))};
    for (size_t i = 0; i < ns_tensor_size(tensor); i++) {
        sums[1] += (double)x[i] * cos(0.7 * (double)i + 0.3);
        sums[2] += (double)x[i] * cos(1.9 * (double)i + 1.1);
    }
    for (size_t k = 0; k < SUMS; k++)
        check(setup, tensor->name, fabs(sums[k] - signature[k]), scale);
}

static void check_whole(const Setup *setup, const NsTensor *tensor, const ns_real *x, double scale)
{
    const size_t n = ns_tensor_size(tensor);
    g_autofree double *y =
        fixture_elements(setup->c->expected, n, "%s/grad.%s", setup->c->name, tensor->name);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += ((double)x[i] - y[i]) * ((double)x[i] - y[i]);
    check(setup, tensor->name, sqrt(sum), scale);
}

static bool is_key_bias(const char *name)
{
    return g_str_has_suffix(name, ".bk");
}

/* The gradient norm of another tensor of the same attention as tensor t. */
static double norm_beside(const Setup *setup, size_t t, const char *name, const double *signatures)
{
    const NsTensorTable *table = setup->table;
    g_autofree char *other = g_strdup(table->tensors[t].name);
    memcpy(strrchr(other, '.') + 1, name, strlen(name));
    return signatures[SUMS * setup->row[ns_tensor_find(table, other) - table->tensors]];
}

/* What the error of a gradient is held against: its norm.  Some gradients are zero whatever the
 * weights, and what comes out is rounding: batch normalization does not see a bias before it, and
 * softmax does not see one vector added to all keys, which shifts every score of a query alike.
 * Those are held against the whole gradient, and key biases against the query biases at least;
 * where all keys are the same their gradient is zero as well, and a thousandth of that of W_O
 * stands in for it. */
static double gradient_scale(const Setup *setup, size_t t, const double *signatures)
{
    const NsTensorTable *table = setup->table;
    double whole = 0, own = signatures[SUMS * setup->row[t]];
    for (size_t i = 0; i < table->n; i++) whole = hypot(whole, signatures[SUMS * i]);
    if (!is_key_bias(table->tensors[t].name)) return own > ZERO * whole ? own : whole;
    const double query = norm_beside(setup, t, "bq", signatures);
    const double output = norm_beside(setup, t, "wo", signatures);
    return MAX(own, MAX(query, 1e-3 * output));
}

static void test_gradients(gconstpointer data)
{
    const Case *c = data;
    Setup setup = {0};
    setup_init(&setup, c);

    const double loss = expected_real(&setup, "loss");
    check(&setup, "loss", fabs(measure(&setup, 0).loss - loss), loss);

    const NsTensorTable *table = setup.table;
    g_autofree double *signatures =
        fixture_elements(c->expected, SUMS * table->n, "%s/gradients", c->name);
    for (size_t t = 0; t < table->n; t++) {
        const NsTensor *tensor = &table->tensors[t];
        const ns_real *gradient = ns_model_gradients(setup.model) + tensor->offset;
        const double scale = gradient_scale(&setup, t, signatures);
        check_signature(&setup, tensor, gradient, signatures + SUMS * setup.row[t], scale);
        if (fixture_has(c->expected, "%s/grad.%s", c->name, tensor->name))
            check_whole(&setup, tensor, gradient, scale);
    }
    setup_clear(&setup);
}

static double gradient_norm(const Setup *setup)
{
    double norm = 0;
    for (size_t t = 0; t < setup->table->n; t++) {
        const NsTensor *tensor = &setup->table->tensors[t];
        norm = hypot(norm, ns_real_norm(ns_model_gradients(setup->model) + tensor->offset,
                                        ns_tensor_size(tensor)));
    }
    return norm;
}

static void take_steps(const Setup *setup, int64_t steps)
{
    const NsTensorTable *table = setup->table;
    const NsOptimizer *optimizer = ns_optimizer(setup->settings.optimizer);
    ns_real *m = ns_real_new(table->size, "moments", NULL);
    ns_real *v = ns_real_new(table->size, "moments", NULL);
    const size_t scratch_size = optimizer->scratch ? optimizer->scratch(table, 1) : 1;
    ns_real *scratch = ns_real_new(scratch_size, "scratch", NULL);
    g_autofree NsTensorUpdate *tensors = g_new(NsTensorUpdate, table->n);
    for (int64_t step = 1; step <= steps; step++) {
        measure(setup, step - 1);
        const NsUpdate update = {
            .settings = &setup->settings,
            .table = table,
            .w = ns_model_weights(setup->model),
            .m = m,
            .v = v,
            .scratch = scratch,
            .g = ns_model_gradients(setup->model),
            .lr = ns_schedule_lr(&setup->settings, step),
            .grad_norm = gradient_norm(setup),
            .step = step,
            .tensors = tensors,
        };
        optimizer->step(&update);
    }
    ns_real_free(m);
    ns_real_free(v);
    ns_real_free(scratch);
}

static void test_steps(gconstpointer data)
{
    const Case *c = data;
    Setup setup = {0};
    setup_init(&setup, c);
    take_steps(&setup, g_ascii_strtoll(fixture_text(c->expected, "%s/steps", c->name), NULL, 10));

    const double loss = expected_real(&setup, "after.loss");
    check(&setup, "loss", fabs(measure(&setup, 0).loss - loss), loss);
    const NsTensorTable *table = setup.table;
    g_autofree double *signatures =
        fixture_elements(c->expected, SUMS * table->n, "%s/after", c->name);
    for (size_t t = 0; t < table->n; t++) {
        const NsTensor *tensor = &table->tensors[t];
        const ns_real *w = ns_model_weights(setup.model) + tensor->offset;
        /* Adam divides by the size of a gradient, so in single precision it walks along with the
         * rounding in one that is zero. */
        if (sizeof(ns_real) == sizeof(float) && is_key_bias(tensor->name)) continue;
        const double *signature = signatures + SUMS * setup.row[t];
        check_signature(&setup, tensor, w, signature, signature[0]);
    }
    setup_clear(&setup);
}

static Case *case_new(size_t arch, const char *name)
{
    Case *c = g_new(Case, 1);
    *c = (Case){
        .expected = &expected[arch], .arch = architectures[arch], .name = g_intern_string(name)};
    return c;
}

static void add_cases(size_t arch)
{
    g_auto(GStrv) names = g_strsplit(fixture_text(&expected[arch], "cases"), " ", -1);
    for (char **name = names; *name; name++) {
        g_autofree char *gradients =
            g_strdup_printf("/reference/%s/gradients/%s", architectures[arch], *name);
        g_test_add_data_func_full(gradients, case_new(arch, *name), test_gradients, g_free);
        if (!fixture_has_text(&expected[arch], "%s/steps", *name)) continue;
        g_autofree char *steps =
            g_strdup_printf("/reference/%s/steps/%s", architectures[arch], *name);
        g_test_add_data_func_full(steps, case_new(arch, *name), test_steps, g_free);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    fixture_open(&start, "start");
    for (size_t arch = 0; arch < G_N_ELEMENTS(architectures); arch++) {
        fixture_open(&expected[arch], architectures[arch]);
        add_cases(arch);
    }
    const int status = g_test_run();
    for (size_t arch = 0; arch < G_N_ELEMENTS(architectures); arch++)
        fixture_clear(&expected[arch]);
    fixture_clear(&start);
    return status;
}
