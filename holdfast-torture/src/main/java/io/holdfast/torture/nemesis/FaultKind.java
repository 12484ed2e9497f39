package io.holdfast.torture.nemesis;

import io.holdfast.torture.history.Detail;
import java.util.Locale;

/** The faults there are. Which of them a store can suffer is for the store to say. */
public enum FaultKind {
  /** kill -9 of a client, which is started again. */
  CLIENT_KILL(Target.CLIENT, "a client is killed (SIGKILL) and started again", Detail.KILL, ""),
  /** SIGSTOP of a client for longer than its lease. */
  CLIENT_PAUSE(Target.CLIENT, "a client stands still for longer than its lease", Detail.PAUSE, ""),
  /** SIGSTOP of a client for less than its lease, as a long garbage collection. */
  CLIENT_STALL(Target.CLIENT, "a client stands still for less than its lease", Detail.PAUSE, ""),
  /** The wall clock of a client jumps. */
  CLIENT_CLOCK(Target.CLIENT, "the wall clock of a client jumps by an hour, and back", "", ""),
  /** Connections closed in good order. */
  CUT(Target.CLIENT, "the connections of a client are closed", "", ""),
  /** Connections reset. */
  RESET(Target.CLIENT, "the connections of a client are reset", "", ""),
  /** No connection can be made. */
  REFUSE(Target.CLIENT, "a client is cut off, and new connections are refused", "", ""),
  /** Nothing gets through, nobody is told. */
  BLACK_HOLE(Target.CLIENT, "nothing gets through, in silence", "", ""),
  /** Requests arrive, answers do not. */
  HALF_OPEN(Target.CLIENT, "requests arrive, no answer comes back", "", ""),
  /** Everything takes longer. */
  DELAY(Target.CLIENT, "everything takes longer on the way", "", ""),
  /** Several clients lose the servers, one keeps them. */
  PARTITION(Target.CLIENTS, "all clients but one lose the servers", "", ""),
  /** kill -9 of a server, which is started again with its data. */
  SERVER_KILL(
      Target.SERVER, "a server is killed (SIGKILL) and started again with its data", "", ""),
  /** kill -9 of a server, which has lost its data when it is back. */
  SERVER_EMPTY(
      Target.SERVER,
      "the server is killed and started again without its data",
      Detail.FORGET,
      Detail.EXCLUSION),
  /** SIGSTOP of a server for longer than the lease. */
  SERVER_PAUSE(Target.SERVER, "a server stands still for longer than the lease", "", ""),
  /** The wall clock of a server jumps. */
  SERVER_CLOCK(
      Target.SERVER,
      "the wall clock of a server jumps forward by ten minutes",
      Detail.CLOCK,
      Detail.EXCLUSION),
  /** The leader of several servers is killed. */
  LEADER_LOSS(Target.SERVER, "the leader is killed, others elect a new one", "", ""),
  /** Everything deleted by hand. */
  WIPE(Target.DATA, "all locks are deleted by hand", Detail.FORGET, Detail.EXCLUSION),
  /** One key deleted by hand. */
  FORGET_KEY(Target.KEY, "one lock is deleted by hand", Detail.FORGET, Detail.EXCLUSION),
  /** The store is busy with something else. */
  SLOW(Target.KEY, "the store is busy, or a row locked, for some 100 ms", "", "");

  /** What a fault is done to. */
  public enum Target {
    /** One client process, or its network. */
    CLIENT,
    /** Several of them. */
    CLIENTS,
    /** A server process. */
    SERVER,
    /** What is stored of one key. */
    KEY,
    /** All that is stored. */
    DATA
  }

  private final Target target;
  private final String words;
  private final String effect;
  private final String breaks;

  FaultKind(Target target, String words, String effect, String breaks) {
    this.target = target;
    this.words = words;
    this.effect = effect;
    this.breaks = breaks;
  }

  /** What it is done to. */
  public Target target() {
    return target;
  }

  /** For people. */
  public String words() {
    return words;
  }

  /** The effect that checkers must know of, or empty. */
  public String effect() {
    return effect;
  }

  /** The promises it takes away, or empty. */
  public String breaks() {
    return breaks;
  }

  /** As on the command line: {@code client-kill}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The fault of that label. */
  public static FaultKind of(String label) {
    for (FaultKind kind : values()) {
      if (kind.label().equals(label)) {
        return kind;
      }
    }
    throw new IllegalArgumentException("there is no fault " + label);
  }
}
