package io.holdfast.bench.store;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a server has done so far, or between two readings.
 *
 * @param calls how often each command or kind of request was executed
 * @param bytes that went in and out; negative when the server does not tell
 */
public record Traffic(Map<String, Long> calls, long bytes) {
  /** Of a server that does not tell. */
  public static final Traffic UNKNOWN = new Traffic(Map.of(), -1);

  /** What happened since. */
  public Traffic since(Traffic before) {
    Map<String, Long> difference = new LinkedHashMap<>();
    calls.forEach(
        (name, count) -> {
          long more = count - before.calls.getOrDefault(name, 0L);
          if (more > 0) {
            difference.put(name, more);
          }
        });
    return new Traffic(difference, bytes < 0 ? bytes : bytes - before.bytes);
  }

  /** True if the server tells what it executes. */
  public boolean known() {
    return bytes >= 0 || !calls.isEmpty();
  }

  /** All calls, where a name counts only as much as its share says; without one it counts fully. */
  public double total(Map<String, Double> shares) {
    return calls.entrySet().stream()
        .mapToDouble(call -> call.getValue() * shares.getOrDefault(call.getKey(), 1.0))
        .sum();
  }
}
