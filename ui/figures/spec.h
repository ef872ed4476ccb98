/* Charts by name.  SPDX-License-Identifier: MIT
 *
 * "loss", "profile:token-cosine", "similarity:angle": a figure and what it shows.  Several names
 * are separated by commas; "all" means the figures of the overview. */
#pragma once

#include "ui/figures/figures.h"

#include <glib.h>

typedef struct {
    const NsFigureKind *kind;
    NsQuantity quantity;         /* subjects GRADIENT, HIDDEN and QUANTITY */
    NsSimilarityKind similarity; /* subject SIMILARITY */
    unsigned layer, head;        /* subject PLACE: "attention:3.2" is layer 3, head 2; 0: default */
} NsFigureSpec;

/* A figure with its default quantity. */
NsFigureSpec ns_figure_spec(const NsFigureKind *kind);

/* Appends the figures named in a text to an array of NsFigureSpec.  NS_ERROR_USAGE if a name is
 * unknown or a figure cannot show what the text requests. */
bool ns_figure_specs_read(GArray *specs, const char *text, GError **error);

/* The text of a figure, as read by ns_figure_specs_read.  Free with g_free. */
char *ns_figure_spec_text(const NsFigureSpec *spec);

/* Selects what a figure shows by its key; “wq” is short for “grad-wq”.  NS_ERROR_USAGE if the key
 * is unknown or the figure cannot show it. */
bool ns_figure_spec_show(NsFigureSpec *spec, const char *key, GError **error);

/* Whether it shows something that is measured every `probe-every` steps only. */
bool ns_figure_spec_is_expensive(const NsFigureSpec *spec);

/* The setting of the interval at which what it shows is measured; NULL: at every step. */
const char *ns_figure_spec_every(const NsFigureSpec *spec);

/* Sets the fields of the input that select what the figure shows. */
void ns_figure_spec_apply(const NsFigureSpec *spec, NsFigureInput *input);

/* The spec of a figure with this input. */
NsFigureSpec ns_figure_spec_of(const NsFigureKind *kind, const NsFigureInput *input);

/* Reads "none", "ema:0.9" (weight of the past) or "mean:20" (steps).  NS_ERROR_USAGE if the text is
 * none of these. */
bool ns_smoothing_read(NsSmoothing *smoothing, const char *text, GError **error);

/* The text of a smoothing, as read by ns_smoothing_read.  Free with g_free. */
char *ns_smoothing_text(NsSmoothing smoothing);
