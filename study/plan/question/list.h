/* Every kind of question: X(NAME, of) is orr__question_NAME; its file stands in
 * study/plan/NAME/. */
#define ORR_QUESTION_LIST(X, of...)                                            \
    X(pipedream, of)                                                           \
    X(topoopt, of)
