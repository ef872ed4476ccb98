/* The origin of a figure.  SPDX-License-Identifier: MIT
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

#include "core/experiment/experiment.h"

/* What a line begins with. */
#define NS_PROVENANCE_BEGIN "normscope="

/* Texts are owned; NULL where there is none. */
typedef struct {
    NsExperiment experiment; /* its title and what it hides are not in the line */
    char *version;           /* of the program that wrote it */
    int64_t step;     /* updates before the record that is shown; negative where it is not known */
    int64_t until;    /* updates that there were, where the run went on after it; 0 else */
    char *figure;     /* what is drawn: "loss,profile:token-cosine" */
    char *x, *y;      /* of a sweep: its columns and rows, "lr=0.001,0.01"; both or none */
    char *study;      /* of a figure of the paper: which, as the registry of studies has it */
    char *scale;      /* of a figure of the paper at its own scale: "paper" */
    char *options;    /* of such a figure, as given: "--set d-ff=64 --seeds 4" */
    char *study_text; /* of a figure of any other study: its lines, which say what varies */
    char *axes;       /* "linear" or "log" */
    char *smooth;     /* "none", "ema:0.9" or "mean:20" */
    char *theory;     /* "on" or "off" */
    char *heat;       /* "stacked" or "ratio": what heatmaps show of several lanes */
    char *names;      /* what lanes are called, "Post-LN;with warm-up"; their letters where blank */
    char *changes;    /* settings that were changed on the way, for people */
} NsProvenance;

/* The defaults, and step -1. */
void ns_provenance_init(NsProvenance *provenance);
void ns_provenance_clear(NsProvenance *provenance);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(NsProvenance, ns_provenance_clear)

/* The line, of this program's version.  It reads back to the same settings, bit for bit.  Free with
 * g_free. */
char *ns_provenance_line(const NsProvenance *provenance);

/* "A: placement=post, B: placement=pre, layers=12": the settings that differ from the defaults, for
 * people.  Free with g_free. */
char *ns_provenance_differences(const NsProvenance *provenance);

/* "layers=12 placement=pre seed=1, step 240, Normscope 0.1.0", "step 240 of 500" where the run went
 * on: the settings that differ from the defaults, for people; of several lanes "A: placement=post,
 * B: placement=pre, layers=12 ...".  Free with g_free. */
char *ns_provenance_caption(const NsProvenance *provenance);

/* Reads a line, setting by setting as ns_settings_set does.  The provenance is initialized;
 * settings that are not named stay, and so does the number of lanes where none is. NS_ERROR_SETTING
 * if a key is not known, which names the nearest and a program of another version that wrote it, if
 * a value cannot be used, if values do not go together, or if the text is no such line; the
 * provenance may then be changed in part. */
bool ns_provenance_read(NsProvenance *provenance, const char *line, GError **error);
