package io.holdfast.zookeeper.backend;

import io.holdfast.spi.ClientIdentity;
import java.nio.charset.StandardCharsets;

/**
 * The data of a node in a line: the state of its owner, the lease, and for operators a description
 * of the owner. The fields are separated by the unit separator, which is replaced in fields that an
 * application chooses, such as the names of its threads.
 *
 * @param state the state of the owner
 * @param leaseMillis the lease, counted from the last change of the node by the clock of the
 *     server; 0 if it lasts as long as the session
 * @param since when the lock was granted, in milliseconds of server time; 0 for the last change of
 *     the node
 * @param grant the transaction that the tokens of the grant are made of; if 0, see {@link State}
 * @param note what the owner says about its wait
 */
record NodeData(
    State state,
    long leaseMillis,
    long since,
    long grant,
    long pid,
    String host,
    String application,
    String thread,
    String note) {

  /** The state of an owner. */
  enum State {
    /** As the node was created. If it is the owner's turn, it has held since then. */
    NEW,
    /** Written while the owner waited. If it is the owner's turn, it holds without a claim. */
    WAITING,
    /** The owner has claimed the lock with the last change of the node, which is the grant. */
    CLAIMED,
    /** The owner holds; the grant was earlier. */
    HELD
  }

  private static final char SEPARATOR = '\u001f';
  private static final int FIELDS = 9;
  private static final int MAX_LENGTH = 200;

  static NodeData of(ClientIdentity client, String thread, long leaseMillis, String note) {
    return new NodeData(
        State.NEW,
        leaseMillis,
        0,
        0,
        client.pid(),
        client.host(),
        client.application(),
        thread,
        note);
  }

  NodeData in(State newState, long newLease, long grantedAt, long newGrant) {
    return new NodeData(
        newState, newLease, grantedAt, newGrant, pid, host, application, thread, note);
  }

  NodeData waiting(String newNote) {
    return new NodeData(State.WAITING, leaseMillis, 0, 0, pid, host, application, thread, newNote);
  }

  /** True if the node itself says that its owner holds, wherever it stands in the line. */
  boolean declaresHold() {
    return state == State.CLAIMED || state == State.HELD;
  }

  ClientIdentity client(String clientId) {
    return new ClientIdentity(clientId, host, pid, application);
  }

  byte[] bytes() {
    String text =
        String.join(
            String.valueOf(SEPARATOR),
            state.name(),
            Long.toString(leaseMillis),
            Long.toString(since),
            Long.toString(grant),
            Long.toString(pid),
            field(host),
            field(application),
            field(thread),
            note);
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String field(String text) {
    String shortened = text.length() > MAX_LENGTH ? text.substring(0, MAX_LENGTH) : text;
    return shortened.replace(SEPARATOR, ' ');
  }

  /** Parses {@link #bytes()}; other data is taken for a lease that lasts with its session. */
  static NodeData parse(String text) {
    String[] fields = text.split(String.valueOf(SEPARATOR), FIELDS);
    try {
      if (fields.length == FIELDS) {
        return new NodeData(
            State.valueOf(fields[0]),
            Math.max(0, Long.parseLong(fields[1])),
            Long.parseLong(fields[2]),
            Long.parseLong(fields[3]),
            Long.parseLong(fields[4]),
            fields[5],
            fields[6],
            fields[7],
            fields[8]);
      }
    } catch (IllegalArgumentException e) {
      // not written by Holdfast
    }
    return new NodeData(State.NEW, 0, 0, 0, -1, "", "", "", "");
  }
}
