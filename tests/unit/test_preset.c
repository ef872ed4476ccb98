/* Presets: reading, refusing, writing.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/store/bundled.h"
#include "core/store/entries.h"
#include "core/store/lecture.h"
#include "core/store/preset.h"
#include "tests/unit/support.h"

#include <glib/gstdio.h>
#include <string.h>

static void read_text(NsPreset *preset, const char *text)
{
    g_autoptr(GError) error = NULL;
    ns_preset_init(preset);
    g_assert_true(ns_preset_is(text, strlen(text)));
    ns_preset_read(preset, text, strlen(text), &error);
    g_assert_no_error(error);
}

static void assert_setting(const NsPreset *preset, size_t lane, const char *key, const char *value)
{
    g_autofree char *is = ns_settings_get(&preset->experiment.lane[lane], ns_param_find(key));
    g_assert_cmpstr(is, ==, value);
}

static const char two[] = "# Two models.\n"
                          "title = Post-LN against Pre-LN \n"
                          "note=Watch the loss = the curve.\r\n"
                          "page = profile\n"
                          "hide = seed, text,,inspector\n"
                          "large-text = on\n"
                          "\n"
                          "  layers = 12\n"
                          "warmup = 1e2\n"
                          "[A]\n"
                          "placement = post\n"
                          "[ B ]\n"
                          "placement = pre\n"
                          "layers = 6\n";

static void test_read(void)
{
    g_auto(NsPreset) preset;
    read_text(&preset, two);
    g_assert_cmpstr(preset.experiment.title, ==, "Post-LN against Pre-LN");
    g_assert_cmpstr(preset.note, ==, "Watch the loss = the curve.");
    g_assert_cmpstr(preset.page, ==, "profile");
    const char *hidden[] = {"seed", "text", "inspector", NULL};
    g_assert_cmpstrv(preset.experiment.hide, hidden);
    g_assert_true(preset.large_text);
    g_assert_cmpuint(preset.experiment.n, ==, 2);
    assert_setting(&preset, 0, "placement", "post");
    assert_setting(&preset, 0, "layers", "12");
    assert_setting(&preset, 0, "warmup", "100");
    assert_setting(&preset, 1, "placement", "pre");
    assert_setting(&preset, 1, "layers", "6");
    assert_setting(&preset, 1, "warmup", "100");
}

static void test_one_lane(void)
{
    g_auto(NsPreset) preset;
    read_text(&preset, "layers = 3\n");
    g_assert_cmpuint(preset.experiment.n, ==, 1);
    g_assert_null(preset.experiment.title);
    g_assert_false(preset.large_text);
    assert_setting(&preset, 0, "layers", "3");
}

/* What a lane says nothing about is as in the head. */
static void test_task(void)
{
    g_auto(NsPreset) preset;
    read_text(&preset, "task = reverse\n[A]\n[B]\n[C]\n[D]\n");
    g_assert_cmpuint(preset.experiment.n, ==, 4);
    for (size_t i = 0; i < 4; i++) assert_setting(&preset, i, "task", "reverse");
    static const char *const texts[] = {"text = book.txt", "task = text\ntext = book.txt",
                                        "text = book.txt\ntask = text"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_auto(NsPreset) text;
        read_text(&text, texts[i]);
        assert_setting(&text, 0, "task", "text");
        assert_setting(&text, 0, "text", "book.txt");
    }
}

static void assert_refused(const char *text, const char *words)
{
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    g_assert_false(ns_preset_read(&preset, text, strlen(text), &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, words));
    g_assert_true(g_str_has_suffix(error->message, ".") || g_str_has_suffix(error->message, "?"));
}

/* A key that means nothing was meant for another; two that exclude each other cannot both be. */
static void test_not_silent(void)
{
    assert_refused("layers = 3\n\nlayrs = 4\n", "Line 3: There is no setting “layrs”; did you mean "
                                                "“layers”?");
    assert_refused("titel = x\n[A]\n",
                   "Line 1: There is no setting “titel”; did you mean “title”?");
    assert_refused("layers = 3\n[A]\ntitle = x\n", "Line 3: There is no setting “title”");
    assert_refused("task = reverse\ntext = book.txt\n", "Line 2: task=reverse and text=book.txt");
    assert_refused("text = book.txt\ntask = grammar\n", "Line 2: task=grammar and text=book.txt");
    assert_refused("task = copy\n[A]\n[B]\ntext = book.txt\n", "Line 4: task=copy and ");
    assert_refused("placement = post\nmixture = post*3,pre\n",
                   "Line 2: placement=post and mixture=");
    assert_refused("mixture = post*3,pre\nplacement = pre\n", "Line 2: placement=pre and mixture=");
    assert_refused("layers = 3\nlr = 1\nlayers = 4\n",
                   "Line 3: layers is given twice, as 3 and as 4");
}

