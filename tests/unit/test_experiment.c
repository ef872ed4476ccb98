/* Experiments as lines and inside figures.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/store/figure_file.h"
#include "core/store/preset.h"
#include "tests/unit/support.h"

#include <string.h>

/* Values that need quotes, and numbers with all their digits. */
static const char *const ASSIGNMENTS[] = {
    "placement=pre", "layers=12",  "lr=0.0012345678901234567", "text=/tmp/a b's \"c\" $d; é # = \\",
    "task=copy",     "seed=12345", "mixture=post*3,pre*9",     "eps=1e-300",
};

static void fill(NsProvenance *provenance)
{
    ns_provenance_init(provenance);
    for (size_t i = 0; i < G_N_ELEMENTS(ASSIGNMENTS); i++)
        g_assert_true(ns_settings_assign(&provenance->experiment.lane[0], ASSIGNMENTS[i], NULL));
    provenance->step = 240;
    provenance->figure = g_strdup("loss,profile:token-cosine");
    provenance->x = g_strdup("lr=0.001,0.01");
    provenance->y = g_strdup("placement=post,pre");
    provenance->study = g_strdup("depth");
    provenance->scale = g_strdup("paper");
    provenance->options = g_strdup("--set d-ff=16 --seeds 2");
    provenance->axes = g_strdup("linear");
    provenance->changes = g_strdup("step 40: lr 0.003 → 0.001");
}

static void assert_same_settings(const NsSettings *a, const NsSettings *b)
{
    g_autofree char *one = ns_settings_line(a, true), *other = ns_settings_line(b, true);
    g_assert_cmpstr(one, ==, other);
}

static void assert_same(const NsProvenance *a, const NsProvenance *b)
{
    assert_same_settings(&a->experiment.lane[0], &b->experiment.lane[0]);
    g_assert_cmpint(a->step, ==, b->step);
    g_assert_cmpstr(a->figure, ==, b->figure);
    g_assert_cmpstr(a->x, ==, b->x);
    g_assert_cmpstr(a->y, ==, b->y);
    g_assert_cmpstr(a->study, ==, b->study);
    g_assert_cmpstr(a->scale, ==, b->scale);
    g_assert_cmpstr(a->options, ==, b->options);
    g_assert_cmpstr(a->axes, ==, b->axes);
    g_assert_cmpstr(a->changes, ==, b->changes);
}

static void test_line(void)
{
    g_auto(NsProvenance) written, read;
    fill(&written);
    g_autofree char *line = ns_provenance_line(&written);
    g_assert_true(g_str_has_prefix(line, "normscope=" NS_VERSION " figure="));
    ns_provenance_init(&read);
    g_autoptr(GError) error = NULL;
    g_assert_true(ns_provenance_read(&read, line, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(read.version, ==, NS_VERSION);
    assert_same(&written, &read);
    g_autofree char *again = ns_provenance_line(&read);
    g_assert_cmpstr(again, ==, line);
}

/* A comment of TeX ends with its line. */
static void test_one_line(void)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_settings_set(&provenance.experiment.lane[0], "text", "a\n\\input{b}\r", NULL));
    g_autofree char *line = ns_provenance_line(&provenance);
    g_assert_null(strpbrk(line, "\r\n"));
}

/* Of a task and a text the last word counts, as everywhere; a text without a task is learned. */
static void test_last_word(void)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_provenance_read(&provenance, "normscope=1 text=book.txt task=copy", NULL));
    const NsParam *task = ns_param_find("task");
    g_autofree char *key = ns_settings_get(&provenance.experiment.lane[0], task);
    g_assert_cmpstr(key, ==, "copy");
    g_assert_true(ns_provenance_read(&provenance, "normscope=1 text=book.txt", NULL));
    g_autofree char *chosen = ns_settings_get(&provenance.experiment.lane[0], task);
    g_assert_cmpstr(chosen, ==, "text");
}

