/* Work that is not a run, and usually short: after a second a terminal shows
 * that it goes on, and it can be given a limit of CPU time. One at a time. */
#ifndef ORR_CLI_PATIENCE_H
#define ORR_CLI_PATIENCE_H

/* Not 0: the limit has been reached. For `interrupt` of options. */
extern volatile int orr__patience_over;

/* doing: what is being done. cpu_s: from now on; 0: no limit. */
void orr__patience_begin(const char *doing, double cpu_s);
/* What is being done now, shortened to 80 bytes. */
void orr__patience_say(const char *doing);
/* Wipes the line, and lifts the limit. */
void orr__patience_end(void);

#endif
