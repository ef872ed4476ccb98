/* The bytes of one log of another program, as lines.  Internal to outside*.c.
 * SPDX-License-Identifier: MIT
 *
 * Bytes are those of an event file or of lines, and may be compressed with gzip.  Each format of
 * lines is a file with a row in the table of outside_input.c, and recognizes its own lines. */
#pragma once

#include "core/store/outside.h"
#include "core/store/outside_events-private.h"

#include <gio/gio.h>

/* Maximum nesting depth of a document. */
#define NS_OUTSIDE_DEEPEST 64

typedef struct NsOutsideInput NsOutsideInput;

/* The columns of a table. */
typedef struct {
    char separator;
    const NsOutsideName **names; /* [n]; NULL for a column without a name */
    size_t n;
    size_t lanes;  /* the number of runs in its columns; 0 if they do not name runs */
    bool has_step; /* a column is the step */
    bool markdown; /* lines that do not begin with “|” are not rows */
    bool loose;    /* it is among other text: lines with other numbers of cells are not rows */
    guint value;   /* the column of numbers whose names are in the column `called` */
    guint called;  /* G_MAXUINT: none */
    guint run;     /* the column of the names of runs; G_MAXUINT: none */
    bool comma;    /* a number with a decimal comma was read */
    bool begun;    /* a row was read */
    bool joined;   /* its names are those of several lines */
    const char *repeated; /* the name that two columns have; or NULL */
    bool by_row;          /* its columns are steps, and its rows quantities */
    char *head;           /* the line with the names, where a row may have fewer cells; or NULL */
} NsOutsideTable;

/* The step that lines of text have named for lines after them; initialized with zeros. */
typedef struct {
    NsOutsideCell at[NS_OUTSIDE_EPOCH + 1]; /* the last step and epoch; NULL: none */
    NsOutsideCell epoch;                    /* the one of that step */
    NsOutsideLine *early; /* what lines say of the last step before the first loss; or NULL */
    double bar;           /* the length of the bar that had the step; 0: none */
    double bar_of_steps;  /* of the bar that counts the steps; 0: not known */
    double total;   /* of “[10/500]”, of which the training batches are counted; 0: not known */
    double pair[2]; /* of the last “Batch 2/300” */
    const NsOutsideName *worse; /* of a step, in lines that have a better one; or NULL */
    bool pairs;                 /* the first of them is the epoch */
    bool used;                  /* a loss was read at the step or epoch in `at` */
    bool begun, stepped;        /* a loss was read; in a line that has its step */
} NsOutsideText;

struct NsOutsideInput {
    NsOutsideNames *names;
    char *prefix;
    NsOutside *owner; /* which takes what is read */

    /* The file, set by its owner. */
    size_t number;
    char *name, *writer; /* NULL if it is the only one */
    int64_t start;       /* when it was begun, in seconds */
    size_t lane;         /* from 1; 0: the lines say it */
    bool left_out;       /* another process of the run writes the same */

    bool known;              /* whether the format has been detected */
    GConverter *converter;   /* of gzip or UTF-16; NULL if its bytes are read as they are */
    GByteArray *unconverted; /* bytes that were not converted yet */
    bool damaged;            /* nothing more can be converted */
    NsOutsideEvents *events; /* NULL if the format is lines */
    NsOutsideTable *table;   /* NULL if it is not a table */
    GPtrArray *cells;        /* of the row that is read, borrowed from it */
    bool expects_table;      /* the first line is that of a table, even if no column is known */
    GString *text;           /* an incomplete line, or bytes before the format is known */
    double process;          /* whose number a launcher wrote before the line; -1: none */
    bool numbered;           /* that number may also be the step */
    bool returned;           /* a line of a table ended with “\r”, which “\n” may follow */
    bool open;               /* the line goes on in the next one */
    bool passing;            /* skipping the rest of a line that was too long */
    GString *head; /* the last line of text or comment, which may be the head of a table */
    bool begun;    /* the first line that is not empty has been read */
    bool foreign;  /* it begins with settings of this program */
    bool not_utf8; /* a line is not UTF-8, which was noted */
    NsOutsideLine *line;
    size_t lines;           /* the number of lines or events that were read */
    size_t logged, of_text; /* of those of a log, and of text among these */
    size_t steps;           /* lines of text that have a step and nothing else of a log */
    bool of_json;           /* a line of JSON was one of a log */
    NsOutsideText printed;

