#include "record/record.h"

#include <assert.h>
#include <errno.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/file.h"
#include "core/libraries.h"
#include "core/memory.h"
#include "record/pack.h"
#include "record/record_file.h"
#include "record/record_scales.h"
#include "record/record_storage.h"

/* Tiles are stored as they lie in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "little-endian");

/* HDF5 1.10 crashes, or corrupts what it holds, when an allocation of its own
 * fails, even while it starts or closes a file. So it is called only while
 * there is much more memory than a call takes, and what closing takes is kept
 * in reserve from the start. What remains is another thread of the program
 * that takes the rest within a call. */
#define SPARE   ((size_t)4 << 20) /* a call takes 1.1 MB */
#define OPENING ((size_t)4 << 20) /* on top: a file takes 4.6 MB */
#define STEP    ((size_t)1 << 20) /* in which the reserve grows */
/* What texts are converted in, at a time: HDF5 clears all of it for each call,
 * and without a word takes 1 MB. */
#define CONVERSION ((size_t)32 << 10)
/* Of each dataset, held before they are written: rows are added at the end, so
 * the last piece is all that is written to twice. HDF5 has room for 521. */
#define PIECES       7
#define PIECES_BYTES ((size_t)1 << 20)

/* A group or a dataset, held open as long as something may be written to it. */
struct object {
    hid_t id; /* -1: closed */
    enum orr_record_type type;
    int scale[2];      /* of a column: [0]; of a matrix: both */
    uint32_t chunk;    /* rows of a tile or piece */
    bool packed;       /* of a scale: compressed, with its columns */
    uint64_t size[2];  /* extent */
    uint64_t tile_row; /* of a matrix: the last one that was written to; which
                        * of its tiles were */
    uint8_t *written;  /* bool, room for so many; owned */
    uint32_t written_room;
    struct orr_record_user *user; /* of a scale: what it belongs to; owned */
    uint32_t users, user_room, users_written; /* of these; in the file */
};

/* A record that is being written. What fails is kept, and told at the end. */
struct orr_record {
    struct orr_record_file file;
    hid_t h5, driver, string, transfer; /* -1: not there */
    struct orr_record_storage storage;  /* of the last dataset that was made */
    struct object *object;
    int n_objects;
    unsigned room;
    struct orr_packer *packer;  /* once a tile was compressed */
    struct orr_reserve reserve; /* for closing the file, come what may */
    struct orr_report why;      /* first failure of HDF5 or of memory */
};

/* What closing takes: HDF5 makes an image of all metadata that changed. */
static bool reserve(struct orr_record *r)
{
    size_t most, least, now = 0;
    int entries;
    if (r->h5 >= 0)
        H5Fget_mdc_size(r->h5, &most, &least, &now, &entries);
    return orr__reserve_take(&r->reserve,
                             (SPARE + 2 * now) / STEP * STEP + STEP);
}

/* True when there is a point in going on, and room for HDF5 to do so: SPARE and
 * so many bytes. Makes this thread's HDF5 silent. */
static bool usable_for(struct orr_record *r, size_t bytes)
{
    if (orr__record_failed(r))
        return false;
    if (orr__memory_spare(SPARE + bytes)) {
        orr__libraries_init_hdf5();
        if (reserve(r))
            return true;
    }
    (void)!orr__fail(&r->why, ORR_ENOMEM, "writing %s: out of memory",
                     r->file.name);
    return false;
}

static bool usable(struct orr_record *r)
{
    return usable_for(r, 0);
}

/* Notes the failure of an HDF5 call; the results of all calls pass here. */
static hid_t note_result(struct orr_record *r, hid_t result)
{
    char doing[300];
    if (result >= 0)
        return result;
    snprintf(doing, sizeof doing, "writing %s", r->file.name);
    (void)!orr__libraries_hdf5(&r->why, doing);
    return -1;
}

/* NULL: not there, or closed. */
static struct object *object_of(struct orr_record *r, int object)
{
    if (object < 0 || object >= r->n_objects || r->object[object].id < 0)
        return NULL;
    return &r->object[object];
}

