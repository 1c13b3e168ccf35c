/*
 * Two servers write one list that a database keeps, with a standby: the protocol of Sources/PostgreSQLJournal.
 * Spin visits every order in which the steps below can happen, with crashes and a cut connection in between.
 *
 * An example of what the barrier is for. A server's commit is on the leader's disk and not yet on the standby's. The
 * leader crashes and starts again: now everybody can read the commit. The server connects again, finds its token and
 * answers its client. Then the leader is lost, the standby takes over, and an answered write is gone. With the barrier,
 * a commit that the new connection makes first, the server waits until the standby has all that it could read.
 *
 * Each of the macros below takes one part of the protocol away, and a check has to fail then:
 *   NO_COMPARISON   a commit does not compare the list's position with the one that it was decided on
 *   NO_TOKEN        after a lost connection a server does not look for its own commit
 *   NO_BARRIER      a new connection believes what it reads at once
 *   NO_STANDBY      a commit does not wait for the standby
 *
 * Not in here: somebody who cancels the wait for the standby by hand. Then others read what a takeover can take away.
 */
#define SERVERS 2
#define WRITES 3      /* of both servers: tokens from 1 */
#define WRITES_OF_0 2 /* the first tokens */
#define CRASHES 2
#define CUTS 1
#define LOCKS 1       /* writes for which a server locks the list before it decides */
#define ENTRIES 6
#define BACKENDS 2 /* of each server: one for its connection, one for a connection that was cut */

mtype = { NONE, WON, MOVED, LOCKED };

/* The database. An entry of the list's log is the token of the write that it holds. */
byte entries[ENTRIES];
byte flushed; /* entries on the leader's disk */
byte visible; /* entries that sessions can read */
byte copied;  /* entries on the standby's disk */
bool locked;  /* the list's row */

/* Statements that servers have sent, one for each backend. */
typedef Statement {
    bool sent;
    bool awaited; /* whether its connection stands */
    bool begun;
    byte token;
    byte base;    /* the list's entries when the write was decided */
    bool locks;   /* whether it only locks the list, and its transaction goes on */
    bool decided  /* whether the commit of that transaction was sent */
}
Statement statements[SERVERS * BACKENDS];

#define mine statements[slot]
#define is_free(slot) (!statements[slot].sent && !statements[slot].begun)

/* The servers. */
byte known[SERVERS];    /* entries that the server has */
bool up[SERVERS];       /* whether its connection stands */
mtype answer[SERVERS];  /* of the statement that was sent last on it */
byte finished;
byte locks;             /* how often a server has locked the list before it decided */
bool answered[WRITES + 1]; /* by token: whether a client was told that the write is kept */

inline count(sought, limit, result) {
    result = 0;
    at = 0;
    do
    :: at < limit -> result = result + (entries[at] == sought -> 1 : 0); at++
    :: else -> break
    od;
    at = 0
}

/* Nothing that a client was told is gone, and nothing that a server has read. */
inline check() {
    token = 1;
    do
    :: token <= WRITES ->
        count(token, visible, times);
        assert(times <= 1);
        assert(!answered[token] || times == 1);
        token++
    :: else -> break
    od;
    token = 0;
    times = 0;
    assert(known[0] <= visible && known[1] <= visible)
}

inline tell(what) {
    if
    :: mine.awaited -> answer[me] = what
    :: else -> skip
    fi
}

inline end_statement() {
    mine.sent = false;
    mine.awaited = false;
    mine.begun = false;
    mine.token = 0;
    mine.base = 0;
    mine.locks = false;
    mine.decided = false;
    place = 0
}

/* A connection ends. Its statement, if it has one, may still be carried out, unless the database itself ends. */
inline lose(who) {
    up[who] = false;
    statements[who * BACKENDS].awaited = false;
    statements[who * BACKENDS + 1].awaited = false
}

/* Waits for the standby, and lets others read the entry. */
inline write_out() {
    if
    :: place == 0 -> skip
    :: place > 0 ->
#ifndef NO_STANDBY
        (!mine.sent || copied >= place);
#endif
        atomic {
            if
            :: mine.sent -> visible = place; locked = false; tell(WON)
            :: else -> skip /* a crash has ended it */
            fi;
            end_statement()
        }
    fi
}

/* Writes the entry of a statement if the list is where it was decided on. */
inline write_entry() {
    if
#ifndef NO_COMPARISON
    :: mine.base != flushed -> tell(MOVED); locked = false; end_statement()
    :: mine.base == flushed ->
#else
    :: true ->
#endif
        count(mine.token, flushed, times);
        assert(times == 0);           /* no write is kept twice */
        assert(mine.base == flushed); /* a write was decided on the state that it changes */
        times = 0;
        entries[flushed] = mine.token;
        flushed++;
        place = flushed;
        locked = true;
        mine.begun = true
    fi
}

