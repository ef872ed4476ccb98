/* What a figure says of where it comes from.  SPDX-License-Identifier: MIT
 *
 * Inside every figure is one line of shell words,
 *
 *     normscope=0.1.0 figure=loss step=240 arch=decoder placement=pre ...
 *
 * with every setting, so that the experiment can be repeated from the picture alone.  A preset says
 * the same by hand, in lines of "key = value" with # before comments. */
#pragma once

#include "core/model/settings.h"

/* Texts are owned; NULL where there is none. */
typedef struct {
    NsSettings settings;
    bool preset;   /* read from lines of "key = value" */
    char *version; /* of the program that wrote it */
    int64_t step;  /* updates before the record that is shown; negative where it is not known */
    char *figure;  /* what is drawn: "loss,profile:token-cosine" */
    char *axes;    /* "linear" or "log" */
    char *smooth;  /* "none", "ema:0.9" or "mean:20" */
    char *theory;  /* "on" or "off" */
    char *changes; /* settings that were changed on the way, for people */
    char *unknown; /* keys that were read and mean nothing here, for people */
} NsExperiment;

/* The defaults, and step -1. */
void ns_experiment_init(NsExperiment *experiment);
void ns_experiment_clear(NsExperiment *experiment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsExperiment, ns_experiment_clear)

/* The line, of this program's version.  It reads back to the same settings, bit for bit.  Free with
 * g_free. */
char *ns_experiment_line(const NsExperiment *experiment);

/* "layers=12 placement=pre seed=1, step 240, Normscope 0.1.0": the settings that differ from the
 * defaults, for people.  Free with g_free. */
char *ns_experiment_caption(const NsExperiment *experiment);

/* The settings that differ from the defaults as a preset, which begins with a comment for each line
 * of `comment` (may be NULL).  Free with g_free. */
char *ns_experiment_preset(const NsExperiment *experiment, const char *comment);

/* Reads a line or a preset.  The experiment is initialised; settings that are not named stay.  A
 * key that is not known is noted in `unknown`.  NS_ERROR_SETTING if a value cannot be used, if
 * values do not go together, or if the text is neither; the experiment may then be changed in part.
 */
bool ns_experiment_read(NsExperiment *experiment, const char *text, GError **error);

/* Whether a text has the form of a preset: nothing but comments and lines of "key = value", of
 * which the first names a setting. */
bool ns_experiment_is_preset(const char *text, size_t size);
