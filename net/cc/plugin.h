/* Congestion controls from shared objects, as include/orrery/cc.h has them.
 * What is loaded belongs to a document: it is found by the document's readers
 * of controls alone, and is closed with it. */
#ifndef ORR_NET_CC_PLUGIN_H
#define ORR_NET_CC_PLUGIN_H

#include "net/cc/cc.h"

#define ORR_CC_MOST_PLUGINS 32

/* Loads what the key `plugins` lists: paths relative to the document's folder.
 * list NULL: nothing. Once a document. What is loaded runs code of its own. */
ORR_CHECK_RESULT orr_err orr__cc_plugins_read(struct orr_config *c,
                                              const struct orr_yaml *list,
                                              struct orr_report *why);
/* Adds paths, relative to the working directory, to the document's list;
 * messages call them "--plugin PATH". Before the document is read. */
ORR_CHECK_RESULT orr_err orr__cc_plugins_add(struct orr_config *c,
                                             const char *const *paths, size_t n,
                                             struct orr_report *why);
/* The i-th control that was loaded; NULL past the last. */
const struct orr_cc_ops *orr__cc_plugged(const struct orr_config *c, size_t i);

#endif
