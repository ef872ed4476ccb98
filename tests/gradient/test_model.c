/* Whole models against finite differences, in double.  SPDX-License-Identifier: MIT */
#include "core/model/init.h"
#include "core/model/parameter_kind.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "tests/gradient/case.h"
#include "tests/gradient/check.h"

#include <math.h>

enum { ARCHS = NS_ARCH_ENCODER_DECODER + 1 };

static void check(const char *assignments, const NsPlacement *placement, int directions)
{
    NsCase c;
    ns_case_init(&c, assignments, placement);
    ns_case_stir(&c, 0.2);
    ns_case_check(&c, directions);
    ns_case_clear(&c);
}

static void test_settings(gconstpointer data)
{
    check(data, NULL, 2);
}

/* Every placement with every kind of norm, in one architecture; without `-m slow` each such pair in
 * one of the architectures. */
static void test_arch(gconstpointer data)
{
    const char *arch = data;
    size_t row = (size_t)ns_choices_find(ns_arch_choice, arch);
    for (size_t p = 0; ns_placement(p); p++)
        for (size_t n = 0; ns_norm(n); n++) {
            if (!g_test_slow() && (p + n) % ARCHS != row) continue;
            g_autofree char *assignments =
                g_strdup_printf("arch=%s placement=%s norm=%s", arch, ns_placement(p)->choice.key,
                                ns_norm(n)->choice.key);
            check(assignments, NULL, 1);
            if (g_test_failed()) {
                g_test_message("with %s", assignments);
                return;
            }
        }
}

static void test_everything(void)
{
    static const char *const archs[] = {"decoder", "encoder", "encoder-decoder"};
    const NsPlacement placement = {.choice = {.key = "test"},
                                   .final_norm = true,
                                   .embedding_norm = true,
                                   .dual_stream = true,
                                   .wire = ns_case_wire_everything};
    for (size_t k = 0; k < G_N_ELEMENTS(archs); k++)
        for (size_t n = 0; ns_norm(n); n++) {
            g_autofree char *assignments = g_strdup_printf(
                "arch=%s norm=%s activation=swiglu weight-standardization=on dropout=0.1", archs[k],
                ns_norm(n)->choice.key);
            check(assignments, &placement, 2);
        }
}

/* With dropout and stochastic depth: the noise is fixed by its numbers, so that the loss is a
 * function of the weights.  Shards do not change it. */
static void test_noise(gconstpointer data)
{
    g_autofree char *divided = g_strconcat(data, " threads=3", NULL);
    NsCase c, d;
    ns_case_init(&c, data, NULL);
    ns_case_init(&d, divided, NULL);
    c.noise = d.noise = (NsNoise){.training = true, .seed = 3, .step = 17};
    ns_case_stir(&c, 0.2);
    ns_case_stir(&d, 0.2);
    ns_case_check(&c, 2);
    double loss = ns_case_measure(&c).loss;
    g_assert_cmpfloat_with_epsilon(loss, ns_case_measure(&d).loss, 1e-12);
    c.noise.step++;
    g_assert_cmpfloat(fabs(loss - ns_case_measure(&c).loss), >, 1e-6);
    c.noise.training = false;
    loss = ns_case_measure(&c).nll;
    g_assert_cmpfloat_with_epsilon(loss, ns_model_loss(c.model, &c.batch), 1e-12);
    ns_case_clear(&c);
    ns_case_clear(&d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t k = 0; ns_arch_choice(k); k++) {
        const char *arch = ns_arch_choice(k)->key;
        g_autofree char *path = g_strdup_printf("/model/arch/%s", arch);
        g_test_add_data_func(path, arch, test_arch);
    }
    g_test_add_func("/model/everything", test_everything);
    static const char *const settings[] = {
        "placement=pre final-norm=off embedding-norm=on",
        "placement=post activation=gelu threads=3",
        "placement=pre activation=swiglu",
        "arch=encoder-decoder placement=pre activation=swiglu threads=3",
        "attention=uniform heads=1 d-ff=6 positions=none",
        "arch=encoder-decoder attention=uniform heads=1 placement=hybridnorm",
        "arch=encoder task=mlm placement=pre threads=2",
        "arch=encoder task=mlm embedding-norm=on tie-embeddings=on label-smoothing=0.1 z-loss=0.2",
        "arch=encoder attention=uniform heads=1 placement=subln norm=rmsnorm",
        "kv-heads=1 placement=pre activation=relu-squared threads=2",
        "heads=6 kv-heads=3 qk-norm=full placement=post",
        "arch=encoder-decoder heads=6 kv-heads=2 qk-norm=head norm=batchnorm",
        "arch=encoder-decoder kv-heads=1 placement=hybridnorm",
        "tie-embeddings=on placement=pre",
        "tie-layers=on layers=3 placement=post threads=2",
        "tie-layers=on arch=encoder-decoder layers=3 placement=hybridnorm "
        "weight-standardization=on",
        "arch=encoder-decoder tie-embeddings=on positions=sinusoidal scale-embeddings=on",
        "positions=sinusoidal placement=none",
        "positions=rotary d-model=12 heads=3 kv-heads=1 qk-norm=head placement=pre threads=2",
        "positions=rotary d-model=12 heads=3 placement=olmo2 arch=encoder-decoder",
        "positions=rotary d-model=12 heads=6 qk-norm=full norm=batchnorm arch=encoder",
        "qk-norm=head placement=pre norm=scalenorm",
        "qk-norm=full placement=pre norm=scalenorm",
        "qk-norm=full placement=post activation=gelu threads=2",
        "placement=olmo2 norm=dyt",
        "arch=encoder-decoder qk-norm=head norm=batchnorm",
        "arch=encoder-decoder qk-norm=full placement=pre",
        "arch=encoder-decoder placement=hybridnorm norm=batchnorm",
        "weight-standardization=on placement=pre",
        "arch=encoder-decoder weight-standardization=on activation=swiglu threads=2",
        "label-smoothing=0.1 z-loss=0.1 placement=pre",
        "mixture=post*1,b2t*1,pre*2,layerscale,rezero layers=5",
        "mixture=keel,olmo2,post,hybridnorm-star layers=4",
        "mixture=N(2x+0.5N(F(0.3N(x))))*2,0.7x+N(F(x)),N(x+N(F(x))) layers=4",
        "arch=encoder-decoder mixture=deepnorm,normformer,admin layers=3 decoder-layers=2",
        "arch=encoder-decoder layers=1 decoder-layers=3 placement=b2t",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autofree char *path = g_strdup_printf("/model/settings/%zu", i + 1);
        g_test_add_data_func(path, settings[i], test_settings);
    }
    g_test_add_data_func("/model/noise/dropout", "placement=pre dropout=0.3", test_noise);
    g_test_add_data_func("/model/noise/drop-path",
                         "arch=encoder-decoder drop-path=0.5 placement=post", test_noise);
    g_test_add_data_func("/model/noise/all",
                         "arch=encoder-decoder dropout=0.2 drop-path=0.4 label-smoothing=0.1 "
                         "placement=residual embedding-norm=on",
                         test_noise);
    return g_test_run();
}
