/* Figures typeset by TeX.  SPDX-License-Identifier: MIT */
#include "core/store/output_file.h"
#include "support.h"
#include "ui/plot/export.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

static char *folder;

static char *path_of(const char *name)
{
    return g_build_filename(folder, name, NULL);
}

/* The output of a TeX or poppler program that runs in the folder of the tests. */
static char *output_of(const char *const *arguments)
{
    char *output = NULL;
    int status = -1;
    g_spawn_sync(folder, (char **)(uintptr_t)arguments, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                 &output, NULL, &status, NULL);
    g_assert_cmpint(status, ==, 0);
    return output;
}

static void remove_files(void)
{
    static const char *const made[] = {"figure.tex", "figure.log", "figure.aux", "figure.pdf"};
    for (size_t i = 0; i < G_N_ELEMENTS(made); i++) {
        g_autofree char *each = path_of(made[i]);
        g_unlink(each);
    }
}

static bool can_typeset(void)
{
    static const char *const needed[] = {"pdflatex", "pdftotext"};
    for (size_t i = 0; i < G_N_ELEMENTS(needed); i++) {
        g_autofree char *path = g_find_program_in_path(needed[i]);
        if (!path) g_test_skip("pdflatex (texlive-pictures) or pdftotext is not installed");
        if (!path) return false;
    }
    return true;
}

/* In TeX's wider fonts, too, all text of a narrow figure is on its page. */
static void check_words(const NsPlot *plot, const char *last)
{
    NsExport how = {
        .format = NS_FORMAT_TEX, .style = ns_style_find("paper"), .width = 249.449, .height = 211};
    g_autofree char *path = path_of("figure.tex");
    g_assert_true(ns_export(&plot, 1, &how, path, NULL));
    g_free(output_of((const char *const[]){"pdflatex", "-interaction=nonstopmode", "-halt-on-error",
                                           "figure.tex", NULL}));
    g_autofree char *boxes =
        output_of((const char *const[]){"pdftotext", "-bbox", "figure.pdf", "-", NULL});
    remove_files();
    bool seen = false;
    double x0, y0, x1, y1;
    char word[32];
    for (const char *at = boxes; (at = strstr(at, "<word ")); at++) {
        g_assert_cmpint(sscanf(at,
                               "<word xMin=\"%lf\" yMin=\"%lf\" xMax=\"%lf\" yMax=\"%lf\">"
                               "%31[^<]",
                               &x0, &y0, &x1, &y1, word),
                        ==, 5);
        g_assert_cmpfloat(x0, >=, 0);
        g_assert_cmpfloat(y0, >=, 0);
        g_assert_cmpfloat(x1, <=, how.width);
        g_assert_cmpfloat(y1, <=, how.height);
        seen |= g_str_equal(word, last);
    }
    g_assert_true(seen);
}

static void test_tex_words(void)
{
    if (!can_typeset()) return;
    static const char *const names[] = {"A Post-LN",
                                        "B Pre-LN",
                                        "C without norms",
                                        "D DeepNorm",
                                        "A paper's factor (2/3)^{(L−l)/2}",
                                        "B paper: the same in every layer",
                                        "C theory: the product of all the matrices",
                                        "D paper: the same in every layer"};
    static const double x[] = {1, 2, 3}, y[] = {0.01, 0.1, 1};
    NsSeries series[G_N_ELEMENTS(names)];
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++)
        series[i] = (NsSeries){.label = names[i],
                               .kind = NS_SERIES_POINTS,
                               .style = i % 4,
                               .theory = i > 3,
                               .x = x,
                               .y = y,
                               .n = G_N_ELEMENTS(x)};
    NsPlot plot = {.title = "Gradient norm of W_2",
                   .subtitle = "A Post-LN; B Pre-LN; C without norms; D DeepNorm; 6 layers, step",
                   .note = "Faint lines: step 0.  The paper's factor is of the order of magnitude "
                           "at initialization, through the last layer as measured at step 0.  It "
                           "is the norms' part of an upper bound; the feed-forward networks make "
                           "up for it, so that measured gradients fall less by this much.",
                   .x = axis("layer", NULL, NS_SCALE_LINEAR, true),
                   .left = axis("norm", NULL, NS_SCALE_LOG, false),
                   .series = series};
    for (plot.n_series = 4; plot.n_series <= G_N_ELEMENTS(names); plot.n_series += 4)
        check_words(&plot, "much.");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    folder = g_dir_make_tmp("normscope-tex-XXXXXX", NULL);
    g_test_add_func("/tex/words", test_tex_words);
    int status = g_test_run();
    g_rmdir(folder);
    g_free(folder);
    return status;
}
