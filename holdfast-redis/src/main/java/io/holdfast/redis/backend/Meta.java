package io.holdfast.redis.backend;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.ClientIdentity;

/**
 * The identity of a holder or waiter as one text in Redis: process, host, application, thread,
 * separated by the unit separator. No name of a thread can break out of its field.
 */
record Meta(long pid, String host, String application, String thread) {
  static final char SEPARATOR = '\u001f';
  private static final int MOST = 200;

  static Meta of(ClientIdentity client, String thread) {
    return new Meta(client.pid(), client.host(), client.application(), thread);
  }

  /** The part that all threads of a client share: a meta is this text and {@link #threadField}. */
  static String client(ClientIdentity client) {
    return of(client, "").toString();
  }

  /** The name of a thread as the last field of a meta. */
  static String threadField(String name) {
    return field(name, MOST);
  }

  /** Parses the text of {@link #toString()}; other texts give empty fields, not an exception. */
  static Meta parse(String text) {
    String[] parts = text.split(String.valueOf(SEPARATOR), -1);
    if (parts.length != 4) {
      return new Meta(-1, "", "", "");
    }
    return new Meta(number(parts[0]), parts[1], parts[2], parts[3]);
  }

  ClientIdentity client(String clientId) {
    return new ClientIdentity(clientId, host, pid, application);
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** The note of a waiter, as a field beside a meta. */
  static String note(String text) {
    return field(text, AcquireRequest.LONGEST_NOTE);
  }

  @Override
  public String toString() {
    return pid
        + String.valueOf(SEPARATOR)
        + field(host, MOST)
        + SEPARATOR
        + field(application, MOST)
        + SEPARATOR
        + field(thread, MOST);
  }

  private static String field(String text, int most) {
    String shortened = text.length() > most ? text.substring(0, most) : text;
    return shortened.indexOf(SEPARATOR) < 0 ? shortened : shortened.replace(SEPARATOR, ' ');
  }
}
