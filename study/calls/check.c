/* `orrery check` as a call. */
#include "study/check/check.h"

#include "study/calls/reply.h"

orr_err orr_study_check(const struct orr_check_call *call, orr_reply **out,
                        struct orr_report *why)
{
    static const struct orr_options none;
    struct orr_check_call c;
    struct orr_config_file file;
    struct orr_checked k = {.x = NULL};
    orr_err err = orr__call_take("orr_study_check", call, sizeof c, sizeof c,
                                 &c, out, why);
    if (err)
        return err;
    orr_reply *r = orr__reply_new();
    if (!r)
        return orr__no_memory(why);
    err = orr__config_file_read(&file, c.config, why);
    if (err == ORR_OK)
        err = orr__check_file(&file, c.options ? c.options : &none, NULL, &k,
                              why);
    if (err == ORR_OK) {
        r->json = orr__checked_json(&k);
        r->text = orr__checked_text(&k);
    }
    orr__checked_fini(&k);
    orr__config_file_fini(&file);
    return orr__reply_give(r, err, out, why);
}
