/* The settings that a study or a sweep varies.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/experiment/param.h"

#define NS_STUDY_VALUES 64 /* on an axis, at the most */

/* Whether a setting can be on an axis: not where it is a text, or tells how runs are made rather
 * than what they are, for that is the study's own. */
bool ns_study_can_vary(const NsParam *param);

/* A setting and the values that it takes. */
typedef struct {
    const NsParam *param;
    char **values; /* [n], NULL after the last; as ns_settings_set reads them */
    size_t n;
} NsStudyAxis;

/* Reads "lr=1e-4:1e-1:7", so many values from the first to the last, in equal factors where the
 * setting's slider is logarithmic and both are positive, else in equal steps, or as a fourth word
 * says: "lr=1e-3:5e-3:5:linear", "dropout=0.01:0.1:3:log"; rounded to three
 * digits and to whole numbers where the setting has them; or "warmup=1,10,100" or
 * "placement=post,pre".  The axis need not be initialized.  NS_ERROR_SETTING. */
bool ns_study_axis_read(NsStudyAxis *axis, const char *text, GError **error);
void ns_study_axis_clear(NsStudyAxis *axis);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsStudyAxis, ns_study_axis_clear)

/* "lr=0.0001,0.00316,0.1", which reads back to the same values.  Free with g_free. */
char *ns_study_axis_text(const NsStudyAxis *axis);

/* A setting that every draw of a random search chooses anew. */
typedef struct {
    const NsParam *param;
    double from, to;   /* uniform between these, */
    bool log;          /* or with a uniform logarithm; */
    NsStudyAxis among; /* or one of these, all as likely, where there are any */
} NsStudyDistribution;

/* Reads "lr=1e-4:1e-1", with a third word as for an axis, or "placement=post,pre".  The
 * distribution need not be initialized.  NS_ERROR_SETTING. */
bool ns_study_distribution_read(NsStudyDistribution *distribution, const char *text,
                                GError **error);
void ns_study_distribution_clear(NsStudyDistribution *distribution);

/* "lr=0.0001:0.1:log", which reads back to the same.  Free with g_free. */
char *ns_study_distribution_text(const NsStudyDistribution *distribution);

/* The value of a draw, which depends on nothing but the distribution, the seed and its number; of
 * numbers four digits.  Free with g_free. */
char *ns_study_distribution_draw(const NsStudyDistribution *distribution, uint64_t seed,
                                 size_t draw);