/* Keys that are not named keep what they had; one of a newer program is an error that says so. */
static void test_unknown_keys(void)
{
    g_auto(NsProvenance) read;
    ns_provenance_init(&read);
    g_assert_true(ns_settings_assign(&read.experiment.lane[0], "layers=3", NULL));
    g_assert_true(ns_provenance_read(&read, "normscope=9 warmup=100 lr=0.5", NULL));
    g_assert_cmpint(read.experiment.lane[0].layers, ==, 3);
    g_assert_cmpint(read.experiment.lane[0].warmup, ==, 100);
    g_assert_cmpfloat(read.experiment.lane[0].lr, ==, 0.5);
    g_autoptr(GError) error = NULL;
    g_assert_false(ns_provenance_read(&read, "normscope=9 beta9=1", &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_assert_cmpstr(error->message, ==,
                    "There is no setting “beta9”, written by Normscope 9; did you mean "
                    "“beta1”?");
}

/* The settings of two lanes of which the second has these. */
static void set_two(NsExperiment *experiment, const char *second)
{
    NsSettings other;
    ns_settings_copy(&other, &experiment->lane[0]);
    g_assert_true(ns_settings_assign_all(&other, second, NULL));
    const NsSettings *lanes[] = {&experiment->lane[0], &other};
    ns_experiment_set_lanes(experiment, lanes, 2);
    ns_settings_clear(&other);
}

static void assert_lane(const NsExperiment *experiment, size_t lane, const char *assignment)
{
    NsSettings expected;
    ns_settings_copy(&expected, &experiment->lane[lane]);
    g_assert_true(ns_settings_assign(&expected, assignment, NULL));
    assert_same_settings(&experiment->lane[lane], &expected);
    ns_settings_clear(&expected);
}

static void assert_words(const NsExperiment *experiment, size_t lane, const char *expected)
{
    g_autofree char *words = ns_experiment_lane_words(experiment, lane);
    g_assert_cmpstr(words, ==, expected);
}

static void test_lanes(void)
{
    g_auto(NsProvenance) provenance, read;
    g_autoptr(GError) error = NULL;
    ns_provenance_init(&provenance);
    ns_provenance_init(&read);
    g_assert_true(ns_settings_assign_all(&provenance.experiment.lane[0],
                                         "placement=post layers=12 warmup=7", NULL));
    set_two(&provenance.experiment, "placement=pre warmup=100");
    g_assert_cmpuint(provenance.experiment.n, ==, 2);
    assert_words(&provenance.experiment, 1, "placement=pre warmup=100");

    g_autofree char *line = ns_provenance_line(&provenance);
    g_assert_true(ns_provenance_read(&read, line, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(read.experiment.n, ==, 2);
    assert_lane(&read.experiment, 0, "placement=post");
    assert_lane(&read.experiment, 0, "warmup=7");
    assert_lane(&read.experiment, 1, "placement=pre");
    assert_lane(&read.experiment, 1, "warmup=100");
    assert_lane(&read.experiment, 1, "layers=12");

    g_autofree char *caption = ns_provenance_caption(&provenance);
    g_assert_true(g_str_has_prefix(caption, "A: placement=post warmup=7, B: placement=pre "
                                            "warmup=100, layers=12 seed="));

    /* What a file without lanes says leaves them alone, and one lane is no special one. */
    g_assert_true(ns_provenance_read(&read, "normscope=1 seed=4", &error));
    g_assert_cmpuint(read.experiment.n, ==, 2);
    const NsSettings *one[] = {&read.experiment.lane[0]};
    ns_experiment_set_lanes(&read.experiment, one, 1);
    g_autofree char *alone = ns_provenance_line(&read);
    g_assert_null(strstr(alone, "lane="));

    static const char *const refused[] = {
        "normscope=1 lane=layers=none", "normscope=1 lane=heads=3", "normscope=1 lane=\"'open\"",
        "normscope=1 lane=a=1", "normscope=1 lane= lane= lane= lane= lane="};
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_assert_false(ns_provenance_read(&read, refused[i], &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_clear_error(&error);
    }
}

static void test_refused(void)
{
    static const char *const bad[] = {
        "normscope=1 layers=0",
        "normscope=1 layers='3",
        "normscope=1 layers",
        "normscope=1 step=-1",
        "normscope=1 step=many",
        "normscope=1 until=later",
        "normscope=1 placement=sideways",
        "normscope=1 heads=3",
        "normscope=1 =3",
        "just words",
        "",
        "'",
        "normscope=1 lr=nan",
        "normscope=1 task=text",
        "normscope=1 mixture=post*x",
        "normscope=1 layers=\xff\n",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_auto(NsProvenance) provenance;
        ns_provenance_init(&provenance);
        g_autoptr(GError) error = NULL;
        if (ns_provenance_read(&provenance, bad[i], &error)) g_error("“%s” was read", bad[i]);
        g_assert_cmpint(error->domain, ==, NS_ERROR);
        g_assert_true(g_str_has_suffix(error->message, "."));
    }
}

static void test_caption(void)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_settings_assign(&provenance.experiment.lane[0], "layers=12", NULL));
    provenance.step = 7;
    g_autofree char *caption = ns_provenance_caption(&provenance);
    g_assert_cmpstr(caption, ==, "layers=12 seed=1, step 7, Normscope " NS_VERSION);
    g_assert_true(ns_settings_assign(&provenance.experiment.lane[0], "seeds=5", NULL));
    g_autofree char *of_several = ns_provenance_caption(&provenance);
    g_assert_cmpstr(of_several, ==, "layers=12 seeds=5 seed=1, step 7, Normscope " NS_VERSION);
    /* Of identical lanes only the names say anything. */
    ns_experiment_resize(&provenance.experiment, 2, 0);
    g_autofree char *unnamed = ns_provenance_differences(&provenance);
    g_assert_cmpstr(unnamed, ==, "layers=12 seeds=5");
    provenance.names = g_strdup(";Twin");
    g_autofree char *named = ns_provenance_differences(&provenance);
    g_assert_cmpstr(named, ==, "Twin, layers=12 seeds=5");
}

/* ---- files ---- */

#define LINE "normscope=1 text='a (b) \\ & <c>, \"d\" \xc3\xa9' layers=3"

static void assert_found(const char *bytes, size_t size, const char *expected)
{
    g_autofree char *text = NULL;
    /* A copy of exactly that size, so that a sanitizer sees every byte read too many. */
    g_autofree char *copy = g_memdup2(bytes, size);
    g_assert_cmpint(ns_figure_file_find(copy, size, &text), ==, NS_FILE_FIGURE);
    g_assert_cmpstr(text, ==, expected);
}

static void assert_found_text(const char *bytes, const char *expected)
{
    assert_found(bytes, strlen(bytes), expected);
}

static void add_chunk(GByteArray *png, const char *type, const char *data, size_t size)
{
    guint32 big = GUINT32_TO_BE((guint32)size);
    g_byte_array_append(png, (const guint8 *)&big, 4);
    g_byte_array_append(png, (const guint8 *)type, 4);
    g_byte_array_append(png, (const guint8 *)data, (guint)size);
    g_byte_array_append(png, (const guint8 *)"\0\0\0", 4);
}

static void test_png(void)
{
    static const char utf8[] = "Experiment\0\0\0\0\0" LINE;
    static const char packed[] = "Experiment\0\1\0\0\0xxxxxxxx", other[] = "Author\0normscope=1 me";
    g_autoptr(GByteArray) png = g_byte_array_new();
    g_byte_array_append(png, (const guint8 *)"\x89PNG\r\n\x1a\n", 8);
    add_chunk(png, "IHDR", "0123456789012", 13);
    add_chunk(png, "tEXt", other, sizeof other - 1);
    add_chunk(png, "iTXt", packed, sizeof packed - 1);
    assert_found((const char *)png->data, png->len, NULL);
    guint without = png->len;
    add_chunk(png, "iTXt", utf8, sizeof utf8 - 1);
    assert_found((const char *)png->data, png->len, LINE);
    /* Every place where the file may have been cut. */
    for (guint size = 8; size < png->len; size++) assert_found((const char *)png->data, size, NULL);
    /* A chunk that claims to be larger than the file, or as large as a number can be. */
    for (int i = 0; i < 4; i++) png->data[without + (guint)i] = 0xff;
    assert_found((const char *)png->data, png->len, NULL);
    png->data[without] = 0;
    assert_found((const char *)png->data, png->len, NULL);
}

static void test_svg(void)
{
    assert_found_text(
        "<?xml version='1.0'?>\n<svg>\n<metadata>normscope=1 text=&apos;&amp;lt; &lt;c"
        "&gt; &quot;d&#34;&apos; layers=3\n</metadata><g/></svg>",
        "normscope=1 text='&lt; <c> \"d\"' layers=3");
    assert_found_text("<svg><metadata id='a'><rdf>normscope=1 layers=3</rdf></metadata></svg>",
                      "normscope=1 layers=3");
    assert_found_text("<svg><g>normscope=1</g></svg>", NULL);
    assert_found_text("<svg><metadata>", NULL);
    assert_found_text("<svg><metadata>Inkscape</metadata></svg>", NULL);
}

static void test_pdf(void)
{
    assert_found_text("%PDF-1.4\n<< /Keywords (normscope=1 text='a \\(b\\) (c) \\\\ \\050') >>",
                      "normscope=1 text='a (b) (c) \\ ('");
    assert_found_text(
        "%PDF-1.4\n<< /Keywords <FEFF006e006F0072006D00730063006F00700065003d0031 00E9>",
        "normscope=1\xc3\xa9");
    /* Somebody else's, then ours. */
    assert_found_text("%PDF-1.4\n/Keywords (cats)\n/Keywords 3 0 R /Keywords(normscope=1)",
                      "normscope=1");
    static const char *const none[] = {"%PDF-1.4\n/Keywords",
                                       "%PDF-1.4\n/Keywords   ",
                                       "%PDF-1.4\n/Keywords (",
                                       "%PDF-1.4\n/Keywords (norm\\",
                                       "%PDF-1.4\n/Keywords <",
                                       "%PDF-1.4\n/Keywords <FEFF0",
                                       "%PDF-1.4\n/Keywords <FEFFD8>",
                                       "%PDF-1.4\n/Keywords ()",
                                       "%PDF-1.4\n/Keywords (normscope=1",
                                       "%PDF-1.4"};
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++) assert_found_text(none[i], NULL);
}

static void test_csv_and_tex(void)
{
    assert_found_text(
        "figure,series,x,y,lo,hi,experiment\nLoss,a,0,1,,,\"normscope=1 text='\"\"'\"\n"
        "Loss,a,1,1,,,\n",
        "normscope=1 text='\"'");
    assert_found_text("figure,step,layer,value,experiment\r\nN,0,1,2,normscope=1 layers=3\r\n",
                      "normscope=1 layers=3");
    assert_found_text("\xEF\xBB\xBF" /* a spreadsheet wrote it again */
                      "figure,step,layer,value,experiment\r\nN,0,1,2,normscope=1 layers=3\r\n",
                      "normscope=1 layers=3");
    assert_found_text("figure,step,layer,value\nN,0,1,2\nnormscope=1\n", NULL);
    assert_found_text("figure,step,layer,value\nN,0,1,\"normscope=1", NULL);
    assert_found_text("figure,", NULL);
    assert_found_text("% normscope=1 layers=3\n\\documentclass", "normscope=1 layers=3");
    assert_found_text("% normscope=1 layers=3", "normscope=1 layers=3");
}

static void test_other_files(void)
{
    static const char *const other[] = {"", "Once upon a time", "\x89PNG",
                                        "<?xml version='1.0'?><a/>", "figures, and words"};
    for (size_t i = 0; i < G_N_ELEMENTS(other); i++) {
        g_autofree char *text = NULL;
        g_assert_cmpint(ns_figure_file_find(other[i], strlen(other[i]), &text), ==, NS_FILE_OTHER);
        g_assert_null(text);
    }
}

static void test_run_of_lanes(void)
{
    const char *lines =
        "{\"lane\":1,\"settings\":{\"placement\":\"post\",\"layers\":3,\"lr\":0.001},"
        "\"program\":\"normscope 0.9\"}\n"
        "{\"lane\":2,\"settings\":{\"placement\":\"pre\",\"layers\":3,\"lr\":0.001}}\n"
        "{\"lane\":1,\"step\":0,\"loss\":4.6}\n";
    g_autofree char *text = NULL;
    g_assert_cmpint(ns_figure_file_find(lines, strlen(lines), &text), ==, NS_FILE_FIGURE);
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_provenance_read(&provenance, text, NULL));
    g_assert_cmpstr(provenance.version, ==, "0.9");
    g_assert_cmpuint(provenance.experiment.n, ==, 2);
    assert_words(&provenance.experiment, 1, "placement=pre");
    for (size_t i = 0; i < 2; i++) {
        const NsSettings *lane = &provenance.experiment.lane[i];
        g_autofree char *placement = ns_settings_get(lane, ns_param_find("placement"));
        g_assert_cmpstr(placement, ==, i ? "pre" : "post");
        g_assert_cmpint(lane->layers, ==, 3);
        g_assert_cmpfloat(lane->lr, ==, 0.001);
    }
}

static void test_text_beside_a_preset(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *book = ns_test_folder_write(folder, "book.txt", "words");
    g_autofree char *path = ns_test_folder_write(folder, "a.preset", "text = book.txt\n");
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_figure_file_read(&provenance, NULL, path, NULL, NULL));
    g_assert_cmpstr(provenance.experiment.lane[0].text, ==, book);
}

