/* The settings varied by a study or a sweep.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

#define NS_STUDY_VALUES 64 /* maximum number on an axis */

/* Whether a setting can be on an axis.  Texts cannot, and neither can settings that determine how
 * runs are made (steps, seeds, threads, how often to measure), because the study itself sets
 * these. */
bool ns_study_can_vary(const NsParam *param);

/* A setting and the values that it takes. */
typedef struct {
    const NsParam *param;
    char **values; /* [n], NULL-terminated; as text for ns_settings_set */
    size_t n;
} NsStudyAxis;

/* Reads an axis into `axis`, which need not be initialized.  "lr=1e-4:1e-1:7" means 7 values from
 * the first to the last.  They are spaced logarithmically if the setting's slider is logarithmic
 * and both ends are positive, otherwise linearly; a fourth word can choose this:
 * "lr=1e-3:5e-3:5:linear", "dropout=0.01:0.1:3:log".  Values are rounded to three digits, or to
 * whole numbers if the setting has these.  Lists are "warmup=1,10,100" or "placement=post,pre".
 * NS_ERROR_SETTING. */
bool ns_study_axis_read(NsStudyAxis *axis, const char *text, GError **error);
void ns_study_axis_clear(NsStudyAxis *axis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStudyAxis, ns_study_axis_clear)

/* The text of an axis, "lr=0.0001,0.00316,0.1", which reads back to the same values.  Free with
 * g_free. */
char *ns_study_axis_text(const NsStudyAxis *axis);

/* A setting that every draw of a random search samples independently. */
typedef struct {
    const NsParam *param;
    double from, to;   /* the ends of a range */
    bool log;          /* sampled log-uniformly instead of uniformly */
    NsStudyAxis among; /* if not empty: one of these, equally likely, instead */
} NsStudyDistribution;

/* Reads "lr=1e-4:1e-1", with an optional third word as for an axis, or "placement=post,pre".  The
 * distribution need not be initialized.  NS_ERROR_SETTING. */
bool ns_study_distribution_read(NsStudyDistribution *distribution, const char *text,
                                GError **error);
void ns_study_distribution_clear(NsStudyDistribution *distribution);

/* The text of a distribution, "lr=0.0001:0.1:log", which reads back to the same.  Free with
 * g_free. */
char *ns_study_distribution_text(const NsStudyDistribution *distribution);

/* The value of a draw, which depends only on the distribution, the seed and the number of the draw.
 * Real numbers have four digits.  Free with g_free. */
char *ns_study_distribution_draw(const NsStudyDistribution *distribution, uint64_t seed,
                                 size_t draw);
