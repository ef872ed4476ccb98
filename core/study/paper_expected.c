/* SPDX-License-Identifier: MIT */
#include "core/study/paper_expected.h"

#include "core/base/words.h"

#include <math.h>

static double *add(NsPaperResult *result, const char *label, const double *x, size_t n)
{
    NsPaperSeries *series = &result->series[result->n_series++];
    *series = (NsPaperSeries){.label = label, .theory = true, .n = n};
    series->x = g_memdup2(x, n * sizeof *x);
    series->y = g_new(double, n);
    return series->y;
}

/* A label such as "Pre-LN: (1 + l/2) d".  It is interned, because there are only a few. */
static const char *of_arm(const char *arm, const char *law)
{
    g_autofree char *words = g_strdup_printf("%s: %s", arm, law);
    return g_intern_string(words);
}

void ns_paper_claimed(const NsStudy *study, const NsClaim *claim, size_t *first, size_t *n)
{
    size_t encoder = (size_t)ns_settings_encoder_layers(&study->experiment.lane[0]);
    *first = claim->stack == NS_CLAIM_DECODER ? encoder : 0;
    *n = claim->stack == NS_CLAIM_ENCODER ? encoder : ns_paper_points(study) - *first;
}

void ns_paper_add_claim(NsPaperResult *result, const NsClaim *claim, const double *x, size_t n,
                        double size)
{
    const char *arm = result->study->arms[claim->arm % ns_paper_arms(result->study)].label;
    double *y, *upper, ratio;
    size_t before = result->n_series;
    size_t first = claim->kind == NS_CLAIM_UPPER ? n / 2 : 0; /* index of the first point */
    switch (claim->kind) {
    case NS_CLAIM_SLOPE:
        if (isnan(claim->expected)) return;
        /* The theorem states only the order of magnitude, so its curve is scaled to the measured
         * values. */
        y = add(result,
                claim->expected > 0   ? of_arm(arm, "∝ L")
                : claim->expected < 0 ? N_("Pre-LN: order of Theorem 1, L^{−1/2}")
                                      : N_("Post-LN: order of Theorem 1, L^0"),
                x, n);
        for (size_t i = 0; i < n; i++) y[i] = size * pow(x[i], claim->expected);
        break;
    case NS_CLAIM_GROWTH:
        y = add(result, of_arm(arm, "(1 + l/2) d"), x, n);
        upper = add(result, of_arm(arm, "(1 + 3l/2) d"), x, n);
        for (size_t i = 0; i < n; i++) {
            y[i] = size + claim->lo * x[i];
            upper[i] = size + claim->hi * x[i];
        }
        break;
    case NS_CLAIM_EVEN:
        y = add(result, arm, x, n);
        for (size_t i = 0; i < n; i++) y[i] = size;
        break;
    case NS_CLAIM_SPREAD:
        y = add(result, of_arm(arm, "d"), x, n);
        for (size_t i = 0; i < n; i++) y[i] = size;
        break;
    case NS_CLAIM_RATIO:
    case NS_CLAIM_TREND:
    case NS_CLAIM_UPPER: /* geometric growth up to the expected ratio, or to the lower bound */
        ratio = !isnan(claim->expected) ? claim->expected : MAX(claim->lo, 1.0);
        n -= first;
        y = add(result, arm, x + first, n);
        for (size_t i = 0; i < n; i++) y[i] = size * pow(ratio, (double)i / (double)(n - 1));
        break;
    case NS_CLAIM_END:
    case NS_CLAIM_FACTOR:
    case NS_CLAIM_EVERY:
    case NS_CLAIM_LAST:
    case NS_CLAIM_SOONER:
    case NS_CLAIM_GAIN:
    case NS_CLAIM_REACH:
    case NS_CLAIM_BEND:
    case NS_CLAIM_BEYOND:
        break;
    }
    for (size_t i = before; i < result->n_series; i++) result->series[i].result = claim->result;
}

NsPaperResult *ns_paper_expected(const NsPaperStudy *study)
{
    NsPaperResult *result = g_new0(NsPaperResult, 1);
    g_atomic_ref_count_init(&result->refs);
    result->study = study;
    g_auto(NsStudy) made;
    ns_paper_make(study, &made, NULL);
    size_t n = ns_paper_points(&made);
    g_autofree double *x = g_new(double, n);
    ns_paper_abscissae(&made, x, n);
    for (unsigned i = 0; i < ns_paper_claims(study); i++) {
        size_t first, points;
        ns_paper_claimed(&made, &study->claims[i], &first, &points);
        ns_paper_add_claim(result, &study->claims[i], x + first, points, 1.0);
    }
    return result;
}