/* Enters an open HDF5 object; -1 and closed when there is no memory. */
static int enter_object(struct orr_record *r, hid_t id, struct object o)
{
    if (id < 0)
        return -1;
    if (!orr__array_more(r->object, r->room, r->n_objects)) {
        (void)!orr__no_memory(&r->why);
        return -1; /* closing the file closes id */
    }
    o.id = id;
    r->object[r->n_objects] = o;
    return r->n_objects++;
}

orr_err orr__record_target(const char *path, char **target,
                           struct orr_report *why)
{
    struct orr_report reason = {.code = ORR_OK};
    bool regular;
    orr_err err = orr__file_target(path, target, &regular, &reason);
    if (err)
        return orr__fail(why, err == ORR_EIO ? ORR_ECONFIG : err, "%s",
                         reason.message);
    if (regular)
        return ORR_OK;
    orr__free(*target);
    *target = NULL;
    return orr__fail(why, ORR_ECONFIG, "cannot write %s: not a regular file",
                     path);
}

/* v18 bounds and no eviction of metadata: the file changes its own structure
 * only while it is flushed, so a killed process leaves the last flush. */
static hid_t access_list(struct orr_record *r)
{
    hid_t list = note_result(r, H5Pcreate(H5P_FILE_ACCESS));
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    if (list < 0)
        return -1;
    note_result(r, H5Pset_fclose_degree(list, H5F_CLOSE_STRONG));
    note_result(r, H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V18));
    note_result(r, H5Pget_mdc_config(list, &cache));
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    note_result(r, H5Pset_mdc_config(list, &cache));
    note_result(r, H5Pset_cache(list, 0, PIECES, PIECES_BYTES, 0.75));
    r->driver = note_result(r, orr__record_file_driver(&r->file, list));
    return list;
}

/* The file, with the root group. */
static void create(struct orr_record *r)
{
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t access = access_list(r);
    hid_t list = note_result(r, H5Pcreate(H5P_FILE_CREATE));
    if (access >= 0 && list >= 0 && r->driver >= 0) {
        note_result(r, H5Pset_obj_track_times(list, false));
        note_result(r, H5Pset_link_creation_order(list, order));
        note_result(r, H5Pset_attr_creation_order(list, order));
        r->h5 = note_result(
            r, H5Fcreate(r->file.name, H5F_ACC_TRUNC, list, access));
    }
    r->string = note_result(r, H5Tcopy(H5T_C_S1));
    if (r->string >= 0) {
        note_result(r, H5Tset_size(r->string, H5T_VARIABLE));
        note_result(r, H5Tset_cset(r->string, H5T_CSET_UTF8));
    }
    r->transfer = note_result(r, H5Pcreate(H5P_DATASET_XFER));
    if (r->transfer >= 0)
        note_result(r, H5Pset_buffer(r->transfer, CONVERSION, NULL, NULL));
    if (r->h5 >= 0)
        enter_object(r, note_result(r, H5Gopen2(r->h5, "/", H5P_DEFAULT)),
                     (struct object){.chunk = 0});
    if (list >= 0)
        H5Pclose(list);
    if (access >= 0)
        H5Pclose(access);
}

orr_err orr__record_open(const char *name, struct orr_record **out,
                         struct orr_report *why)
{
    struct orr_record *r = orr__alloc(1, sizeof *r);
    if (r == NULL)
        return orr__no_memory(why);
    orr_err err = orr__record_file_open(&r->file, name, why);
    if (err) {
        orr__free(r);
        return err;
    }
    r->h5 = r->driver = r->string = r->transfer = r->storage.list = -1;
    if (usable_for(r, OPENING)) {
        create(r);
        orr__record_text(r, ORR_RECORD_ROOT, "source", "orrery " ORR_VERSION);
        orr__record_number(r, ORR_RECORD_ROOT, "orrery_format",
                           ORR_RECORD_FORMAT);
    }
    struct orr_report first = {.code = ORR_OK};
    err = orr__record_flush(r, &first);
    if (err) {
        /* Nothing has run yet: an output that cannot be written is a wrong
         * argument of the user's. */
        err = orr__fail(why, err == ORR_EIO ? ORR_ECONFIG : err, "%s",
                        first.message);
        orr__record_discard(r, false);
        return err;
    }
    *out = r;
    return ORR_OK;
}

