/* What a figure says of where it comes from.  SPDX-License-Identifier: MIT
 *
 * Inside every figure is one line of shell words,
 *
 *     normscope=0.1.0 figure=loss step=240 arch=decoder placement=pre ...
 *
 * with every setting, so that the experiment can be repeated from the picture alone.  A preset
 * (core/store/preset.h) says the same by hand.
 *
 * Of several lanes, the settings are those of the first, and a word for every lane says what is
 * special about it: lane=placement=post lane='placement=pre warmup=1'.  Who does not know of lanes
 * repeats the first. */
#pragma once

#include "core/settings/settings.h"

/* What a line begins with. */
#define NS_EXPERIMENT_BEGIN "normscope="

/* Texts are owned; NULL where there is none. */
typedef struct {
    NsSettings settings;       /* of the only lane; of several, what they are changes of */
    char *lanes[NS_LANES_MAX]; /* each as ns_settings_assign_all reads it */
    size_t n_lanes;            /* 0: there is one, without words of its own */
    char *version;             /* of the program that wrote it */
    int64_t step;  /* updates before the record that is shown; negative where it is not known */
    int64_t until; /* updates that there were, where the run went on after it; 0 else */
    char *figure;  /* what is drawn: "loss,profile:token-cosine" */
    char *x, *y;   /* of a sweep: its columns and rows, "lr=0.001,0.01"; both or none */
    char *seeds;   /* of a mean over several: how many, from setting seed upwards; NULL: one */
    char *study;   /* of a figure of the paper: which, as the registry of studies has it */
    char *axes;    /* "linear" or "log" */
    char *smooth;  /* "none", "ema:0.9" or "mean:20" */
    char *theory;  /* "on" or "off" */
    char *heat;    /* "stacked" or "ratio": what heatmaps show of several lanes */
    char *changes; /* settings that were changed on the way, for people */
} NsExperiment;

/* The defaults, and step -1. */
void ns_experiment_init(NsExperiment *experiment);
void ns_experiment_clear(NsExperiment *experiment);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsExperiment, ns_experiment_clear)

/* Puts the settings of n lanes, 1 to NS_LANES_MAX, in place of those there are. */
void ns_experiment_set_lanes(NsExperiment *experiment, const NsSettings *const *lanes, size_t n);

/* The settings of a lane, from 0 and below MAX(n_lanes, 1); `settings` is not initialised. */
void ns_experiment_lane(const NsExperiment *experiment, size_t lane, NsSettings *settings);

/* The line, of this program's version.  It reads back to the same settings, bit for bit.  Free with
 * g_free. */
char *ns_experiment_line(const NsExperiment *experiment);

/* "layers=12 placement=pre seed=1, step 240, Normscope 0.1.0", "step 240 of 500" where the run went
 * on: the settings that differ from the
 * defaults, for people; of several lanes "A: placement=post, B: placement=pre, layers=12 ...". Free
 * with g_free. */
char *ns_experiment_caption(const NsExperiment *experiment);

/* Reads a line.  The experiment is initialised; settings that are not named stay, and so do the
 * lanes where none is.  NS_ERROR_SETTING if a key is not known, which names the nearest and a
 * program of another version that wrote it, if a value cannot be used, if values do not go
 * together, or if the text is no such line; the experiment may then be changed in part. */
bool ns_experiment_read(NsExperiment *experiment, const char *line, GError **error);
