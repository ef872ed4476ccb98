/* Studies as texts, and their cells.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/study/study.h"
#include "tests/unit/studies.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

#define TWO_LANES                                                                                  \
    "title = Two lanes\nlayers = 2\nd-model = 16\nsteps = 4\nseeds = 2\n"                          \
    "[random]\ndraws = 5\ndraw-seed = 3\nlr = 1e-4:1e-1:log\nwarmup = 1:100\n"                     \
    "activation = relu, gelu\n"                                                                    \
    "[grid]\nbatch = 2, 4\nheads = 1, 2, 4\n"                                                      \
    "[stop]\nloss-above = 9.5\n"                                                                   \
    "[result]\nquantity = grad-w2\nlayer = 1\nat = step 3\n"                                       \
    "[A]\nname = Original\nplacement = post\n[B]\nplacement = pre\nclip = 1\n"

static void test_read(void)
{
    g_auto(NsStudy) study;
    ns_test_read_study(&study, TWO_LANES);
    g_assert_cmpuint(study.experiment.n, ==, 2);
    g_assert_cmpuint(ns_study_configurations(&study), ==, 5 * 2 * 3);
    g_assert_cmpuint(ns_study_cells(&study), ==, 5 * 2 * 3 * 2 * 2);
    g_assert_cmpuint(ns_study_axes(&study), ==, 5);
    g_assert_cmpfloat(study.stop.loss_above, ==, 9.5);
    g_assert_true(isnan(study.stop.loss_below));
    g_assert_cmpint(study.results.of[0].kind, ==, NS_RESULT_QUANTITY);
    g_assert_cmpint(study.results.of[0].quantity, ==, NS_QUANTITY_GRAD_W2);
    g_assert_cmpint(study.results.of[0].at, ==, NS_RESULT_STEP);
    g_assert_cmpint(study.results.of[0].n, ==, 3);
    g_autofree char *a = ns_study_lane_words(&study, 0), *b = ns_study_lane_words(&study, 1);
    g_assert_cmpstr(a, ==, "A Original");
    g_assert_cmpstr(b, ==, "B");
    g_autofree char *words = ns_study_configuration_words(&study, 1);
    g_assert_true(g_str_has_prefix(words, "batch=4 heads=1 lr="));
}

/* What is written reads back to the same cells. */
static void test_write(void)
{
    static const char *const texts[] = {
        TWO_LANES,
        "steps = 2\n",
        "steps = 0\n[result]\nat = step 0\n[grid]\nlayers = 2:8:3\n[A]\nname = only\n",
        "steps = 9\n[result]\nquantity = validation-loss\nat = minimum\n[stop]\nloss-below = 0.1\n",
        "steps = 9\n[result]\nquantity = hidden-norm\nlayer = 0\nat = last\n",
        "steps = 9\n[result]\nquantity = memory\nat = last\n[result-2]\nat = last 3\n"
        "[result-3]\nquantity = grad-norm\nat = minimum\nbetter = higher\n",
        "steps = 9\ntask = mlm\narch = encoder\n[result]\nquantity = entailment-accuracy\n"
        "at = every step\nfinetune-steps = 7\n",
    };
    for (size_t k = 0; k < G_N_ELEMENTS(texts); k++) {
        g_auto(NsStudy) study, again;
        ns_test_read_study(&study, texts[k]);
        g_autofree char *text = ns_study_write(&study);
        ns_test_read_study(&again, text);
        g_autofree char *second = ns_study_write(&again);
        g_assert_cmpstr(text, ==, second);
        g_assert_cmpuint(ns_study_cells(&study), ==, ns_study_cells(&again));
        for (size_t i = 0; i < ns_study_cells(&study); i++) {
            char one[NS_STUDY_HASH + 1], other[NS_STUDY_HASH + 1];
            ns_study_hash(&study, i, one);
            ns_study_hash(&again, i, other);
            g_assert_cmpstr(one, ==, other);
        }
    }
}

