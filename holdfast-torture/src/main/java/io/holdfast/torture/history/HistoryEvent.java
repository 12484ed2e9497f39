package io.holdfast.torture.history;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history.
 *
 * @param nanos when, as {@link System#nanoTime()} has it; see the package for when to read it
 * @param client the process; a process that is started anew has a new name
 * @param thread the thread of it that asks; with the client, who owns a hold that belongs to a
 *     thread
 * @param op the number of the operation, unique in its client; 0 for what is only seen
 * @param phase begin, end, or seen
 * @param action what
 * @param key the lock, latch or register; empty if it is about none
 * @param details more, by the names in {@link Detail}
 */
public record HistoryEvent(
    long nanos,
    String client,
    String thread,
    long op,
    Phase phase,
    Action action,
    String key,
    Map<String, String> details) {

  /** Copies the details, in the order of their names. */
  public HistoryEvent {
    details = Collections.unmodifiableMap(new TreeMap<>(details));
  }

  /** A detail, or null. */
  public @Nullable String detail(String name) {
    return details.get(name);
  }

  /** A detail, or what it is when it is missing. */
  public String detail(String name, String otherwise) {
    return details.getOrDefault(name, otherwise);
  }

  /** A detail that is a number, or what it is when it is missing. */
  public long number(String name, long otherwise) {
    String text = details.get(name);
    return text == null ? otherwise : Long.parseLong(text);
  }

  /** True if the detail is there and true. */
  public boolean is(String name) {
    return Boolean.parseBoolean(details.get(name));
  }
}