/* A parser that calls itself for every bracket would not come back from these. */
static void test_deep_run(void)
{
    g_autofree char *open = g_strnfill(30000, '['), *close = g_strnfill(30000, ']');
    g_autofree char *array = g_strconcat("{\"settings\":{\"a\":", open, close, "}}", NULL);
    g_autofree char *line = NULL, *quoted = NULL;
    g_assert_cmpint(ns_figure_file_find(array, strlen(array), &line), ==, NS_FILE_FIGURE);
    g_assert_null(line);
    /* A bracket within a text is none. */
    const char *text = "{\"settings\":{\"text\":\"a\\\"[[[[[[[[[[[[\",\"layers\":3}}";
    g_assert_cmpint(ns_figure_file_find(text, strlen(text), &quoted), ==, NS_FILE_FIGURE);
    g_assert_nonnull(quoted);
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_assert_true(ns_provenance_read(&provenance, quoted, NULL));
    g_assert_cmpstr(provenance.experiment.lane[0].text, ==, "a\"[[[[[[[[[[[[");
}

static void test_reading(void)
{
    static const struct {
        const char *name, *contents, *sentence; /* NULL: it is read */
        NsFileKind kind;
    } rows[] = {
        {"good.svg", "<svg><metadata>normscope=1 layers=3</metadata></svg>", NULL, NS_FILE_FIGURE},
        {"good.preset", "layers = 3\n", NULL, NS_FILE_PRESET},
        {"run.jsonl",
         "{\"settings\":{\"layers\":3,\"d_model\":16},\"arch\":\"decoder\"}\n{\"step\":0}\n", NULL,
         NS_FILE_FIGURE},
        {"old.jsonl", "{\"settings\":{\"layers\":3,\"d-model\":16}}\n", NULL, NS_FILE_FIGURE},
        {"new.jsonl", "{\"settings\":{\"layers\":3,\"new\":1}}\n",
         "“new.jsonl”: There is no setting “new”", NS_FILE_FIGURE},
        {"bad.jsonl", "{\"settings\":{\"layers\":0}}\n", "“bad.jsonl”: Layers is 0",
         NS_FILE_FIGURE},
        {"cut.jsonl", "{\"settings\":{\"layers\":3,\"pla", "“cut.jsonl” contains no experiment",
         NS_FILE_FIGURE},
        {"wrong.jsonl", "{\"step\": 1}\n{{{\n",
         "“wrong.jsonl” is not a file of JSON lines: line 2 is not a JSON object", NS_FILE_OTHER},
        {"empty.svg", "<svg></svg>", "“empty.svg” contains no experiment", NS_FILE_FIGURE},
        {"bad.svg", "<svg><metadata>normscope=1 layers=0</metadata></svg>",
         "“bad.svg”: Layers is 0", NS_FILE_FIGURE},
        {"book.txt", "Once upon a time", "“book.txt” is neither a figure, a run nor a preset",
         NS_FILE_OTHER},
        {"nothing.csv", "", "The file “nothing.csv” cannot be read: it is empty", NS_FILE_OTHER},
        {"page.ipynb", "{\"cells\": []}", "The file “page.ipynb” cannot be read: it is a notebook",
         NS_FILE_OTHER},
        {"a.parquet", "PAR1\xff", "The file “a.parquet” cannot be read: it is a binary table",
         NS_FILE_OTHER},
    };
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bool text = *rows[i].contents && g_utf8_validate(rows[i].contents, -1, NULL);
        g_autofree char *path = ns_test_folder_write(folder, rows[i].name, rows[i].contents);
        g_auto(NsProvenance) provenance;
        ns_provenance_init(&provenance);
        g_autoptr(GError) error = NULL;
        bool read = ns_figure_file_read(&provenance, NULL, path, NULL, &error);
        g_assert_true(read == !rows[i].sentence);
        if (read)
            g_assert_cmpint(provenance.experiment.lane[0].layers, ==, 3);
        else
            g_assert_true(g_str_has_prefix(error->message, rows[i].sentence));
        g_clear_error(&error);
        NsFileKind kind;
        ns_figure_file_read(&provenance, NULL, path, &kind, &error);
        g_assert_cmpint(kind, ==, rows[i].kind);
        g_assert_true((error != NULL) == (rows[i].sentence && (kind != NS_FILE_OTHER || !text)));
    }
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    g_autoptr(GError) error = NULL;
    g_assert_false(ns_figure_file_read(&provenance, NULL, folder, NULL, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_FILE);
}

