package io.holdfast.zookeeper.backend;

import io.holdfast.spi.ClientIdentity;
import java.nio.charset.StandardCharsets;

/**
 * What a node in a line contains: how far its owner has got, for how long, and who the owner is,
 * for people. The fields are separated by the unit separator; whatever an application calls its
 * threads, it cannot break out of its field.
 *
 * @param state how far its owner has got
 * @param leaseMillis the lease, counted from the last change of the node by the clock of the
 *     server; 0 if it is as long as the session lives
 * @param since when it was granted, in milliseconds of server time; 0 for the last change of the
 *     node
 * @param grant the transaction that the tokens of the grant are made of; 0 see {@link State}
 * @param note what the owner tells about its wait
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

  /** How far an owner has got. */
  enum State {
    /** As it was created: it holds if it is its turn, from its creation on. */
    NEW,
    /** It has written while it was waiting: it holds if it is its turn, but has not said so. */
    WAITING,
    /** It holds and has said so with the last change of the node, which is also its grant. */
    CLAIMED,
    /** It holds; the grant was earlier. */
    HELD
  }

  private static final char SEPARATOR = '\u001f';
  private static final int FIELDS = 9;
  private static final int MOST = 200;

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

  boolean says(State... states) {
    for (State each : states) {
      if (state == each) {
        return true;
      }
    }
    return false;
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
    String shortened = text.length() > MOST ? text.substring(0, MOST) : text;
    return shortened.replace(SEPARATOR, ' ');
  }

  /** Reads what {@link #bytes()} wrote; anything else is a node that holds with its session. */
  static NodeData parse(String text) {
    String[] parts = text.split(String.valueOf(SEPARATOR), FIELDS);
    try {
      if (parts.length == FIELDS) {
        return new NodeData(
            State.valueOf(parts[0]),
            Math.max(0, Long.parseLong(parts[1])),
            Long.parseLong(parts[2]),
            Long.parseLong(parts[3]),
            Long.parseLong(parts[4]),
            parts[5],
            parts[6],
            parts[7],
            parts[8]);
      }
    } catch (IllegalArgumentException e) {
      // not written by us
    }
    return new NodeData(State.NEW, 0, 0, 0, -1, "", "", "", "");
  }
}
