/* SPDX-License-Identifier: MIT */
#include "core/study/paper_axis.h"

#include "core/probe/token_snapshot.h"

unsigned ns_study_depths(const NsStudy *study)
{
    unsigned n = 0;
    while (n < NS_STUDY_DEPTHS && study->depths[n]) n++;
    return n;
}

static bool has_embedding(const NsStudy *study)
{
    return ns_quantity(study->quantity)->domain == NS_DOMAIN_HIDDEN;
}

size_t ns_study_points(const NsStudy *study, const NsSettings *settings)
{
    switch (study->kind) {
    case NS_STUDY_DEPTH:
        return ns_study_depths(study);
    case NS_STUDY_LAYER:
        return (size_t)settings->layers + has_embedding(study);
    case NS_STUDY_STEP:
        return (size_t)study->steps + 1;
    case NS_STUDY_TOKENS:
        return NS_TOKEN_SNAPSHOT_BINS;
    }
    return 0;
}

void ns_study_abscissae(const NsStudy *study, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        switch (study->kind) {
        case NS_STUDY_DEPTH:
            x[i] = study->depths[i];
            break;
        case NS_STUDY_LAYER:
            x[i] = (double)i + (has_embedding(study) ? 0 : 1);
            break;
        case NS_STUDY_STEP:
            x[i] = (double)i;
            break;
        case NS_STUDY_TOKENS:
            x[i] = (double)i * NS_TOKEN_SNAPSHOT_BIN;
            break;
        }
    }
}