static void test_refused(void)
{
    assert_refused("layers = 3\n\nlayers\n", "Line 3 ");
    assert_refused("# x\nlay ers = 3\n", "Line 2 ");
    assert_refused("= 3\n", "Line 1 ");
    assert_refused("[A\n", "Line 1 ");
    assert_refused("[]\n", "Line 1 ");
    assert_refused("[\n", "Line 1 ");
    assert_refused("layers = 3\nlayers = many\n", "Line 2: ");
    assert_refused("task = none-such\nlayers = 3\n", "Line 1: ");
    assert_refused("large-text = yes\n", "“yes”");
    assert_refused("[B]\n", "Line 1: [B]");
    assert_refused("[A]\n[A]\n", "Line 2: [A]");
    assert_refused("[A]\n[B]\n[C]\n[D]\n[E]\n", "Line 5: [E]");
    assert_refused("[A]\n[B]\nheads = 5\n", "Lane B: ");
    assert_refused("title = \xff\n", "UTF-8");
    g_autofree char *long_text = g_strnfill(NS_ENTRIES_MAX + 1, '\n');
    assert_refused(long_text, "64 KiB");
}

static void test_is(void)
{
    static const struct {
        const char *text;
        bool is;
    } table[] = {
        {"layers = 3", true},
        {"# a\n\nplacement=pre\n", true},
        {"title = x", true},
        {"[A]\n", true},
        {"hide = seed", true},
        {"large-text = off", true},
        {"", false},
        {"To be, or not to be = that is\n", false},
        {"= 3\n", false},
        {"color = red\nlayers = 3\n", false},
        {"# nothing\n", false},
        {"color = red", false},
        {"[B]\n", false},
        {"It was a day.", false},
        {"layers = 3\nIt was a day.", false},
        {"a,b\n1,2\n", false},
        {"normscope=0.1.0 step=3", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        g_test_message("%s", table[i].text);
        g_assert_cmpint(ns_preset_is(table[i].text, strlen(table[i].text)), ==, table[i].is);
    }
}

static void assert_same(const NsPreset *a, const NsPreset *b)
{
    g_assert_cmpuint(a->experiment.n, ==, b->experiment.n);
    for (size_t i = 0; i < a->experiment.n; i++) {
        g_autofree char *one = ns_settings_line(&a->experiment.lane[i], true);
        g_autofree char *other = ns_settings_line(&b->experiment.lane[i], true);
        g_assert_cmpstr(one, ==, other);
    }
    g_assert_cmpstr(a->experiment.title, ==, b->experiment.title);
    g_assert_cmpstr(a->note, ==, b->note);
    g_assert_cmpstr(a->page, ==, b->page);
    g_assert_cmpint(a->large_text, ==, b->large_text);
    g_assert_cmpint(!a->experiment.hide, ==, !b->experiment.hide);
    if (a->experiment.hide) g_assert_cmpstrv(a->experiment.hide, b->experiment.hide);
}

static void assert_round_trip(const NsPreset *preset)
{
    g_autofree char *text = ns_preset_write(preset);
    g_auto(NsPreset) again;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&again);
    ns_preset_read(&again, text, strlen(text), &error);
    g_assert_no_error(error);
    assert_same(preset, &again);
    g_autofree char *second = ns_preset_write(&again);
    g_assert_cmpstr(text, ==, second);
}

