/* Files of other programs that are replaced while they are watched.  SPDX-License-Identifier: MIT
 */
#include "core/store/outside_watch.h"
#include "core/train/run.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

typedef enum {
    TRUNCATED, /* opened with “w” */
    RENAMED,   /* another file takes the name */
    DELETED,   /* and created again */
    WAYS,
} Way;

typedef struct {
    char *folder, *a, *b;
    NsOutsideWatch *watch;
    NsRecordedRun *run;
} Fixture;

/* Writes “STEP:LOSS STEP:LOSS”, in a lane of the file from 1. */
static void write_steps(const char *path, const char *mode, int lane, const char *steps)
{
    FILE *file = fopen(path, mode);
    g_assert_nonnull(file);
    g_auto(GStrv) all = g_strsplit(steps, " ", -1);
    for (char **one = all; *one && **one; one++) {
        const char *loss = strchr(*one, ':') + 1;
        fprintf(file, "{\"step\":%.*s,\"loss\":%s,\"lane\":%d}\n", (int)(loss - 1 - *one), *one,
                loss, lane);
    }
    g_assert_cmpint(fclose(file), ==, 0);
}

/* The newest step of a lane and the state. */
static void wait_for(const Fixture *f, size_t lane, int64_t newest, NsOutsideState state)
{
    gint64 deadline = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
    for (;;) {
        bool others;
        ns_outside_watch_update(f->watch, f->run, &others);
        const NsHistory *history = lane < f->run->lanes ? f->run->histories[lane] : NULL;
        int64_t last = history ? ns_history_last_step(history) : -1;
        if (last == newest && f->run->state == state) return;
        if (g_get_monotonic_time() > deadline)
            g_error("waited for step %d in state %d; it is step %d in state %d", (int)newest,
                    (int)state, (int)last, (int)f->run->state);
        g_usleep(5000);
    }
}

static void replace(const Fixture *f, Way way, const char *steps)
{
    g_autofree char *other = g_build_filename(f->folder, "other", NULL);
    size_t lane = 0;
    if (way == DELETED) {
        g_remove(f->a);
        wait_for(f, lane, ns_history_last_step(f->run->histories[0]), NS_OUTSIDE_GONE);
    }
    write_steps(way == TRUNCATED ? f->a : other, "we", 1, steps);
    if (way != TRUNCATED) g_assert_cmpint(g_rename(other, f->a), ==, 0);
}

static Fixture begin(const char *a, const char *b)
{
    Fixture f = {.folder = g_dir_make_tmp("normscope-watch-XXXXXX", NULL)};
    f.a = g_build_filename(f.folder, "a.jsonl", NULL);
    f.b = g_build_filename(f.folder, "b.jsonl", NULL);
    write_steps(f.a, "we", 1, a);
    if (b) write_steps(f.b, "we", 1, b);
    f.run = ns_recorded_run_new(f.a);
    f.watch = ns_outside_watch_new((const char *const[]){f.a, f.b}, b ? 2 : 1, NULL, NULL);
    g_assert_nonnull(f.watch);
    return f;
}

static void end(Fixture *f)
{
    ns_outside_watch_free(f->watch);
    ns_recorded_run_free(f->run);
    g_remove(f->a);
    g_remove(f->b);
    g_rmdir(f->folder);
    g_free(f->folder);
    g_free(f->a);
    g_free(f->b);
}

/* The next run that was replaced must end at this step, with this loss at its first one; -1: there
 * is none. */
static void assert_earlier(const Fixture *f, size_t lanes, int64_t newest, double first)
{
    g_autofree char *title = NULL;
    g_autoptr(NsOutsideWatch) earlier = ns_outside_watch_take_earlier(f->watch, &title);
    g_assert_true((earlier != NULL) == (newest >= 0));
    if (!earlier) return;
    g_autoptr(NsRecordedRun) run = ns_recorded_run_new(NULL);
    bool others;
    g_assert_true(ns_outside_watch_update(earlier, run, &others));
    g_assert_false(ns_outside_watch_update(earlier, run, &others));
    g_assert_cmpuint(run->lanes, ==, lanes);
    g_assert_cmpint(run->state, ==, NS_OUTSIDE_CLOSED);
    g_assert_cmpint(ns_history_last_step(run->histories[0]), ==, newest);
    g_assert_cmpfloat(ns_history_step(run->histories[0], 0)->loss, ==, first);
    bool is_b = g_str_equal(title, "b.jsonl");
    g_assert_cmpstr(run->names[0], ==, lanes > 1 ? "a 1" : is_b ? "b" : "a");
}

