/* The origin of a figure.  SPDX-License-Identifier: MIT
 *
 * Every figure contains one line of shell words,
 *
 *     normscope=0.1.0 figure=loss step=240 arch=decoder placement=pre ...
 *
 * with all settings, so that the experiment can be repeated from the image alone.  A preset
 * (core/store/preset.h) contains the same, written by hand.
 *
 * If there are several lanes, the settings are those of the first, and a word for each lane lists
 * its differences: lane=placement=post lane='placement=pre warmup=1'.  A program that does not
 * support lanes repeats the first. */
#pragma once

#include "core/experiment/experiment.h"

/* The beginning of a line. */
#define NS_PROVENANCE_BEGIN "normscope="

/* Texts are owned; NULL if absent. */
typedef struct {
    NsExperiment experiment; /* its title and hidden parts are not in the line */
    char *version;           /* version of the program that wrote it */
    int64_t step;            /* number of updates before the record shown; negative if unknown */
    int64_t until;    /* total number of updates if the run continued after it; otherwise 0 */
    char *figure;     /* the charts: "loss,profile:token-cosine" */
    char *x, *y;      /* columns and rows of a sweep, "lr=0.001,0.01"; both or none */
    char *study;      /* for a figure of the paper: its key in the registry of studies */
    char *scale;      /* "paper" for a figure of the paper at its original scale */
    char *options;    /* the options given for such a figure: "--set d-ff=64 --seeds 4" */
    char *study_text; /* the text of any other study, which defines what varies */
    char *axes;       /* "linear" or "log" */
    char *smooth;     /* "none", "ema:0.9" or "mean:20" */
    char *theory;     /* "on" or "off" */
    char *heat;       /* "stacked" or "ratio": how heatmaps show several lanes */
    char *names;      /* names of lanes, "Post-LN;with warm-up"; a blank means the letter */
    char *changes;    /* settings changed during the run, as text for the user */
} NsProvenance;

/* Initializes the default settings, and step -1. */
void ns_provenance_init(NsProvenance *provenance);
void ns_provenance_clear(NsProvenance *provenance);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsProvenance, ns_provenance_clear)

/* The line of a provenance, with the version of this program.  It reads back to the same settings,
 * bit for bit.  Free with g_free. */
char *ns_provenance_line(const NsProvenance *provenance);

/* The settings that differ from the defaults as text for the user: "A: placement=post, B:
 * placement=pre, layers=12".  Free with g_free. */
char *ns_provenance_differences(const NsProvenance *provenance);

/* The caption of a figure: ns_provenance_differences, seed, step and version, as in "layers=12
 * placement=pre seed=1, step 240, Normscope 0.1.0", or with "step 240 of 500" if the run continued.
 * Free with g_free. */
char *ns_provenance_caption(const NsProvenance *provenance);

/* Reads a line into an initialized provenance, setting by setting as ns_settings_set does.
 * Settings that are not in the line keep their values, and so does the number of lanes if the line
 * has none.  NS_ERROR_SETTING if a key is unknown (the message names the nearest key, and the
 * version of the program that wrote the line if it is another one), a value is invalid, values
 * conflict, or the text is not such a line; the provenance may then be partly changed. */
bool ns_provenance_read(NsProvenance *provenance, const char *line, GError **error);
