#include "record/record_read.h"

#include <errno.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/libraries.h"
#include "core/memory.h"

/* More than any record has, and few enough that products do not wrap. */
#define MOST_ELEMENTS (UINT64_C(1) << 34)

/* A record that is read. */
struct orr_reader {
    char *name;
    hid_t h5;
    bool starved; /* HDF5 was short of memory: what it says of the file since
                   * then may be wrong */
    char failed[256]; /* the first of what HDF5 did not even look up, or open;
                       * "": nothing. It counts as not there until somebody
                       * asks whether the file is sound */
};

/* ok: whether the HDF5 function just called did what it was to do; as it is. */
static bool note_works(struct orr_reader *r, bool ok)
{
    r->starved |= !ok && orr__libraries_hdf5_starved();
    return ok;
}

static orr_err no_memory(const char *name, const char *path,
                         struct orr_report *why)
{
    return orr__fail(why, ORR_ENOMEM, "%s: not enough memory to read %s", name,
                     path);
}

static orr_err broken(struct orr_reader *r, const char *path,
                      struct orr_report *why)
{
    H5Eclear2(H5E_DEFAULT);
    if (r->starved)
        return no_memory(r->name, path, why);
    return orr__fail(why, ORR_ECONFIG,
                     "%s: %s cannot be read: the file is "
                     "damaged, or of another version",
                     r->name, path);
}

/* The format of a file of orrery; others pass, and are found out by what they
 * lack. */
static orr_err known_format(struct orr_reader *r, struct orr_report *why)
{
    static const char name[] = "orrery ", first[] = "orrery 0.1.";
    uint64_t format = ORR_RECORD_FORMAT;
    char *source;
    bool said = orr__reader_number(r, "/", "orrery_format", &format);
    orr_err err = orr__reader_text(r, "/", "source", &source, why);
    if (err)
        return err;
    bool ours = source && strncmp(source, name, strlen(name)) == 0;
    if (!said && source && strncmp(source, first, strlen(first)) == 0)
        format = 1;
    if (format != ORR_RECORD_FORMAT) {
        err = orr__fail(why, ORR_ECONFIG,
                        "%s is of %s, in format %" PRIu64
                        "; this is orrery %s, which reads format %d",
                        r->name, ours ? source : "orrery", format,
                        orr_version(), ORR_RECORD_FORMAT);
        orr__hint(why, "run it again with this version");
    }
    orr__free(source);
    return err;
}

orr_err orr__reader_open(const char *name, struct orr_reader **out,
                         struct orr_report *why)
{
    if (access(name, R_OK) != 0)
        return orr__fail(why, ORR_ECONFIG, "%s: %s", name, strerror(errno));
    orr__libraries_init_hdf5();
    htri_t hdf5 = H5Fis_hdf5(name);
    if (hdf5 < 0 && orr__libraries_hdf5_starved())
        return no_memory(name, "it", why);
    if (hdf5 <= 0) {
        H5Eclear2(H5E_DEFAULT);
        orr_err err = orr__fail(why, ORR_ECONFIG, "%s is no HDF5 file", name);
        const char *dot = strrchr(name, '.');
        if (dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0))
            orr__hint(why,
                      "run it first: `orrery run %.80s -o run.h5` writes "
                      "the record",
                      name);
        return err;
    }
    struct orr_reader *r = orr__alloc(1, sizeof *r);
    if (!r || !(r->name = orr__strdup(name))) {
        orr__free(r);
        return orr__no_memory(why);
    }
    r->h5 = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (!note_works(r, r->h5 >= 0)) {
        H5Eclear2(H5E_DEFAULT);
        orr_err err = r->starved ? no_memory(name, "it", why)
                                 : orr__fail(why, ORR_ECONFIG,
                                             "%s cannot be opened: it is "
                                             "truncated, or still being "
                                             "written",
                                             name);
        orr__reader_close(r);
        return err;
    }
    orr_err err = known_format(r, why);
    if (err)
        orr__reader_close(r);
    else
        *out = r;
    return err;
}

void orr__reader_close(struct orr_reader *r)
{
    if (!r)
        return;
    if (r->h5 >= 0)
        H5Fclose(r->h5);
    orr__free(r->name);
    orr__free(r);
}

const char *orr__reader_name(const struct orr_reader *r)
{
    return r->name;
}

/* The same of what the file says is there. */
static bool note_holds(struct orr_reader *r, const char *path, bool ok)
{
    if (!note_works(r, ok) && !r->failed[0])
        snprintf(r->failed, sizeof r->failed, "%s", path);
    return ok;
}