bool orr__record_failed(const struct orr_record *r)
{
    return r->why.code != ORR_OK || r->file.error != 0;
}

/* The system's reason comes first: what HDF5 says follows from it. */
static orr_err record_state(const struct orr_record *r, struct orr_report *why)
{
    orr_err err = orr__record_file_state(&r->file, why);
    if (err == ORR_OK && r->why.code != ORR_OK)
        err = orr__fail(why, r->why.code, "%s", r->why.message);
    return err;
}

/* The list of what a scale belongs to, if that has changed. */
static void list_users(struct orr_record *r, struct object *o)
{
    if (o->users == o->users_written || !usable(r))
        return;
    note_result(r, orr__record_list_users(o->id, o->user, o->users));
    o->users_written = o->users;
}

static void list_all_users(struct orr_record *r)
{
    for (int i = 0; i < r->n_objects; i++)
        list_users(r, &r->object[i]);
}

void orr__record_finish(struct orr_record *r, int object)
{
    struct object *o = object_of(r, object);
    if (o == NULL || !usable(r))
        return;
    list_users(r, o);
    note_result(r, H5Dclose(o->id));
    o->id = -1;
}

orr_err orr__record_flush(struct orr_record *r, struct orr_report *why)
{
    list_all_users(r);
    if (usable(r) && usable_for(r, r->reserve.bytes - SPARE))
        note_result(r, H5Fflush(r->h5, H5F_SCOPE_GLOBAL));
    return record_state(r, why);
}

orr_err orr__record_rename(struct orr_record *r, const char *name,
                           struct orr_report *why)
{
    return orr__record_file_rename(&r->file, name, why);
}

/* All that HDF5 holds of it; once. */
static void close_h5(struct orr_record *r)
{
    if (r->h5 < 0 && r->driver < 0 && r->string < 0 && r->transfer < 0)
        return;
    list_all_users(r);
    (void)!usable(r); /* brings the reserve up to date */
    orr__reserve_release(&r->reserve);
    orr__libraries_init_hdf5();
    if (r->string >= 0)
        H5Tclose(r->string);
    if (r->transfer >= 0)
        H5Pclose(r->transfer);
    orr__record_store_fini(&r->storage);
    if (r->h5 >= 0) /* closes the objects too */
        note_result(r, H5Fclose(r->h5));
    if (r->driver >= 0)
        H5FDunregister(r->driver);
    r->h5 = r->driver = r->string = r->transfer = -1;
}

orr_err orr__record_close(struct orr_record *r, const char *target,
                          struct orr_report *why)
{
    close_h5(r);
    orr_err err = record_state(r, why);
    if (err == ORR_OK)
        err = orr__record_file_sync(&r->file, why);
    if (err == ORR_OK)
        err = orr__record_file_rename(&r->file, target, why);
    orr__record_discard(r, err == ORR_OK);
    return err;
}

void orr__record_discard(struct orr_record *r, bool keep)
{
    if (r == NULL)
        return;
    close_h5(r);
    orr__record_file_close(&r->file, keep);
    orr__reserve_release(&r->reserve);
    orr__packer_free(r->packer);
    for (int i = 0; i < r->n_objects; i++) {
        orr__free(r->object[i].written);
        orr__free(r->object[i].user);
    }
    orr__free(r->object);
    orr__free(r);
}

int orr__record_group(struct orr_record *r, const char *name)
{
    unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
    hid_t list, id = -1;
    if (!usable(r) || (list = note_result(r, H5Pcreate(H5P_GROUP_CREATE))) < 0)
        return -1;
    if (note_result(r, H5Pset_obj_track_times(list, false)) >= 0
        && note_result(r, H5Pset_link_creation_order(list, order)) >= 0
        && note_result(r, H5Pset_attr_creation_order(list, order)) >= 0)
        id = note_result(
            r, H5Gcreate2(r->h5, name, H5P_DEFAULT, list, H5P_DEFAULT));
    H5Pclose(list);
    return enter_object(r, id, (struct object){.chunk = 0});
}

/* Writes n elements of a type as an attribute that is not there, a scalar when
 * n is 0; while the record is usable. */
