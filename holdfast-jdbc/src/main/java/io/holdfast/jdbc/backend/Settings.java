package io.holdfast.jdbc.backend;

import java.time.Duration;

/**
 * How the engine uses the database.
 *
 * @param optimistic true to compare and set the version of a row, false to lock the row
 * @param createSchema true to create the tables if they are missing
 * @param tables the prefix of the names of the tables
 * @param timeout the longest time that one request to the database may take
 * @param connections the number of connections used at a time, without the one that listens
 * @param poll the longest interval between two polls of the rows that owners wait for
 * @param listen true to use notifications where the database has them
 */
public record Settings(
    boolean optimistic,
    boolean createSchema,
    String tables,
    Duration timeout,
    int connections,
    Duration poll,
    boolean listen) {

  /** The time-out in whole seconds, rounded up, as JDBC statements take it. */
  int timeoutSeconds() {
    return (int) Math.max(1, (timeout.toMillis() + 999) / 1000);
  }

  /** The time-out of the network, longer than the time-out that the database itself applies. */
  int networkTimeoutMillis() {
    return timeoutSeconds() * 1000 + 500;
  }
}