static void test_cells(void)
{
    g_auto(NsStudy) study;
    ns_test_read_study(&study, TWO_LANES);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (size_t i = 0; i < ns_study_cells(&study); i++) {
        NsStudyPlace place = ns_study_place(&study, i);
        g_assert_cmpuint(ns_study_cell(&study, place), ==, i);
        NsSettings settings;
        ns_study_cell_settings(&study, i, &settings);
        g_assert_cmpint(settings.seed, ==, 1 + (int64_t)place.seed);
        g_assert_cmpint(settings.data_seed, ==, 1 + (int64_t)place.seed);
        g_assert_cmpint(settings.batch, ==, place.configuration % 2 ? 4 : 2);
        g_assert_true(settings.lr >= 1e-4 && settings.lr <= 1e-1);
        g_assert_true(settings.warmup >= 1 && settings.warmup <= 100);
        g_assert_cmpfloat(settings.clip, ==, place.lane ? 1 : 0);
        ns_settings_clear(&settings);
        char hash[NS_STUDY_HASH + 1];
        ns_study_hash(&study, i, hash);
        g_assert_true(g_hash_table_add(seen, g_strdup(hash)));
    }
}

static void hash_of(const char *text, size_t i, char *hash)
{
    g_auto(NsStudy) study;
    ns_test_read_study(&study, text);
    ns_study_hash(&study, i, hash);
}

static void assert_same_hash(const char *a, const char *b, bool same)
{
    char one[NS_STUDY_HASH + 1], other[NS_STUDY_HASH + 1];
    hash_of(a, 0, one);
    hash_of(b, 0, other);
    g_assert_cmpint(g_str_equal(one, other), ==, same);
}

/* What decides the numbers of a cell is in its hash, and nothing else. */
static void test_hash(void)
{
    static const char base[] = "steps = 4\nlr = 0.01\n";
    assert_same_hash(base, "title = Other\nnote = other\nseeds = 3\nlr = 1e-2\nsteps = 4\n", true);
    assert_same_hash(base, "steps = 4\n[grid]\nlr = 0.01, 0.1\n", true);
    assert_same_hash(base, "steps = 4\nlr = 0.01\nrecompute = on\neval-every = 3\n", true);
    assert_same_hash(base, "steps = 4\n[A]\nname = a\nlr = 0.01\n[B]\nlr = 0.1\n", true);
    assert_same_hash(base, "steps = 5\nlr = 0.01\n", false);
    assert_same_hash(base, "steps = 4\nlr = 0.02\n", false);
    assert_same_hash(base, "steps = 4\nlr = 0.01\nseed = 2\n", false);
    assert_same_hash(base, "steps = 4\nlr = 0.01\n[stop]\nloss-above = 7\n", false);
    assert_same_hash(base, "steps = 4\nlr = 0.01\n[result]\nat = last 3\n", false);
    assert_same_hash(base, "steps = 4\nlr = 0.01\n[result]\nquantity = grad-norm\n", false);
    assert_same_hash(base, "steps = 4\nlr = 0.01\n[result-2]\nquantity = grad-norm\n", false);
}