/* “again”: more of the new file than this decides. */
static void test_replaced(void)
{
    static const struct {
        const char *what, *before, *after, *more;
        bool again;
        int64_t shown, shown_then, earlier;
    } cases[] = {
        {"shorter and other", "0:3 1:2 2:1", "0:5 1:4", "2:3", false, 1, 2, 2},
        {"longer and other", "0:3 1:2 2:1", "0:5 1:4 2:3 3:2", "4:1", false, 3, 4, 2},
        {"not written yet, then other", "0:3 1:2 2:1", "", "0:9", true, 2, 0, 2},
        {"not written yet, then the same", "0:3 1:2 2:1", "", "0:3 1:2 2:1", true, 2, 2, -1},
        {"the beginning, then the rest", "0:3 1:2 2:1", "0:3 1:2", "2:1 3:0", true, 2, 3, -1},
        {"the same seed, then other", "0:3 1:2 2:1 3:0", "0:3 1:2", "2:7", true, 3, 2, 3},
        {"the same", "0:3 1:2 2:1", "0:3 1:2 2:1", "3:0", false, 2, 3, -1},
        {"the same and more", "0:3 1:2 2:1", "0:3 1:2 2:1 3:0", "4:0", false, 3, 4, -1},
        {"the same with NaN", "0:3 1:NaN 2:1", "0:3 1:NaN 2:1 3:0", "4:0", false, 3, 4, -1},
        {"the newest was a mean so far", "0:3 1:2 2:1", "0:3 1:2 2:5 3:0", "4:0", false, 3, 4, -1},
        {"the newest steps only", "0:3 1:2 2:1", "1:2 2:1 3:0", "4:0", false, 3, 4, -1},
        {"the newest step only", "5:3", "6:2", "7:1", false, 6, 7, -1},
        {"later steps", "0:3 1:2 2:1", "30:1", "31:1", false, 30, 31, 2},
        {"earlier steps", "3:3 7:2", "2:5", "3:3", false, 2, 3, 7},
        {"fewer steps", "0:3 1:3 2:1 3:0", "0:3 2:1", "4:0", false, 2, 4, 3},
        {"more steps", "0:3 10:2 20:1", "0:3 10:2 15:7 20:1", "21:0", false, 20, 21, -1},
    };
    for (Way way = 0; way < WAYS; way++)
        for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
            g_test_message("%s, way %d", cases[i].what, (int)way);
            Fixture f = begin(cases[i].before, NULL);
            const char *last = strrchr(cases[i].before, ' ');
            wait_for(&f, 0, atoi(last ? last + 1 : cases[i].before), NS_OUTSIDE_OPEN);
            replace(&f, way, cases[i].after);
            wait_for(&f, 0, cases[i].shown, cases[i].again ? NS_OUTSIDE_AGAIN : NS_OUTSIDE_OPEN);
            if (cases[i].again) assert_earlier(&f, 1, -1, 0);
            write_steps(f.a, "ae", 1, cases[i].more);
            wait_for(&f, 0, cases[i].shown_then, NS_OUTSIDE_OPEN);
            assert_earlier(&f, 1, cases[i].earlier, cases[i].before[2] - '0');
            assert_earlier(&f, 1, -1, 0);
            end(&f);
        }
}

/* Of a file that is replaced again, the longest run is compared, and each other run is an earlier
 * one. */
static void test_twice(void)
{
    for (Way way = 0; way < WAYS; way++) {
        Fixture f = begin("0:3 1:2 2:1", NULL);
        wait_for(&f, 0, 2, NS_OUTSIDE_OPEN);
        replace(&f, way, "0:3");
        wait_for(&f, 0, 2, NS_OUTSIDE_AGAIN);
        replace(&f, way, "0:3 1:2");
        g_usleep(300000);
        wait_for(&f, 0, 2, NS_OUTSIDE_AGAIN);
        assert_earlier(&f, 1, -1, 0);
        replace(&f, way, "0:4 1:3 2:3 3:3 4:4");
        wait_for(&f, 0, 4, NS_OUTSIDE_OPEN);
        replace(&f, way, "0:5 1:4");
        wait_for(&f, 0, 1, NS_OUTSIDE_OPEN);
        assert_earlier(&f, 1, 2, 3);
        assert_earlier(&f, 1, 4, 4);
        assert_earlier(&f, 1, -1, 0);
        end(&f);
    }
}