/* What HDF5 answered: > 0 yes, 0 no, < 0 it failed. */
static bool is_there(struct orr_reader *r, const char *path, htri_t answer)
{
    return note_holds(r, path, answer >= 0) && answer > 0;
}

orr_err orr__reader_sound(struct orr_reader *r, struct orr_report *why)
{
    return r->failed[0] ? broken(r, r->failed, why) : ORR_OK;
}

/* H5Lexists asks of the last part only; all before it must be there. */
bool orr__reader_has(struct orr_reader *r, const char *path)
{
    char part[256];
    if (strcmp(path, "/") == 0)
        return true;
    for (const char *p = path; (p = strchr(p, '/')); p++) {
        snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
        if (part[0] && !is_there(r, part, H5Lexists(r->h5, part, H5P_DEFAULT)))
            return false;
    }
    return is_there(r, path, H5Lexists(r->h5, path, H5P_DEFAULT));
}

/* ---- attributes --------------------------------------------------------- */

/* The caller closes what it gets; negative if there is none. */
static hid_t open_attribute(struct orr_reader *r, const char *path,
                            const char *name)
{
    if (!orr__reader_has(r, path)
        || !is_there(r, path,
                     H5Aexists_by_name(r->h5, path, name, H5P_DEFAULT))) {
        H5Eclear2(H5E_DEFAULT);
        return -1;
    }
    hid_t a = H5Aopen_by_name(r->h5, path, name, H5P_DEFAULT, H5P_DEFAULT);
    (void)note_holds(r, path, a >= 0);
    return a;
}

/* What other programs write: a text of its own length. */
static orr_err read_variable(struct orr_reader *r, hid_t a, hid_t type,
                             const char *name, char **text,
                             struct orr_report *why)
{
    char *there = NULL;
    hid_t space = H5Aget_space(a);
    orr_err err = ORR_OK;
    if (H5Sget_simple_extent_npoints(space) != 1
        || !note_works(r, H5Aread(a, type, &there) >= 0)) {
        err = broken(r, name, why);
    } else {
        *text = orr__strdup(there ? there : "");
        err = *text ? ORR_OK : orr__no_memory(why);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, &there);
    }
    H5Sclose(space);
    return err;
}

/* An attribute of fixed length; *text is the caller's. */
static orr_err read_fixed(struct orr_reader *r, hid_t a, hid_t type,
                          const char *name, char **text, struct orr_report *why)
{
    size_t size = H5Tget_size(type);
    if (size > 1 << 24 || H5Aget_storage_size(a) != size)
        return broken(r, name, why);
    if (!(*text = orr__alloc(size + 1, 1)))
        return orr__no_memory(why);
    if (note_works(r, H5Aread(a, type, *text) >= 0))
        return ORR_OK;
    orr__free(*text);
    *text = NULL;
    return broken(r, name, why);
}

orr_err orr__reader_text(struct orr_reader *r, const char *path,
                         const char *name, char **text, struct orr_report *why)
{
    *text = NULL;
    hid_t a = open_attribute(r, path, name);
    if (a < 0)
        return r->starved ? broken(r, name, why) : ORR_OK;
    hid_t type = H5Aget_type(a);
    orr_err err = H5Tget_class(type) != H5T_STRING ? broken(r, name, why)
                  : H5Tis_variable_str(type) > 0
                      ? read_variable(r, a, type, name, text, why)
                      : read_fixed(r, a, type, name, text, why);
    H5Tclose(type);
    H5Aclose(a);
    return err;
}

bool orr__reader_number(struct orr_reader *r, const char *path,
                        const char *name, uint64_t *value)
{
    hid_t a = open_attribute(r, path, name);
    if (a < 0)
        return false;
    hid_t space = H5Aget_space(a);
    bool ok = H5Sget_simple_extent_npoints(space) == 1
              && note_works(r, H5Aread(a, H5T_NATIVE_UINT64, value) >= 0);
    H5Sclose(space);
    H5Aclose(a);
    H5Eclear2(H5E_DEFAULT);
    return ok;
}

/* ---- datasets ----------------------------------------------------------- */

/* A negative number: it is not there, or is none. */
static hid_t open_dataset(struct orr_reader *r, const char *path)
{
    H5O_info_t info;
    if (!orr__reader_has(r, path)
        || !note_holds(r, path,
                       H5Oget_info_by_name2(r->h5, path, &info, H5O_INFO_BASIC,
                                            H5P_DEFAULT)
                           >= 0)
        || info.type != H5O_TYPE_DATASET) {
        H5Eclear2(H5E_DEFAULT);
        return -1;
    }
    hid_t d = H5Dopen2(r->h5, path, H5P_DEFAULT);
    (void)note_holds(r, path, d >= 0);
    return d;
}