static void attribute(struct orr_record *r, int object, const char *name,
                      hid_t type, hsize_t n, hid_t memory, const void *values)
{
    struct object *o = object_of(r, object);
    if (o == NULL || orr__record_failed(r))
        return;
    hid_t space = note_result(r, n ? H5Screate_simple(1, &n, NULL)
                                   : H5Screate(H5S_SCALAR));
    hid_t id = note_result(
        r, H5Acreate2(o->id, name, type, space, H5P_DEFAULT, H5P_DEFAULT));
    if (id >= 0) {
        note_result(r, H5Awrite(id, memory, values));
        H5Aclose(id);
    }
    if (space >= 0)
        H5Sclose(space);
}

/* A fixed-length string, which all readers know. */
static void text_attribute(struct orr_record *r, int object, const char *name,
                           const char *text)
{
    hid_t type = note_result(r, H5Tcopy(H5T_C_S1));
    if (type < 0)
        return;
    size_t n = strlen(text);
    note_result(r, H5Tset_size(type, n ? n : 1));
    note_result(r, H5Tset_strpad(type, H5T_STR_NULLPAD));
    note_result(r, H5Tset_cset(type, H5T_CSET_UTF8));
    attribute(r, object, name, type, 0, type, text);
    H5Tclose(type);
}

/* While the record is usable. */
static void remove_attribute(struct orr_record *r, int object, const char *name)
{
    struct object *o = object_of(r, object);
    if (o && note_result(r, H5Aexists(o->id, name)) > 0)
        note_result(r, H5Adelete(o->id, name));
}

void orr__record_text(struct orr_record *r, int object, const char *name,
                      const char *text)
{
    if (!usable(r))
        return;
    remove_attribute(r, object, name);
    text_attribute(r, object, name, text);
}

void orr__record_number(struct orr_record *r, int object, const char *name,
                        uint64_t value)
{
    if (!usable(r))
        return;
    remove_attribute(r, object, name);
    attribute(r, object, name, H5T_STD_U64LE, 0, H5T_NATIVE_UINT64, &value);
}

/* As it lies in the file, little-endian. */
static hid_t file_type(const struct orr_record *r, enum orr_record_type type)
{
    switch (type) {
    case ORR_RECORD_U8: return H5T_STD_U8LE;
    case ORR_RECORD_U32: return H5T_STD_U32LE;
    case ORR_RECORD_U64: return H5T_STD_U64LE;
    case ORR_RECORD_I64: return H5T_STD_I64LE;
    case ORR_RECORD_F32: return H5T_IEEE_F32LE;
    case ORR_RECORD_F64: return H5T_IEEE_F64LE;
    case ORR_RECORD_TEXT: return r->string;
    }
    return -1;
}

/* As it is given to the calls. */
static hid_t memory_type(const struct orr_record *r, enum orr_record_type type)
{
    switch (type) {
    case ORR_RECORD_U8: return H5T_NATIVE_UINT8;
    case ORR_RECORD_U32: return H5T_NATIVE_UINT32;
    case ORR_RECORD_U64: return H5T_NATIVE_UINT64;
    case ORR_RECORD_I64: return H5T_NATIVE_INT64;
    case ORR_RECORD_F32: return H5T_NATIVE_FLOAT;
    case ORR_RECORD_F64: return H5T_NATIVE_DOUBLE;
    case ORR_RECORD_TEXT: return r->string;
    }
    return -1;
}

/* flag_values 0, 1, 2 ... for the words of `meanings`, as CF has it. */
static void describe_flags(struct orr_record *r, int object,
                           const char *meanings)
{
    uint8_t value[32];
    size_t n = 1;
    for (const char *c = meanings; *c && n < sizeof value; c++)
        n += *c == ' ';
    for (size_t i = 0; i < n; i++)
        value[i] = (uint8_t)i;
    attribute(r, object, "flag_values", H5T_STD_U8LE, n, H5T_NATIVE_UINT8,
              value);
    text_attribute(r, object, "flag_meanings", meanings);
}

/* A new dataset; all of them and the call that made it take less than SPARE. */
static void describe(struct orr_record *r, int object,
                     const struct orr_record_column *c)
{
    text_attribute(r, object, "long_name", c->long_name);
    text_attribute(r, object, "units", c->units);
    if (c->flags)
        describe_flags(r, object, c->flags);
}

