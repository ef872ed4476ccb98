/* Charts by name.  SPDX-License-Identifier: MIT
 *
 * "loss", "profile:token-cosine", "similarity:angle": a figure and what it shows.  Several are
 * separated by commas; "all" is short for those of the overview. */
#pragma once

#include "ui/figures/figures.h"

#include <glib.h>

typedef struct {
    const NsFigureKind *kind;
    NsQuantity quantity;         /* subjects GRADIENT, HIDDEN and QUANTITY */
    NsSimilarityKind similarity; /* subject SIMILARITY */
    unsigned layer, head; /* subject PLACE: "attention:3.2" is layer 3, head 2; 0 as in the input */
} NsFigureSpec;

/* A figure with what it shows unless told. */
NsFigureSpec ns_figure_spec(const NsFigureKind *kind);

/* Appends the figures that a text names to an array of NsFigureSpec.  NS_ERROR_USAGE names what is
 * not known, or what a figure cannot show. */
bool ns_figure_specs_read(GArray *specs, const char *text, GError **error);

/* The text of specs, which ns_figure_specs_read reads again.  Free with g_free. */
char *ns_figure_specs_text(const NsFigureSpec *specs, size_t n);

/* "profile-token-cosine": a word that is unique to the i-th of several specs, for the name of a
 * file.  Free with g_free. */
char *ns_figure_specs_word(const NsFigureSpec *specs, size_t i);

/* Chooses what a figure shows by its key; “wq” is short for “grad-wq”.  NS_ERROR_USAGE if there is
 * no such quantity, or the figure cannot show it. */
bool ns_figure_spec_show(NsFigureSpec *spec, const char *key, GError **error);

/* Whether it is of a quantity or a similarity that is measured now and then only. */
bool ns_figure_spec_is_expensive(const NsFigureSpec *spec);

/* Puts what it shows into the input of the figure. */
void ns_figure_spec_apply(const NsFigureSpec *spec, NsFigureInput *input);

/* What the input of a figure says of what it shows. */
NsFigureSpec ns_figure_spec_of(const NsFigureKind *kind, const NsFigureInput *input);

/* "none", "ema:0.9" (the weight of the past), "mean:20" (steps).  NS_ERROR_USAGE says so. */
bool ns_smoothing_read(NsSmoothing *smoothing, const char *text, GError **error);

/* The text of a smoothing, which ns_smoothing_read reads again.  Free with g_free. */
char *ns_smoothing_text(NsSmoothing smoothing);