/* Of two files one is replaced; then the lanes of one file, of which one is the same. */
static void test_lanes(void)
{
    Fixture f = begin("0:3 1:2 2:1", "0:7 1:6 2:5 3:4");
    wait_for(&f, 0, 2, NS_OUTSIDE_OPEN);
    wait_for(&f, 1, 3, NS_OUTSIDE_OPEN);
    write_steps(f.b, "we", 1, "0:8 1:8");
    wait_for(&f, 1, 1, NS_OUTSIDE_OPEN);
    wait_for(&f, 0, 2, NS_OUTSIDE_OPEN);
    assert_earlier(&f, 1, 3, 7);
    write_steps(f.a, "ae", 2, "0:9 1:9 2:9");
    wait_for(&f, 1, 2, NS_OUTSIDE_OPEN);
    g_assert_cmpuint(f.run->lanes, ==, 3);
    replace(&f, RENAMED, "0:3 1:2 2:1");
    wait_for(&f, 0, 2, NS_OUTSIDE_OPEN);
    assert_earlier(&f, 1, -1, 0); /* the second lane may follow */
    write_steps(f.a, "ae", 2, "0:4");
    wait_for(&f, 1, 0, NS_OUTSIDE_OPEN);
    assert_earlier(&f, 2, 2, 3);
    /* One of two is gone. */
    g_remove(f.a);
    wait_for(&f, 0, 2, NS_OUTSIDE_GONE);
    write_steps(f.a, "we", 1, "0:3 1:2 2:1");
    write_steps(f.a, "ae", 2, "0:4 1:4");
    wait_for(&f, 1, 1, NS_OUTSIDE_OPEN);
    assert_earlier(&f, 1, -1, 0);
    end(&f);
}

/* Files are told apart by the part of their paths in which they differ. */
static void test_names(void)
{
    static const char *const rows[][3] = {
        {"/r/a.csv /r/b.csv", "a b", "a.csv b.csv"},
        {"/r/runA/log.csv /r/runB/log.csv", "runA runB", "runA runB"},
        {"runA/log.csv /r/log.csv ../runB/log.csv", "runA r runB", "runA r runB"},
        {"/r/log.csv /r/log.jsonl", "log.csv log.jsonl", "log.csv log.jsonl"},
        {"/r/a/logs/log.csv /r/b/logs/log.csv", "a b", "a b"},
        {"/r/lr0.1 /r/lr0.2/", "lr0.1 lr0.2", "lr0.1 lr0.2"},
        {"/a/x.csv /a/x.tsv /b/x.csv", "/a/x.csv /a/x.tsv /b/x.csv", "/a/x.csv /a/x.tsv /b/x.csv"},
        {"/a/x.csv /a/x.csv", "/a/x.csv /a/x.csv", "/a/x.csv /a/x.csv"},
        {"/a/x.csv", "x", "x.csv"},
        {"/a/lr0.1", "lr0.1", "lr0.1"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(GStrv) paths = g_strsplit(rows[i][0], " ", -1);
        for (int endings = 0; endings < 2; endings++) {
            g_auto(GStrv) names =
                ns_recorded_run_names((const char *const *)paths, g_strv_length(paths), endings);
            g_autofree char *found = g_strjoinv(" ", names);
            g_assert_cmpstr(found, ==, rows[i][1 + endings]);
        }
    }
    Fixture f = begin("0:3", NULL);
    g_autofree char *inner = g_build_filename(f.folder, "inner", NULL);
    g_autofree char *same = g_build_filename(inner, "a.jsonl", NULL);
    g_autofree char *folder = g_path_get_basename(f.folder);
    g_assert_cmpint(g_mkdir(inner, 0700), ==, 0);
    write_steps(same, "we", 1, "0:4 1:x");
    ns_outside_watch_free(f.watch);
    f.watch = ns_outside_watch_new((const char *const[]){f.a, same}, 2, NULL, NULL);
    wait_for(&f, 1, 0, NS_OUTSIDE_OPEN);
    g_assert_cmpstr(f.run->names[0], ==, folder);
    g_assert_cmpstr(f.run->names[1], ==, "inner");
    g_autofree char *message = g_queue_pop_head(&f.run->messages);
    g_assert_true(g_str_has_prefix(message, "“inner”: Line 2: "));
    g_remove(same);
    g_remove(inner);
    end(&f);
}

/* Other columns have other values, and are of the same run. */
static void test_columns(void)
{
    Fixture f = begin("0:3 1:2 2:1", NULL);
    wait_for(&f, 0, 2, NS_OUTSIDE_OPEN);
    replace(&f, RENAMED, "0:3");
    wait_for(&f, 0, 2, NS_OUTSIDE_AGAIN);
    ns_outside_watch_map(f.watch, 0, "lane=loss");
    wait_for(&f, 0, 0, NS_OUTSIDE_OPEN);
    assert_earlier(&f, 1, -1, 0);
    ns_outside_watch_map(f.watch, 0, "");
    end(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/watch/replaced", test_replaced);
    g_test_add_func("/watch/twice", test_twice);
    g_test_add_func("/watch/lanes", test_lanes);
    g_test_add_func("/watch/names", test_names);
    g_test_add_func("/watch/columns", test_columns);
    return g_test_run();
}