/* Returns its object; -1 after a failure. */
static int make_dataset(struct orr_record *r, int group,
                        const struct orr_record_column *c, int rank,
                        struct object shape, const hsize_t *chunk)
{
    static const hsize_t none[2] = {0, 0};
    static const hsize_t unlimited[2] = {H5S_UNLIMITED, H5S_UNLIMITED};
    struct object *g = object_of(r, group);
    if (!usable(r) || g == NULL)
        return -1;
    struct orr_record_storage as = {
        .rank = rank,
        .chunk = {chunk[0], rank > 1 ? chunk[1] : 0},
        .packed = shape.packed,
        .sums = c->type != ORR_RECORD_TEXT};
    hid_t id = -1, list = note_result(r, orr__record_store(&r->storage, &as));
    hid_t space = note_result(r, H5Screate_simple(rank, none, unlimited));
    if (list >= 0 && space >= 0)
        id = note_result(r, H5Dcreate2(g->id, c->name, file_type(r, c->type),
                                       space, H5P_DEFAULT, list, H5P_DEFAULT));
    if (space >= 0)
        H5Sclose(space);
    int made = enter_object(r, id, shape);
    if (made >= 0)
        describe(r, made, c);
    return made;
}

/* A dataset belongs to a scale at that side; the scale's list is written when
 * the file is brought up to date. */
static void note_user(struct orr_record *r, struct object *scale,
                      hobj_ref_t dataset, int side)
{
    struct orr_record_user *d;
    if (!orr__array_more(scale->user, scale->user_room, scale->users)) {
        (void)!orr__no_memory(&r->why);
        return;
    }
    d = memset(&scale->user[scale->users++], 0, sizeof *d); /* and gaps */
    d->dataset = dataset;
    d->side = side;
}

/* The scales of all sides of a new dataset. */
static void attach(struct orr_record *r, int made, const int *scale, int sides)
{
    struct object *d = object_of(r, made);
    hobj_ref_t self, ref[ORR_RECORD_SIDES];
    if (d == NULL || !usable(r)
        || note_result(r, orr__record_refer(d->id, &self)) < 0)
        return;
    for (int i = 0; i < sides; i++) {
        struct object *s = object_of(r, scale[i]);
        if (s == NULL || note_result(r, orr__record_refer(s->id, &ref[i])) < 0)
            return;
        note_user(r, s, self, i);
    }
    note_result(r, orr__record_set_scales(d->id, ref, sides));
}

/* Returns its object; -1 after a failure. */
static int make_scale(struct orr_record *r, int group,
                      const struct orr_record_column *c, uint32_t chunk,
                      bool packed)
{
    hsize_t piece = chunk;
    struct object shape = {.type = c->type, .chunk = chunk, .packed = packed};
    int made = make_dataset(r, group, c, 1, shape, &piece);
    if (made >= 0)
        note_result(r, H5DSset_scale(r->object[made].id, c->name));
    return made;
}

int orr__record_scale(struct orr_record *r, int group,
                      const struct orr_record_column *c, uint32_t chunk)
{
    return make_scale(r, group, c, chunk, false);
}

int orr__record_packed_scale(struct orr_record *r, int group,
                             const struct orr_record_column *c, uint32_t chunk)
{
    return make_scale(r, group, c, chunk, true);
}

/* What HDF5 keeps of texts are places in a heap. */
int orr__record_column(struct orr_record *r, int group,
                       const struct orr_record_column *c, int scale)
{
    struct object *s = object_of(r, scale);
    if (s == NULL)
        return -1;
    hsize_t piece = s->chunk;
    struct object shape = {.type = c->type,
                           .chunk = s->chunk,
                           .packed = s->packed && c->type != ORR_RECORD_TEXT,
                           .scale = {scale}};
    int made = make_dataset(r, group, c, 1, shape, &piece);
    attach(r, made, &scale, 1);
    return made;
}

int orr__record_matrix(struct orr_record *r, int group,
                       const struct orr_record_column *c, int rows, int cols)
{
    struct object *s = object_of(r, rows), *t = object_of(r, cols);
    if (s == NULL || t == NULL)
        return -1;
    hsize_t piece[2] = {s->chunk, t->chunk};
    struct object shape = {.type = c->type,
                           .chunk = s->chunk,
                           .packed = true,
                           .scale = {rows, cols}};
    int made = make_dataset(r, group, c, 2, shape, piece);
    attach(r, made, (int[]){rows, cols}, 2);
    return made;
}