    /* A document of JSON. */
    bool document, in_string, escaped;
    char brackets[NS_OUTSIDE_DEEPEST]; /* that are open */
    size_t depth, captured;      /* captured: the depth of the object that is being read; 0: none */
    size_t objects;              /* that were read */
    bool of_validation;          /* the array of the object that is read is called so */
    const NsOutsideName *called; /* the name of that array; or NULL */
    GString *object, *outer; /* the text of that object, and of the document without such objects */
};

/* `prefix`: the name of a folder that its tags belong to, or NULL.  The names are borrowed. */
NsOutsideInput *ns_outside_input_new(NsOutsideNames *names, const char *prefix, NsOutside *owner);
void ns_outside_input_free(NsOutsideInput *input);

/* Reads the next bytes, which may end in the middle of a line. */
void ns_outside_input_feed(NsOutsideInput *input, const char *bytes, size_t n);

/* Passes on the newest step of an event file, although it may be incomplete; returns whether there
 * was one that is new. */
bool ns_outside_input_pause(NsOutsideInput *input);

/* The last line may lack its newline. */
void ns_outside_input_end(NsOutsideInput *input);

/* Whether this is a log of another program, as far as it was read.  `last`: nothing more comes;
 * before that it is not said of lines of text, of which enough have to be those of a log. */
bool ns_outside_input_is_log(const NsOutsideInput *input, bool last);

/* “event file of TensorBoard”, “table”, “JSON lines”, ...; empty before it is known. */
const char *ns_outside_input_format(const NsOutsideInput *input);

/* ---- Formats of lines ---- */

/* Reads input->text as a line of the format, if it is one; `start` is its first byte that is no
 * space, and `first` says that all lines before it are empty. */
typedef bool NsOutsideTake(NsOutsideInput *input, char *start, bool first);
NsOutsideTake ns_outside_document_take, ns_outside_table_take, ns_outside_json_take,
    ns_outside_text_take;

/* Passes on input->line; `why`: what is wrong with it, as the beginning of a sentence, or NULL. */
void ns_outside_input_take(NsOutsideInput *input, const char *why);

/* Marks the names of the numbers in a line that was read. */
void ns_outside_input_mark(const NsOutsideLine *line);

/* Reads the names of the columns from the first line of a table.  `n`: the number of cells in the
 * row below it, one of which may have no name; 0: not known.  Returns false if it is not a table of
 * a training run. */
bool ns_outside_table_begin(NsOutsideInput *input, const char *text, char separator, size_t n);

void ns_outside_table_free(NsOutsideTable *table); /* also of NULL */

/* Reads a row, in place. */
void ns_outside_table_row(NsOutsideInput *input, char *text);

/* Reads the next bytes of a document. */
void ns_outside_json_feed(NsOutsideInput *input, const char *bytes, size_t n);

/* Reads the line as a table by column or by row, if it is one. */
bool ns_outside_json_take_points(NsOutsideInput *input);

/* Takes what a launcher puts before each line of a process off the line: “0: ” (srun),
 * “[1,0]<stdout>:” (mpirun), “[rank0]: ”, “[default0]:” (torchrun), “worker-0: ” (DeepSpeed). */
void ns_outside_text_take_label(NsOutsideInput *input);

/* Makes a line of text ready to be read, in place: without colors, and with “\r” where a progress
 * bar begins again. */
void ns_outside_text_clean(char *text);

/* ---- What its owner does ---- */

/* Takes the line of the input, which it may keep, putting another one in its place. */
void ns_outside_take_line(NsOutsideInput *input);

/* Reports that a line or event cannot be read.  `why` is the beginning of a sentence, to be
 * translated. */
void ns_outside_skip_line(NsOutsideInput *input, const char *why);
