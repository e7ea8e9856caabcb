/* chained_stacks SHAPE CPU-SECONDS - hard_stacks with frame pointers. */
#include "hard_stacks.c"
