/* librankscope: the C interface through which programs in any language are ranks of a run.
 *
 * A program that was started under `rankscope exec` joins the run (rs_join), sends and receives, and leaves
 * (rs_leave). Messages, matching, deadlock detection and the trace are those of the built-in algorithms: there is
 * one implementation for every language.
 *
 * Every function returns RS_OK or a negative code; rs_error() says what went wrong, in words for the person who
 * wrote the program. Functions may be called from any thread, one call at a time for each communicator.
 * Ranks are ranks of the communicator that is given, unless said otherwise. */
#ifndef RANKSCOPE_H
#define RANKSCOPE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define RS_API __attribute__((visibility("default")))
#else
#define RS_API
#endif

/* Raised with every change that is not an addition. */
#define RS_VERSION 1
RS_API int rs_version(void);

enum {
  RS_OK = 0,
  RS_PENDING = 1, /* rs_wait: the time is over and the request is not done; call again */
  RS_USAGE =
      -1, /* the call cannot be carried out: a rank that does not exist, no such algorithm ... */
  RS_COMM = -2,    /* communication failed: a message that does not fit, a peer that is gone */
  RS_STOPPED = -3, /* the run was ended: deadlock, time-out, failure of another rank, Ctrl-C */
  RS_NO_RUN = -4   /* rs_join: this process was not started under rankscope */
};
/* Of the last call in this thread that returned a negative code. Valid until the next call. */
RS_API const char* rs_error(void);
/* Of the same call: what went wrong, where the code leaves it open. */
enum {
  RS_REASON_OTHER = 0,
  RS_REASON_TRUNCATED = 1 /* RS_COMM: a message that is longer than the memory of its receive */
};
RS_API int rs_error_reason(void);

enum { RS_UINT8 = 0, RS_INT32, RS_INT64, RS_FLOAT32, RS_FLOAT64 };
enum { RS_SUM = 0, RS_PRODUCT, RS_MIN, RS_MAX, RS_AVG, RS_BAND, RS_BOR, RS_BXOR };
#define RS_ANY (-1) /* any source, any tag */

typedef struct rs_session rs_session;
typedef struct rs_comm rs_comm;
typedef struct rs_request rs_request;

/* Where in the program a call stands: the innermost line first. Texts are copied. */
#define RS_STACK 4
typedef struct rs_place {
  const char* file;
  const char* function;
  uint32_t line;
} rs_place;
typedef struct rs_stack {
  uint32_t depth; /* 0 to RS_STACK */
  rs_place place[RS_STACK];
} rs_stack;

/* A contiguous run of `count` elements, which lies in an array: views show the array, and in it the part that a
 * message reads or fills. */
#define RS_DIMS 8
typedef struct rs_memory {
  void* data; /* may be null when count is 0 */
  uint64_t count;
  int32_t dtype;
  uint32_t dims;          /* of the array; 0: the run is the array */
  void* array;            /* its first element; data lies in it */
  int64_t shape[RS_DIMS]; /* its extents */
  const char* name;       /* a name for it ("recv_buffer"); null: none. Taken the first time only */
} rs_memory;

typedef struct rs_status {
  int32_t source; /* -1: none (a send) */
  int32_t tag;
  uint64_t bytes;
  void* message; /* RS_MESSAGE: what came, to be freed with rs_free; else null */
} rs_status;

/* ---- the run ---- */

typedef struct rs_join_options {
  int32_t rank; /* -1: any free one */
  int32_t size; /* of the world; 0: only to be given tasks (contract exercises) */
  const char*
      key; /* ranks with one key form one world, e.g. "127.0.0.1:29500"; null: the default */
  const char* platform; /* "torch", "mpi", "ray", "native": how its sends behave */
  const char* program;  /* a name for people: "student.py" */
} rs_join_options;
/* Waits for all other ranks. The run's settings (send mode, trace) are those of `rankscope exec`. */
RS_API int rs_join(const rs_join_options* options, rs_session** out);
/* Has the end of this process reported as the rank's error, with its line: an exception that nobody catches, a signal
 * (SIGSEGV, SIGFPE, SIGABRT ...), exit(). For programs in C and C++; to be called after rs_join by the program's own
 * thread, which is asked for its line when the run is ended. */