/* What begins like a preset may go on with a mistake, which is then to be told. */
static void test_begins(void)
{
    static const struct {
        const char *text;
        bool begins;
    } cases[] = {
        {"layers = 3\nlayers 3\n", true},
        {"# mine\n\n[A]\nno\n", true},
        {"\xEF\xBB\xBFtitle = x", true},
        {"layers 3\nlayers = 3\n", false},
        {"other = 3\n", false},
        {"# mine\n", false},
        {"", false},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        g_assert_cmpint(ns_preset_begins(cases[i].text, strlen(cases[i].text)), ==,
                        cases[i].begins);
}

static void test_write(void)
{
    g_auto(NsPreset) preset;
    read_text(&preset, two);
    g_autofree char *text = ns_preset_write(&preset);
    g_assert_cmpstr(text, ==,
                    "title = Post-LN against Pre-LN\n"
                    "note = Watch the loss = the curve.\n"
                    "page = profile\n"
                    "hide = seed, text, inspector\n"
                    "large-text = on\n"
                    "warmup = 100\n"
                    "\n[A]\nplacement = post\nlayers = 12\n"
                    "\n[B]\nplacement = pre\nlayers = 6\n");
    assert_round_trip(&preset);
    g_auto(NsPreset) defaults;
    ns_preset_init(&defaults);
    g_autofree char *nothing = ns_preset_write(&defaults);
    g_assert_cmpstr(nothing, ==, "");
}

/* Texts, tasks and mixtures in every combination that a file may name. */
static void test_write_tasks(void)
{
    static const char *const head[] = {"", "text = a.txt\n", "text = a.txt\ntask = text\n",
                                       "mixture = post*2,pre\n"};
    static const char *const lane[] = {"", "text = b.txt\n", "text = b.txt\ntask = text\n",
                                       "mixture = pre*3\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(head); i++)
        for (size_t j = 0; j < G_N_ELEMENTS(lane); j++) {
            g_autofree char *text = g_strconcat("seed = 2\n", head[i], "[A]\n[B]\n", lane[j], NULL);
            g_auto(NsPreset) preset;
            read_text(&preset, text);
            assert_round_trip(&preset);
        }
}

/* Any real number comes back bit for bit, and so does any choice. */
static void test_write_random(void)
{
    for (size_t round = 0; round < 200; round++) {
        g_auto(NsPreset) preset;
        ns_preset_init(&preset);
        size_t lanes = (size_t)g_test_rand_int_range(1, 1 + NS_LANES_MAX);
        ns_experiment_resize(&preset.experiment, lanes, 0);
        for (size_t i = 0; i < lanes; i++) {
            NsSettings *settings = &preset.experiment.lane[i];
            settings->lr = g_test_rand_double();
            settings->beta2 = g_test_rand_bit() ? settings->beta2 : g_test_rand_double();
            settings->layers = g_test_rand_int_range(1, 10000);
            settings->placement = (unsigned)g_test_rand_int_range(0, 5);
            if (g_test_rand_bit()) settings->steps = g_test_rand_int_range(0, 1000000);
        }
        assert_round_trip(&preset);
    }
}

static void test_load(void)
{
    g_autoptr(NsTestFolder) folder = ns_test_folder_new();
    g_autofree char *path = ns_test_folder_write(folder, "a.preset", "text = book.txt\n");
    g_autofree char *book = ns_test_folder_write(folder, "book.txt", "abc");
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    g_assert_true(ns_preset_load(&preset, path, &error));
    assert_setting(&preset, 0, "text", book);

    g_auto(NsPreset) elsewhere;
    ns_preset_init(&elsewhere);
    g_unlink(book);
    g_assert_true(ns_preset_load(&elsewhere, path, &error));
    assert_setting(&elsewhere, 0, "text", "book.txt");

    g_auto(NsPreset) wrong;
    ns_preset_init(&wrong);
    g_autofree char *same = ns_test_folder_write(folder, "a.preset", "\nlayers = x\n");
    g_assert_false(ns_preset_load(&wrong, same, &error));
    g_assert_true(g_str_has_prefix(error->message, "“a.preset”: Line 2: "));
}

/* ---- Lectures ---- */

static const char lecture_text[] = "# Mine.\n"
                                   "title = A lecture\n"
                                   "note = For a test.\n"
                                   "\n"
                                   "[scene]\n"
                                   "title = First\n"
                                   "page = dashboard\n"
                                   "chart = hidden-norm:token-cosine\n"
                                   "step = 20\n"
                                   "run = 30\n"
                                   "layers = 3\n"
                                   "[A]\n"
                                   "placement = post\n"
                                   "[B]\n"
                                   "placement = pre\n"
                                   "[ scene ]\n"
                                   "[scene]\n"
                                   "layers = 5\n";

static NsLecture *read_lecture(const char *text)
{
    g_autoptr(GError) error = NULL;
    NsLecture *lecture = ns_lecture_new(text, strlen(text), &error);
    g_assert_no_error(error);
    return lecture;
}

static void test_lecture(void)
{
    g_autoptr(NsLecture) lecture = read_lecture(lecture_text);
    g_assert_cmpstr(lecture->title, ==, "A lecture");
    g_assert_cmpstr(lecture->note, ==, "For a test.");
    g_assert_cmpuint(lecture->n, ==, 3);
    const NsPreset *first = &lecture->scene[0].preset;
    g_assert_cmpuint(lecture->scene[0].line, ==, 5);
    g_assert_cmpstr(first->experiment.title, ==, "First");
    g_assert_cmpstr(first->page, ==, "dashboard");
    g_assert_cmpstr(first->chart, ==, "hidden-norm:token-cosine");
    g_assert_cmpint(first->step, ==, 20);
    g_assert_cmpint(first->run, ==, 30);
    g_assert_cmpuint(first->experiment.n, ==, 2);
    assert_setting(first, 1, "placement", "pre");
    assert_setting(first, 1, "layers", "3");
    /* A scene has nothing of the one before. */
    g_assert_cmpuint(lecture->scene[1].preset.experiment.n, ==, 1);
    assert_setting(&lecture->scene[1].preset, 0, "layers", "6");
    assert_setting(&lecture->scene[2].preset, 0, "layers", "5");
    for (size_t i = 0; ns_lecture_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(NsLecture) bundled = ns_lecture_open(i, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(bundled->n, >=, 6);
        for (size_t k = 0; k < bundled->n; k++) g_assert_nonnull(bundled->scene[k].preset.note);
    }
}

static void test_lecture_refused(void)
{
    static const struct {
        const char *text, *words;
    } lectures[] = {
        {"", "Line 1: a lecture begins with its title, and then needs a [scene]."},
        {"title = T\n", "Line 1: a lecture begins with its title, and then needs a [scene]."},
        {"title = T\n\n[A]\nlayers = 2\n",
         "Line 3: a lecture begins with its title, and then needs a [scene]."},
        {"titel = T\n[scene]\n", "Line 1: There is no key “titel”; did you mean “title”?"},
        {"title = T\n[scene]\nlayrs = 3\n", "Line 3: There is no setting “layrs”"},
        {"title = T\n[scene]\n[scene]\nstep = soon\n",
         "Line 4: step is “soon”; it must be a number of steps, at most 1000000000."},
        {"title = T\n[scene]\nrun = -1\n",
         "Line 3: run is “-1”; it must be a number of steps, at most 1000000000."},
        {"title = T\n[scene]\n[B]\n", "Line 3: [B] was not expected here; "},
        {"title = T\n[scene]\n\n[scene]\nd-model = 10\nheads = 4\n", "Line 4: "},
        {"title = T\n[scene]\nwords\n", "Line 3 is neither "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lectures); i++) {
        g_autoptr(GError) error = NULL;
        const char *text = lectures[i].text;
        g_assert_null(ns_lecture_new(text, strlen(text), &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_test_message("%s", error->message);
        g_assert_true(g_str_has_prefix(error->message, lectures[i].words));
    }
    g_auto(NsPreset) preset;
    g_autoptr(GError) error = NULL;
    ns_preset_init(&preset);
    g_assert_false(ns_preset_read(&preset, lecture_text, strlen(lecture_text), &error));
    g_assert_cmpstr(error->message, ==, "Line 5: [scene] belongs to a lecture; a preset has none.");
}

static void test_lecture_append(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-lecture-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "mine.lecture", NULL);
    g_autofree char *other = g_build_filename(folder, "mine.txt", NULL);
    g_auto(NsPreset) scene;
    g_autoptr(GError) error = NULL;
    read_text(&scene, two);
    scene.step = 7;
    scene.run = 9;
    /* A file that is not there yet. */
    for (size_t n = 1; n <= 2; n++)
        g_assert_cmpuint(ns_lecture_append(path, &scene, &error), ==, n);
    g_autoptr(NsLecture) made = ns_lecture_load(path, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(made->title, ==, "mine");
    g_assert_cmpint(made->scene[1].preset.step, ==, 7);
    g_assert_cmpint(made->scene[1].preset.run, ==, 9);
    assert_setting(&made->scene[1].preset, 1, "layers", "6");
    /* One that somebody wrote, without a line end at its end; comments stay. */
    g_autofree char *open_end = g_strndup(lecture_text, strlen(lecture_text) - 1);
    g_file_set_contents(other, open_end, -1, NULL);
    g_assert_true(ns_lecture_is(other));
    g_assert_cmpuint(ns_lecture_append(other, &scene, &error), ==, 4);
    g_autofree char *longer = NULL;
    g_file_get_contents(other, &longer, NULL, NULL);
    g_assert_true(g_str_has_prefix(longer, lecture_text));
    /* One with a mistake, and one that is no lecture, stay as they are. */
    static const char *const bad[] = {"title = T\n[scene]\nlayrs = 3\n", "title = T\nlayers = 3\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autofree char *after = NULL;
        g_autoptr(GError) wrong = NULL;
        g_file_set_contents(other, bad[i], -1, NULL);
        g_assert_cmpuint(ns_lecture_append(other, &scene, &wrong), ==, 0);
        g_assert_error(wrong, NS_ERROR, NS_ERROR_SETTING);
        g_assert_true(g_str_has_prefix(wrong->message, "“mine.txt”: Line "));
        g_file_get_contents(other, &after, NULL, NULL);
        g_assert_cmpstr(after, ==, bad[i]);
        g_assert_cmpint(ns_lecture_is(other), ==, i == 0);
    }
    g_unlink(path);
    g_unlink(other);
    g_rmdir(folder);
}

/* Scenes of a file move, lose or change their words, and go; all else in the file stays. */
static void test_lecture_edit(void)
{
    static const char before[] = "# mine\ntitle = T\n\n[scene]\n# the first\ntitle = One\n"
                                 "note = Why.\nlayers = 3\n[A]\nlr = 0.1\n[B]\nlr = 0.2\n\n"
                                 "[scene]\ntitle = Two\nclaim = loss < 3\n\n[scene]\nseed = 3";
    static const char after[] = "# mine\ntitle = T\n\n[scene]\ntitle = Three\nnote = Two lines.\n"
                                "seed = 3\n\n[scene]\ntitle = Eins\n# the first\nlayers = 3\n[A]\n"
                                "lr = 0.1\n[B]\nlr = 0.2\n\n";
    const NsSceneEdit edits[] = {{2, "Three", "Two\nlines."}, {0, "Eins", ""}};
    g_autofree char *folder = g_dir_make_tmp("normscope-lecture-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "mine.lecture", NULL);
    g_autofree char *text = NULL, *left = NULL;
    g_autoptr(GError) error = NULL;
    g_file_set_contents(path, before, -1, NULL);
    g_assert_true(ns_lecture_edit(path, 3, edits, 2, &error));
    g_file_get_contents(path, &text, NULL, NULL);
    g_assert_cmpstr(text, ==, after);
    /* A lecture keeps at least one scene. */
    g_assert_false(ns_lecture_edit(path, 2, edits, 0, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_clear_error(&error);
    /* Scenes that are not there any more. */
    g_assert_false(ns_lecture_edit(path, 3, edits, 2, &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_file_get_contents(path, &left, NULL, NULL);
    g_assert_cmpstr(left, ==, after);
    /* A scene that was added since the only one before it was listed. */
    const NsSceneEdit first = {0, "Drei", ""};
    g_assert_true(ns_lecture_edit(path, 1, &first, 1, NULL));
    g_autoptr(NsLecture) lecture = ns_lecture_load(path, NULL);
    g_assert_cmpuint(lecture->n, ==, 2);
    g_assert_cmpstr(lecture->scene[0].preset.experiment.title, ==, "Drei");
    g_assert_cmpstr(lecture->scene[1].preset.experiment.title, ==, "Eins");
    g_unlink(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/preset/read", test_read);
    g_test_add_func("/preset/one-lane", test_one_lane);
    g_test_add_func("/preset/task", test_task);
    g_test_add_func("/preset/not-silent", test_not_silent);
    g_test_add_func("/preset/refused", test_refused);
    g_test_add_func("/preset/is", test_is);
    g_test_add_func("/preset/begins", test_begins);
    g_test_add_func("/preset/write", test_write);
    g_test_add_func("/preset/write-tasks", test_write_tasks);
    g_test_add_func("/preset/write-random", test_write_random);
    g_test_add_func("/preset/load", test_load);
    g_test_add_func("/preset/lecture", test_lecture);
    g_test_add_func("/preset/lecture-refused", test_lecture_refused);
    g_test_add_func("/preset/lecture-append", test_lecture_append);
    g_test_add_func("/preset/lecture-edit", test_lecture_edit);
    return g_test_run();
}