/*
 * A backend of the database, with the statement that it was sent. It may begin the statement long after the server has
 * given its connection up, or never.
 */
proctype Backend(byte me; byte slot) {
    byte place, at, times;
end:
    do
    :: atomic { mine.sent && !mine.locks ->
            if
            :: !mine.awaited -> end_statement() /* it was lost on its way */
            :: locked -> tell(MOVED); end_statement()
            :: !locked -> write_entry()
            fi
        }
        write_out()
    :: atomic { mine.sent && mine.locks && !mine.begun ->
            if
            :: !mine.awaited -> end_statement()
            :: !locked -> locked = true; mine.begun = true; tell(LOCKED)
            fi
        }
        /* The transaction goes on when the server has decided. It ends without effect if its connection is lost, or the
           server does not go on for too long. */
        if
        :: !mine.begun -> skip
        :: atomic { mine.begun && mine.sent && mine.decided -> write_entry() }
            write_out()
        :: atomic { mine.begun && mine.sent && (!mine.decided || !mine.awaited) ->
                if
                :: mine.awaited -> lose(me)
                :: else -> skip
                fi;
                locked = false;
                end_statement()
            }
        :: atomic { mine.begun && !mine.sent -> end_statement() } /* a crash has ended it */
        fi
    od
}

inline send() {
    mine.token = token;
    mine.base = known[me];
    mine.awaited = true;
    mine.sent = true;
    /* A write may also be decided when the list is locked. */
    if
    :: locks < LOCKS -> locks++; mine.locks = true
    :: true -> skip
    fi
}

/*
 * Reads what the server does not have. A commit of its own may be there: sent on a connection that was lost, and begun
 * when the server had already looked for it.
 */
inline follow() {
    known[me] = visible;
#ifndef NO_TOKEN
    count(token, visible, times);
    if
    :: times > 0 -> answered[token] = true; done++
    :: else -> skip
    fi;
    times = 0
#endif
}

proctype Server(byte me) {
    byte token, done, at, times, limit, slot;
    do
    :: done == (me == 0 -> WRITES_OF_0 : WRITES - WRITES_OF_0) -> break
    :: else ->
        atomic {
            token = me * WRITES_OF_0 + done + 1;
            answer[me] = NONE;
            if
            :: up[me] && is_free(me * BACKENDS) -> slot = me * BACKENDS; send()
            :: up[me] && is_free(me * BACKENDS + 1) -> slot = me * BACKENDS + 1; send()
            :: !up[me] -> skip
            fi
        }
wait:
        if
        /* The list is locked. A further statement reads what others have written meanwhile. */
        :: atomic { answer[me] == LOCKED && up[me] ->
                answer[me] = NONE;
                limit = done;
                follow();
                if
                :: done == limit -> limit = 0; mine.base = known[me]; mine.decided = true; goto wait
                :: else -> limit = 0; mine.awaited = false /* its own earlier entry was there */
                fi
            }
        :: atomic { answer[me] == WON -> answered[token] = true; known[me]++; done++ }
        :: atomic { answer[me] == MOVED && up[me] -> follow() }
        :: !up[me] ->
connect:
            atomic { up[me] = true; answer[me] = NONE; limit = flushed }
#if !defined(NO_BARRIER) && !defined(NO_STANDBY)
            /* The barrier: the standby has all that was on the leader's disk. */
            if
            :: up[me] && copied >= limit -> skip
            :: !up[me] -> goto connect
            fi;
#endif
            atomic {
                if
                :: !up[me] -> goto connect
                :: else -> skip
                fi;
                follow();
                limit = 0
            }
        fi;
        slot = 0
    od;
    finished++
}

active proctype Standby() {
end:
    do
    :: atomic { copied < flushed -> copied++ }
    od
}

active proctype Faults() {
    byte crashes, cuts, at, times, token;
    do
    :: atomic { crashes < CRASHES ->
            crashes++;
            locked = false;
            lose(0);
            lose(1);
            do
            :: at < SERVERS * BACKENDS -> statements[at].sent = false; at++
            :: else -> break
            od;
            at = 0;
            if
            :: true -> visible = flushed                           /* the leader starts again */
            :: true -> flushed = copied; visible = copied; check() /* the standby takes over */
            fi
        }
    :: atomic { cuts < CUTS -> cuts++; lose(0) }
    :: break
    od
}

init {
    byte at, times, token;
    atomic {
        up[0] = true;
        up[1] = true;
        run Server(0);
        run Server(1);
        run Backend(0, 0);
        run Backend(0, 1);
        run Backend(1, 2);
        run Backend(1, 3)
    }
    finished == SERVERS;
    atomic { check() }
}