void orr__record_alias(struct orr_record *r, int group, int object,
                       const char *name)
{
    struct object *g = object_of(r, group), *o = object_of(r, object);
    if (g && o && usable(r))
        note_result(r, H5Olink(o->id, g->id, name, H5P_DEFAULT, H5P_DEFAULT));
}

void orr__record_array(struct orr_record *r, int group,
                       const struct orr_record_column *c, const int *scale,
                       uint32_t scales, const void *values)
{
    hsize_t size[ORR_RECORD_SIDES], n = 1;
    struct object *g = object_of(r, group);
    if (g == NULL || scales > ORR_RECORD_SIDES)
        return;
    for (uint32_t i = 0; i < scales; i++) {
        const struct object *s = object_of(r, scale[i]);
        if (s == NULL)
            return;
        size[i] = s->size[0];
        n *= size[i];
    }
    if (!usable_for(r, 2 * n * sizeof(uint64_t)))
        return;
    hid_t id = -1, list = note_result(r, H5Pcreate(H5P_DATASET_CREATE));
    hid_t space = note_result(r, H5Screate_simple((int)scales, size, NULL));
    if (list >= 0 && space >= 0) {
        note_result(r, H5Pset_obj_track_times(list, false));
        note_result(r,
                    H5Pset_attr_creation_order(
                        list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
        id = note_result(r, H5Dcreate2(g->id, c->name, file_type(r, c->type),
                                       space, H5P_DEFAULT, list, H5P_DEFAULT));
    }
    if (list >= 0)
        H5Pclose(list);
    if (space >= 0)
        H5Sclose(space);
    int made = enter_object(r, id, (struct object){.type = c->type});
    if (made < 0)
        return;
    describe(r, made, c);
    attach(r, made, scale, (int)scales);
    note_result(r, H5Dwrite(id, memory_type(r, c->type), H5S_ALL, H5S_ALL,
                            r->transfer, values));
}

/* To at least so many rows and columns. */
static void grow_object(struct orr_record *r, struct object *o, uint64_t rows,
                        uint64_t cols)
{
    hsize_t size[2] = {rows > o->size[0] ? rows : o->size[0],
                       cols > o->size[1] ? cols : o->size[1]};
    if (size[0] == o->size[0] && size[1] == o->size[1])
        return;
    note_result(r, H5Dset_extent(o->id, size));
    o->size[0] = size[0];
    o->size[1] = size[1];
}

/* Writes n elements of a column from `at` on. */
static void put_value(struct orr_record *r, const struct object *o, hsize_t at,
                      hsize_t n, const void *values)
{
    hid_t file = note_result(r, H5Dget_space(o->id));
    hid_t memory = note_result(r, H5Screate_simple(1, &n, NULL));
    if (file >= 0 && memory >= 0) {
        note_result(
            r, H5Sselect_hyperslab(file, H5S_SELECT_SET, &at, NULL, &n, NULL));
        note_result(r, H5Dwrite(o->id, memory_type(r, o->type), memory, file,
                                r->transfer, values));
    }
    if (memory >= 0)
        H5Sclose(memory);
    if (file >= 0)
        H5Sclose(file);
}

/* Compressed, if that makes it smaller. HDF5's own filters would do the same
 * in buffers that are made and cleared for each tile. */
static void put_packed(struct orr_record *r, const struct object *o,
                       const hsize_t *at, const void *values, size_t bytes)
{
    size_t packed = 0;
    const void *out = NULL;
    if (r->packer == NULL)
        r->packer = orr__packer_new();
    if (r->packer)
        out = orr__pack_values(r->packer, values, bytes,
                               H5Tget_size(file_type(r, o->type)), &packed);
    if (out == NULL)
        (void)!orr__no_memory(&r->why);
    else if (packed)
        note_result(r, H5Dwrite_chunk(o->id, H5P_DEFAULT, 0, at, packed, out));
    else
        note_result(r,
                    H5Dwrite_chunk(o->id, H5P_DEFAULT, 3, at, bytes, values));
}

/* A piece, filled up with zeros. */
static void put_piece(struct orr_record *r, const struct object *o, hsize_t at,
                      hsize_t n, const void *values)
{
    size_t size = H5Tget_size(file_type(r, o->type));
    void *piece = orr__alloc(o->chunk, size);
    assert(at % o->chunk == 0 && n <= o->chunk);
    if (piece) {
        memcpy(piece, values, n * size);
        put_packed(r, o, &at, piece, o->chunk * size);
    } else {
        (void)!orr__no_memory(&r->why);
    }
    orr__free(piece);
}

void orr__record_write(struct orr_record *r, int column, uint64_t row,
                       uint64_t n, const void *values)
{
    struct object *o = object_of(r, column);
    if (o == NULL || n == 0 || !usable_for(r, 2 * n * sizeof(uint64_t)))
        return;
    grow_object(r, o, row + n, 0);
    if (o->packed)
        put_piece(r, o, row, n, values);
    else
        put_value(r, o, row, n, values);
}

void orr__record_extend(struct orr_record *r, int matrix, uint64_t rows,
                        uint64_t cols)
{
    struct object *o = object_of(r, matrix);
    if (o && usable(r))
        grow_object(r, o, rows, cols);
}

/* Notes that a tile is written; *before: it was before. False: no memory. To
 * ask HDF5 is to go through all tiles that there are. */
static bool note_tile(struct object *o, uint64_t row, uint64_t col,
                      bool *before)
{
    uint32_t had = o->written_room;
    if (!orr__array_more(o->written, o->written_room, col))
        return false;
    memset(o->written + had, 0, o->written_room - had);
    assert(row >= o->tile_row);
    if (row > o->tile_row)
        memset(o->written, 0, o->written_room);
    o->tile_row = row;
    *before = o->written[col];
    o->written[col] = true;
    return true;
}

void orr__record_tile(struct orr_record *r, int matrix, uint64_t tile_row,
                      uint64_t tile_col, const void *values, bool final)
{
    struct object *o = object_of(r, matrix);
    if (o == NULL || !usable(r))
        return;
    hsize_t height = o->chunk, width = r->object[o->scale[1]].chunk;
    hsize_t at[2] = {tile_row * height, tile_col * width};
    size_t bytes =
        (size_t)(height * width) * H5Tget_size(file_type(r, o->type));
    bool before;
    if (at[0] >= o->size[0] || at[1] >= o->size[1])
        return;
    /* A compressed tile would move when it is written again, and its old
     * place be given to others while a flushed index still points there. */
    if (!note_tile(o, tile_row, tile_col, &before))
        (void)!orr__no_memory(&r->why);
    else if (!final || before)
        note_result(r,
                    H5Dwrite_chunk(o->id, H5P_DEFAULT, 3, at, bytes, values));
    else
        put_packed(r, o, at, values, bytes);
}

void orr__record_note(struct orr_record *r, int group, const char *name,
                      const char *long_name, const char *text)
{
    struct object *g = object_of(r, group);
    if (g == NULL || !usable_for(r, 2 * strlen(text)))
        return;
    hid_t id = -1, space = note_result(r, H5Screate(H5S_SCALAR));
    hid_t list = note_result(r, H5Pcreate(H5P_DATASET_CREATE));
    if (list >= 0)
        note_result(r, H5Pset_obj_track_times(list, false));
    if (space >= 0 && list >= 0)
        id = note_result(r, H5Dcreate2(g->id, name, r->string, space,
                                       H5P_DEFAULT, list, H5P_DEFAULT));
    if (list >= 0)
        H5Pclose(list);
    int made = enter_object(r, id, (struct object){.type = ORR_RECORD_TEXT});
    if (made >= 0) {
        note_result(
            r, H5Dwrite(id, r->string, H5S_ALL, H5S_ALL, r->transfer, &text));
        orr__record_text(r, made, "long_name", long_name);
        orr__record_text(r, made, "units", "1");
    }
    if (space >= 0)
        H5Sclose(space);
}

void orr__record_library(char *buf, size_t size)
{
    unsigned a = 0, b = 0, c = 0;
    H5get_libversion(&a, &b, &c);
    snprintf(buf, size, "%u.%u.%u", a, b, c);
}