/* A text counts by what is in it. */
static void test_contents(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *a = ns_test_folder_write(folder, "a.txt", "to be or not to be");
    g_autofree char *b = ns_test_folder_write(folder, "b.txt", "to be or not to be");
    g_autofree char *c = ns_test_folder_write(folder, "c.txt", "to be or not to bee");
    g_autofree char *one = g_strdup_printf("steps = 1\ntext = %s\n", a);
    g_autofree char *two = g_strdup_printf("steps = 1\ntext = %s\n", b);
    g_autofree char *three = g_strdup_printf("steps = 1\ntext = %s\n", c);
    assert_same_hash(one, two, true);
    assert_same_hash(one, three, false);
    /* Beside the study it is found, and stays known by its whole path. */
    g_autofree char *path = ns_test_folder_write(folder, "a.study", "steps = 1\ntext = a.txt\n");
    g_autoptr(GError) error = NULL;
    g_auto(NsStudy) study;
    ns_study_init(&study);
    g_assert_true(ns_study_load(&study, path, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(study.experiment.lane[0].text, ==, a);
}

/* More draws leave the first ones what they were; another seed draws others. */
static void test_draws(void)
{
    static const char few[] = "steps = 1\n[random]\ndraws = 3\nlr = 1e-4:1e-1\n";
    static const char more[] =
        "steps = 1\n[random]\ndraws = 400\nlr = 1e-4:1e-1\nlayers = 1:4:linear\n";
    g_auto(NsStudy) a, b;
    ns_test_read_study(&a, few);
    ns_test_read_study(&b, more);
    size_t layers[5] = {0}, low = 0;
    for (size_t i = 0; i < ns_study_configurations(&b); i++) {
        g_autofree char *lr = ns_study_axis_value(&b, 0, i);
        g_autofree char *depth = ns_study_axis_value(&b, 1, i);
        layers[g_ascii_strtoull(depth, NULL, 10)]++;
        low += g_ascii_strtod(lr, NULL) < 3.162e-3; /* the middle of a logarithmic range */
        if (i >= 3) continue;
        g_autofree char *first = ns_study_axis_value(&a, 0, i);
        g_assert_cmpstr(lr, ==, first);
    }
    g_assert_true(low > 160 && low < 240); /* 4 standard deviations */
    for (size_t i = 1; i <= 4; i++) g_assert_true(layers[i] > 65);
    b.draw_seed = 2;
    g_autofree char *other = ns_study_axis_value(&b, 0, 0), *value = ns_study_axis_value(&a, 0, 0);
    g_assert_cmpstr(other, !=, value);
}

static void test_set(void)
{
    g_auto(NsStudy) study;
    g_autoptr(GError) error = NULL;
    ns_test_read_study(&study, TWO_LANES);
    g_assert_true(ns_study_set(&study, "layers=3", &error));
    g_assert_cmpint(study.experiment.lane[1].layers, ==, 3);
    static const char *const wrong[] = {"lr=1", "threads=2", "seeds=2", "nothing=1", "layers=x"};
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_assert_false(ns_study_set(&study, wrong[i], &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_clear_error(&error);
    }
}

/* [text, what the sentence says] */
static const struct {
    const char *text, *says;
} refused[] = {
    {"steps = 1\nlrr = 2\n", "Line 2: There is no setting “lrr”; did you mean “lr”?"},
    {"steps = x\n", "Line 1"},
    {"steps = 1\nnonsense\n", "Line 2"},
    {"steps = 1\n[gird]\n", "Line 2: [gird] was not expected"},
    {"steps = 1\n[B]\n", "Line 2: [B] was not expected"},
    {"steps = 1\n[grid]\n[grid]\n", "Line 3"},
    {"steps = 1\n[grid]\nlr =\n", "Line 3"},
    {"steps = 1\n[grid]\nlr = 1:2:1\n", "Line 3"},
    {"steps = 1\n[grid]\nlr = 0.1\nlr = 0.2\n", "Line 4: lr is given twice"},
    {"steps = 1\n[grid]\nsteps = 1,2\n", "Line 3: steps cannot be on an axis"},
    {"steps = 1\n[grid]\ntext = a,b\n", "Line 3"},
    {"steps = 1\nlr = 1\n[grid]\nlr = 0.1,0.2\n", "lr is varied"},
    {"steps = 1\n[grid]\nlr = 0.1\n[random]\ndraws = 2\nlr = 0.1:1\n", "lr is varied"},
    {"steps = 1\n[grid]\nlr = 0.1\n[A]\nlr = 0.2\n", "lr is varied"},
    {"steps = 1\n[random]\nlr = 0.1:1\n", "draws = 64"},
    {"steps = 1\n[random]\ndraws = 2\n", "draws nothing"},
    {"steps = 1\n[random]\ndraws = 0\n", "Line 3: draws is “0”"},
    {"steps = 1\n[random]\ndraws = 2\nlr = 1:0.1\n", "Line 4"},
    {"steps = 1\n[random]\ndraws = 2\nlr = -1:1:log\n", "Line 4"},
    {"steps = 1\n[random]\ndraws = 2\ndropout = 0.1:7\n", "Line 4: Dropout is 7"},
    {"steps = 1\n[stop]\nloss-belo = 1\n", "Line 3: There is no key “loss-belo”; did you mean"},
    {"steps = 1\n[stop]\nloss-below = x\n", "Line 3: loss-below is “x”"},
    {"steps = 1\n[result]\nquantity = los\n", "Line 3: There is no quantity “los”"},
    {"steps = 1\n[result]\nat = never\n", "Line 3: at is “never”"},
    {"steps = 1\n[result]\nat = last 0\n", "Line 3: at is “last 0”"},
    {"steps = 1\n[result]\nlayer = top\n", "Line 3: layer is “top”"},
    {"steps = 1\nthreads = 2\n", "Line 2: threads is “2”; a cell has one thread"},
    {"steps = 1\nseeds = 1001\n", "Line 2: seeds is “1001”"},
    {"steps = 1\n[A]\nseeds = 2\n", "Line 3: seeds is “2”"},
    {"steps = 1\n[A]\ntitle = x\n", "Line 3: There is no setting “title”"},
    {"layers = 2\n", "A study needs a number of steps"},
    {"steps = 1\n[result]\nat = step 2\n", "raise steps"},
    {"steps = 1\n[result-3]\nat = last\n", "Line 2: [result-3] was not expected"},
    {"steps = 1\n[result-2]\nat = step 2\n", "raise steps"},
    {"steps = 1\n[result-2]\nat = every step\n", "each at every step"},
    {"steps = 1\n[result]\nat = every step\n[result-2]\nquantity = validation-loss\n"
     "at = every step\n",
     "all or none are measured with the validation loss"},
    {"steps = 1\n[result-2]\nquantity = token-norms\nat = last\n", "the only one of a study"},
    {"steps = 1\n[result]\nquantity = entailment-accuracy\nat = last\n", "task = mlm"},
    {"steps = 1\ntask = mlm\narch = encoder\n[result]\nquantity = paraphrase-accuracy\n"
     "at = last\nbetter = lower\n",
     "or an accuracy"},
    {"steps = 1\n[result]\nquantity = grad-w2\nlayer = 7\n", "there are 6 layers"},
    {"steps = 1\n[result]\nquantity = token-cosine\nat = last 2\n", "probe-every"},
    {"steps = 1\n[grid]\nheads = 1,3\n[A]\n[B]\n", "Lane A: At heads=3: "},
    {"steps = 1\n[grid]\nlr = 1e-4:1:64\nbeta1 = 0:0.9:64\nbeta2 = 0:0.9:64\nclip = 1:9:64\n",
     "16777216 cells"},
    {"steps = 1\ntext = /nowhere/a.txt\n", "There is no file"},
};

static void test_refused(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_auto(NsStudy) study;
        g_autoptr(GError) error = NULL;
        ns_study_init(&study);
        bool good = ns_study_read(&study, refused[i].text, strlen(refused[i].text), &error) &&
                    ns_study_check(&study, &error);
        g_assert_false(good);
        g_assert_true(error->domain == NS_ERROR);
        g_test_message("%s", error->message);
        g_assert_nonnull(strstr(error->message, refused[i].says));
        g_assert_true(g_str_has_suffix(error->message, ".") ||
                      g_str_has_suffix(error->message, "?"));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/study/plan/read", test_read);
    g_test_add_func("/study/plan/write", test_write);
    g_test_add_func("/study/plan/cells", test_cells);
    g_test_add_func("/study/plan/hash", test_hash);
    g_test_add_func("/study/plan/contents", test_contents);
    g_test_add_func("/study/plan/draws", test_draws);
    g_test_add_func("/study/plan/set", test_set);
    g_test_add_func("/study/plan/refused", test_refused);
    return g_test_run();
}
