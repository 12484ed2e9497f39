package io.holdfast.jdbc.backend;

import java.time.Duration;

/**
 * How the engine uses the database.
 *
 * @param optimistic true to compare and set the version of a row, false to lock the row
 * @param createSchema true to create the tables if they are missing
 * @param tables what the names of the tables start with
 * @param timeout the longest time that one request to the database may take
 * @param connections how many connections are used at a time, that for messages not counted
 * @param poll the longest time between two looks at the rows that somebody waits for
 * @param listen true to be woken by messages where the database has them
 */
public record Settings(
    boolean optimistic,
    boolean createSchema,
    String tables,
    Duration timeout,
    int connections,
    Duration poll,
    boolean listen) {

  /** The time-out in whole seconds, rounded up, as statements want it. */
  int timeoutSeconds() {
    return (int) Math.max(1, (timeout.toMillis() + 999) / 1000);
  }

  /** After this the network is given up: the database itself should have said something before. */
  int networkTimeoutMillis() {
    return timeoutSeconds() * 1000 + 500;
  }
}