/* Its sides into `size`; returns how many, or -1. */
static int shape_of(hid_t dataset, uint64_t *size)
{
    hsize_t extent[H5S_MAX_RANK];
    hid_t space = H5Dget_space(dataset);
    int n = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    if (n > 0 && n <= ORR_RECORD_SIDES)
        H5Sget_simple_extent_dims(space, extent, NULL);
    else
        n = 0;
    for (int i = 0; i < n; i++)
        size[i] = extent[i];
    if (space >= 0)
        H5Sclose(space);
    return n;
}

int orr__reader_shape(struct orr_reader *r, const char *path, uint64_t *size)
{
    hid_t d = open_dataset(r, path);
    if (d < 0)
        return 0;
    int n = shape_of(d, size);
    H5Dclose(d);
    return n;
}

/* As it is given to the caller. */
static hid_t memory_type(enum orr_record_type type)
{
    switch (type) {
    case ORR_RECORD_U8: return H5T_NATIVE_UINT8;
    case ORR_RECORD_U32: return H5T_NATIVE_UINT32;
    case ORR_RECORD_U64: return H5T_NATIVE_UINT64;
    case ORR_RECORD_I64: return H5T_NATIVE_INT64;
    case ORR_RECORD_F32: return H5T_NATIVE_FLOAT;
    case ORR_RECORD_F64: return H5T_NATIVE_DOUBLE;
    case ORR_RECORD_TEXT: break;
    }
    return -1;
}

static bool is_number(hid_t dataset)
{
    hid_t type = H5Dget_type(dataset);
    H5T_class_t c = H5Tget_class(type);
    H5Tclose(type);
    return c == H5T_INTEGER || c == H5T_FLOAT;
}

/* Rows [first, first + n), all their columns. False: it failed. */
static bool read_rows(struct orr_reader *r, hid_t d, enum orr_record_type type,
                      uint64_t first, uint64_t n, void *values)
{
    uint64_t size[ORR_RECORD_SIDES];
    hsize_t start[ORR_RECORD_SIDES] = {first}, count[ORR_RECORD_SIDES];
    int sides = shape_of(d, size);
    if (sides == 0 || first > size[0] || n > size[0] - first || !is_number(d))
        return false;
    if (n == 0)
        return true;
    for (int i = 0; i < sides; i++)
        count[i] = i == 0 ? n : size[i];
    hid_t file = H5Dget_space(d), memory = H5Screate_simple(sides, count, NULL);
    bool ok = note_works(r, H5Sselect_hyperslab(file, H5S_SELECT_SET, start,
                                                NULL, count, NULL)
                                >= 0)
              && note_works(r, H5Dread(d, memory_type(type), memory, file,
                                       H5P_DEFAULT, values)
                                   >= 0);
    H5Sclose(file);
    H5Sclose(memory);
    return ok;
}

orr_err orr__reader_rows(struct orr_reader *r, const char *path,
                         enum orr_record_type type, uint64_t first, uint64_t n,
                         void *values, struct orr_report *why)
{
    hid_t d = open_dataset(r, path);
    bool ok = d >= 0 && read_rows(r, d, type, first, n, values);
    if (d >= 0)
        H5Dclose(d);
    return ok ? ORR_OK : broken(r, path, why);
}

/* Elements in all; false: too many, or no array. */
static bool elements(hid_t d, uint64_t *n)
{
    uint64_t size[ORR_RECORD_SIDES];
    int sides = shape_of(d, size);
    *n = 1;
    for (int i = 0; i < sides; i++) {
        if (size[i] && *n > MOST_ELEMENTS / size[i])
            return false;
        *n *= size[i];
    }
    return sides > 0;
}

orr_err orr__reader_column(struct orr_reader *r, const char *path,
                           enum orr_record_type type, void **values,
                           uint64_t *n, struct orr_report *why)
{
    static const size_t bytes[] = {1, 4, 8, 8, 4, 8};
    uint64_t size[ORR_RECORD_SIDES];
    *values = NULL;
    hid_t d = open_dataset(r, path);
    orr_err err = ORR_OK;
    if (d < 0 || !elements(d, n))
        err = broken(r, path, why);
    else if (!(*values = orr__alloc(*n, bytes[type])))
        err = orr__no_memory(why);
    else if (shape_of(d, size) == 0
             || !read_rows(r, d, type, 0, size[0], *values))
        err = broken(r, path, why);
    if (d >= 0)
        H5Dclose(d);
    if (err) {
        orr__free(*values);
        *values = NULL;
    }
    return err;
}