RS_API int rs_report_end(rs_session* session);
/* This rank's part is over: ok, or with what went wrong. Null: the exception that was thrown last, for a rank whose end
 * is reported. Requests and communicators are gone then. */
RS_API int rs_leave(rs_session* session, int ok, const char* error);
/* This rank is being ended for no fault of its own (the program that calls it has failed): to be said before rs_leave.
 * `where`: what it was at, in case it was in none of the functions below; may be null. */
RS_API void rs_ended(rs_session* session, const char* why, const rs_stack* where);
/* Not 0 when buffers are recorded with their contents (names and shapes of arrays are of use). */
RS_API int rs_full_trace(const rs_session* session);
/* How many threads the program has now. With more than one nobody can tell from a rank that waits that it will
 * wait for ever: another thread may go on. To be reported before a wait, when the number has changed. */
RS_API void rs_threads(rs_session* session, int count);
/* The rank makes no call of its own accord: RS_UNCALLED, until its program calls it (an actor of Ray between two
 * calls); RS_WAITING, until something is there that only other ranks bring about (it waits for another actor's
 * result). It counts as asleep, so the program must say RS_AWAKE before it acts in any way. `where` is the line that
 * waits: of an uncalled rank that of the program which would call it. */
enum { RS_AWAKE = 0, RS_UNCALLED = 1, RS_WAITING = 2 };
RS_API void rs_idle(rs_session* session, int idle, const rs_stack* where);
/* To be called in a thread of its own: blocks until the run is ended, or the rank has left it. A rank that is in none
 * of the functions above when the run is ended is asked in which line it is, for the trace: `ask` fills the stack;
 * with depth 0 nothing is recorded. First it is called with null: from then on the session may be left. */
RS_API void rs_watch_work(rs_session* session, void (*ask)(rs_stack* where));
/* Owned by the session. Null for one that was made for tasks alone (size 0). */
RS_API rs_comm* rs_world(rs_session* session);
RS_API int rs_rank(const rs_comm* comm);
RS_API int rs_size(const rs_comm* comm);
/* -1 for a rank that does not exist. */
RS_API int rs_world_rank(const rs_comm* comm, int rank);

/* ---- messages ---- */

enum {
  RS_BLOCKING =
      1, /* the program waits for it at once: shown as send or recv, not as isend and wait */
  RS_RENDEZVOUS =
      2, /* of a send: ends only when its receive is posted, whatever the run's mode (MPI_Ssend) */
  RS_MESSAGE =
      4 /* of a receive: of any size; `memory` may be null, rs_wait hands the message over */
};
RS_API int rs_isend(rs_comm* comm, int to, const rs_memory* memory, int tag, unsigned flags,
                    const rs_stack* where, rs_request** out);
RS_API int rs_irecv(rs_comm* comm, int from, const rs_memory* memory, int tag, unsigned flags,
                    const rs_stack* where, rs_request** out);
/* Waits for at most `ms` milliseconds (-1: without end). RS_OK: done, *request is freed and null. RS_PENDING: not
 * yet. Anything else: failed, *request is freed and null. */
RS_API int rs_wait(rs_request** request, int ms, rs_status* status, const rs_stack* where);
/* The same for the first of several that is done; null ones are passed over. *index is -1 when all are null. */
RS_API int rs_wait_any(rs_request** requests, int count, int ms, int* index, rs_status* status,
                       const rs_stack* where);
/* *done: rs_wait would not block. */
RS_API int rs_test(rs_request* request, int* done);
/* Has `done` called once when a collective that runs in the background is done, by the thread that ends it or at once.
 * RS_PENDING: nobody would call it (a message, a rank in a box); wait for it. */