/* Whoever asks for a reference to a shared experiment gets the same one; one that is not shared is
 * copied once, and what happens to it afterwards is not seen. */
static void test_shared(void)
{
    NsExperiment own;
    ns_experiment_init(&own);
    g_assert_true(ns_settings_assign(&own.lane[0], "text=a.txt", NULL));
    const NsExperiment *shared = ns_experiment_ref(&own), *same = ns_experiment_ref(shared);
    g_assert_true(shared != &own && same == shared);
    g_assert_true(ns_settings_assign(&own.lane[0], "text=b.txt", NULL));
    ns_experiment_clear(&own);
    ns_experiment_unref(shared);
    g_assert_cmpstr(same->lane[0].text, ==, "a.txt");
    ns_experiment_unref(same);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/experiment/line", test_line);
    g_test_add_func("/experiment/one-line", test_one_line);
    g_test_add_func("/experiment/task", test_last_word);
    g_test_add_func("/experiment/unknown-keys", test_unknown_keys);
    g_test_add_func("/experiment/lanes", test_lanes);
    g_test_add_func("/experiment/refused", test_refused);
    g_test_add_func("/experiment/caption", test_caption);
    g_test_add_func("/experiment/png", test_png);
    g_test_add_func("/experiment/svg", test_svg);
    g_test_add_func("/experiment/pdf", test_pdf);
    g_test_add_func("/experiment/csv-and-tex", test_csv_and_tex);
    g_test_add_func("/experiment/other-files", test_other_files);
    g_test_add_func("/experiment/reading", test_reading);
    g_test_add_func("/experiment/beside", test_text_beside_a_preset);
    g_test_add_func("/experiment/deep-run", test_deep_run);
    g_test_add_func("/experiment/run-of-lanes", test_run_of_lanes);
    g_test_add_func("/experiment/shared", test_shared);
    return g_test_run();
}