/* ---- texts -------------------------------------------------------------- */

void orr__reader_free_texts(char **text, uint64_t n)
{
    for (uint64_t i = 0; text && i < n; i++)
        orr__free(text[i]);
    orr__free(text);
}

/* Copies of texts that HDF5 has allocated. */
static orr_err copy_texts(char *const *from, uint64_t n, char ***text,
                          struct orr_report *why)
{
    *text = orr__alloc(n, sizeof **text);
    if (!*text)
        return orr__no_memory(why);
    for (uint64_t i = 0; i < n; i++)
        if (!((*text)[i] = orr__strdup(from[i] ? from[i] : ""))) {
            orr__reader_free_texts(*text, i);
            *text = NULL;
            return orr__no_memory(why);
        }
    return ORR_OK;
}

/* *text is to be freed with orr__reader_free_texts. */
static orr_err read_texts(struct orr_reader *r, hid_t d, const char *path,
                          char ***text, uint64_t n, struct orr_report *why)
{
    char **there = orr__alloc(n, sizeof *there);
    if (!there)
        return orr__no_memory(why);
    hid_t type = H5Dget_type(d), space = H5Dget_space(d);
    orr_err err = ORR_OK;
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) <= 0
        || !note_works(r, H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, there)
                              >= 0)) {
        err = broken(r, path, why);
    } else {
        err = copy_texts(there, n, text, why);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, there);
    }
    H5Sclose(space);
    H5Tclose(type);
    orr__free(there);
    return err;
}

orr_err orr__reader_texts(struct orr_reader *r, const char *path, char ***text,
                          uint64_t *n, struct orr_report *why)
{
    *text = NULL;
    hid_t d = open_dataset(r, path);
    orr_err err = ORR_OK;
    if (d < 0) {
        err = broken(r, path, why);
    } else {
        hid_t space = H5Dget_space(d);
        if (H5Sget_simple_extent_type(space) == H5S_SCALAR)
            *n = 1;
        else if (!elements(d, n))
            err = broken(r, path, why);
        H5Sclose(space);
    }
    if (err == ORR_OK)
        err = read_texts(r, d, path, text, *n, why);
    if (d >= 0)
        H5Dclose(d);
    return err;
}

bool orr__reader_is_text(struct orr_reader *r, const char *path)
{
    hid_t d = open_dataset(r, path);
    if (d < 0)
        return false;
    hid_t type = H5Dget_type(d);
    bool text = H5Tget_class(type) == H5T_STRING;
    H5Tclose(type);
    H5Dclose(d);
    return text;
}

static herr_t take_name(hid_t dataset, unsigned side, hid_t scale, void *name)
{
    char path[256] = "";
    if (H5Iget_name(scale, path, sizeof path) > 1)
        *(char **)name = orr__strdup(path + 1);
    return 1; /* the first is enough */
}

orr_err orr__reader_scale(struct orr_reader *r, const char *path, unsigned side,
                          char **name, struct orr_report *why)
{
    hid_t d = open_dataset(r, path);
    *name = NULL;
    if (d >= 0) {
        (void)H5DSiterate_scales(d, side, NULL, take_name, name);
        H5Dclose(d);
    }
    return *name ? ORR_OK : broken(r, path, why);
}

orr_err orr__reader_names(struct orr_reader *r, const char *group, char ***text,
                          uint64_t *n, struct orr_report *why)
{
    H5G_info_t info;
    *text = NULL;
    *n = 0;
    if (!orr__reader_has(r, group)
        || !note_works(r, H5Gget_info_by_name(r->h5, group, &info, H5P_DEFAULT)
                              >= 0))
        return broken(r, group, why);
    *text = orr__alloc(info.nlinks, sizeof **text);
    if (!*text)
        return orr__no_memory(why);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[256] = "";
        if (H5Lget_name_by_idx(r->h5, group, H5_INDEX_CRT_ORDER, H5_ITER_INC, i,
                               name, sizeof name, H5P_DEFAULT)
            < 0)
            (void)H5Lget_name_by_idx(r->h5, group, H5_INDEX_NAME, H5_ITER_INC,
                                     i, name, sizeof name, H5P_DEFAULT);
        if (!((*text)[i] = orr__strdup(name))) {
            orr__reader_free_texts(*text, i);
            *text = NULL;
            return orr__no_memory(why);
        }
        ++*n;
    }
    return ORR_OK;
}