RS_API int rs_when_done(rs_request* request, void (*done)(void*, int failed), void* with);
/* The program lets go of a request that it never waited for. */
RS_API void rs_drop(rs_request** request);
/* A message that has come and that a receive with these arguments would take. Does not block. */
RS_API int rs_probe(rs_comm* comm, int from, int tag, int* found, rs_status* status);
RS_API void rs_free(void* message);

/* ---- built-in collectives ---- */

typedef struct rs_call {
  const char*
      collective; /* allreduce, reduce, broadcast, allgather, gather, scatter, reduce_scatter, alltoall, barrier */
  const char* algorithm; /* "ring", ...; null: the default */
  rs_memory in;          /* what this rank gives; count 0 where it gives nothing */
  rs_memory out;         /* what it gets; may be the same memory as `in` */
  int32_t op;
  int32_t root;
} rs_call;
/* Blocks, or (`out` not null) gives a request: its result is there after rs_wait only. */
RS_API int rs_collective(rs_comm* comm, const rs_call* call, const rs_stack* where,
                         rs_request** out);
/* Collective: ranks with the same color form a communicator, ordered by key, then rank; a negative color gives none
 * (*out is null). `call` is what the program called ("new_group"); null: "split". To be freed with rs_free_comm. */
RS_API int rs_split(rs_comm* comm, int color, int key, const char* call, const rs_stack* where,
                    rs_comm** out);
/* Called by its members alone: a communicator of these ranks, in this order, once all have called it. `key` names it:
 * the same on all members, and no other group's. */
RS_API int rs_group(rs_comm* comm, const int32_t* ranks, int count, const char* key,
                    const char* call, const rs_stack* where, rs_comm** out);
RS_API void rs_free_comm(rs_comm* comm);

/* ---- what is reported for the trace ---- */

RS_API int rs_phase_begin(rs_comm* comm, const char* name, const rs_stack* where);
RS_API int rs_phase_end(rs_comm* comm);
/* An array under its name, with its contents; to be reported again when the program has changed it. */
RS_API int rs_watch(rs_comm* comm, const rs_memory* memory, const rs_stack* where);
/* The same array, to be compared with what was meant (`rankscope exec --as`): what it holds now, and what it holds in
 * the end, which is when its memory is freed, when it is reported again, or when the rank leaves. `type`: int8, uint8,
 * int16, uint16, int32, uint32, int64, uint64, float32 or float64. `array` may be an object that begins with a pointer to
 * the data, as a vector that the program swaps: the one that it points to then. To be called after rs_watch. */
RS_API int rs_watch_values(rs_comm* comm, const rs_memory* memory, const char* type,
                           const rs_stack* where);
/* A call that was refused: RS_SELF_SEND or RS_NOT_CONTIGUOUS, with the other side's rank. RS_GROUP_MADE: a call of
 * torch's new_group (peer -1), where that does not wait for all ranks. */
enum { RS_SELF_SEND = 3, RS_NOT_CONTIGUOUS = 4, RS_GROUP_MADE = 5 };
RS_API int rs_note(rs_comm* comm, int note, int peer, const rs_stack* where);

/* into = into op from, elementwise; no communication. */
RS_API int rs_combine(const rs_memory* into, const rs_memory* from, int op);
/* Nanoseconds on the clock of the trace. */
RS_API int64_t rs_now(void);
/* The rank's own clock in nanoseconds: virtual under `rankscope exec --sim`, else that of rs_now(). */
RS_API int64_t rs_time(rs_session* session);

/* ---- contract exercises: what a rank is given, and what it hands in ---- */

/* The next task for this rank as JSON, to be freed with rs_free; *task is null when there is none. */
RS_API int rs_next_task(rs_session* session, char** task);
/* The task's input number `index` into `memory` (its size is in the task). */
RS_API int rs_task_input(rs_session* session, int index, const rs_memory* memory);
/* The task's result; `shape` is memory->shape. `error`: it ended with this (memory may be null). */
RS_API int rs_task_result(rs_session* session, const rs_memory* memory, const char* error);

#ifdef __cplusplus
}
#endif
#endif /* RANKSCOPE_H */
