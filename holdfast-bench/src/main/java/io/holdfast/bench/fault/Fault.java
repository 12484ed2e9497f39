package io.holdfast.bench.fault;

/** What is done to a holder, a waiter, the way between them and the store, or the store. */
public enum Fault {
  HOLDER_KILLED("the holder is killed (SIGKILL)"),
  HOLDER_PAUSED("the holder is paused past its lease"),
  CUT_SHORT("the holder's connections are cut for a third of the lease"),
  CUT_LONG("the holder's connections are cut for longer than the lease"),
  SERVER_RESTARTED("the store is stopped and started again, with its data"),
  SERVER_PAUSED("the store is paused for half of the lease"),
  LEADER_LOST("the leader of the servers is stopped"),
  ENTRY_DELETED("the holder's entry is deleted by hand"),
  WAITER_KILLED("the first of two waiters is killed, then the holder unlocks"),
  CLOCK_FORWARD("the store's clock jumps an hour forward"),
  CLOCK_BACK("the store's clock jumps an hour back");

  private final String label;

  Fault(String label) {
    this.label = label;
  }

  /** The head of its row. */
  public String label() {
    return label;
  }

  boolean movesTheClock() {
    return this == CLOCK_FORWARD || this == CLOCK_BACK;
  }
}
