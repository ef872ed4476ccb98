/* SPDX-License-Identifier: MIT */
#include "core/study/paper_axis.h"

#include "core/probe/token_snapshot.h"

unsigned ns_paper_depths(const NsPaperStudy *study)
{
    unsigned n = 0;
    while (n < NS_PAPER_DEPTHS && study->depths[n]) n++;
    return n;
}

static bool has_embedding(const NsPaperStudy *study)
{
    return ns_quantity(study->quantity)->domain == NS_DOMAIN_HIDDEN;
}

size_t ns_paper_points(const NsPaperStudy *study, const NsSettings *settings)
{
    switch (study->kind) {
    case NS_PAPER_DEPTH:
        return ns_paper_depths(study);
    case NS_PAPER_LAYER:
        return (size_t)settings->layers + has_embedding(study);
    case NS_PAPER_STEP:
        return (size_t)study->steps + 1;
    case NS_PAPER_TOKENS:
        return NS_TOKEN_SNAPSHOT_BINS;
    }
    return 0;
}

void ns_paper_abscissae(const NsPaperStudy *study, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        switch (study->kind) {
        case NS_PAPER_DEPTH:
            x[i] = study->depths[i];
            break;
        case NS_PAPER_LAYER:
            x[i] = (double)i + (has_embedding(study) ? 0 : 1);
            break;
        case NS_PAPER_STEP:
            x[i] = (double)i;
            break;
        case NS_PAPER_TOKENS:
            x[i] = (double)i * NS_TOKEN_SNAPSHOT_BIN;
            break;
        }
    }
}
