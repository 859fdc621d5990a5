/* Where what was worked out once is remembered for other runs. */
#ifndef ORR_STUDY_CACHE_H
#define ORR_STUDY_CACHE_H

/* ORRERY_CACHE, or orrery/ in the user's own folder for such things; it is made
 * if it is not there. To be freed with orr__free; NULL: there is none. */
char *orr__cache_folder(void);

#endif
