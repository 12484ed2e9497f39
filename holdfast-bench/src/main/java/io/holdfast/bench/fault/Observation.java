package io.holdfast.bench.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What was seen of one fault on one engine. Times are milliseconds after the fault, or after what
 * the row says instead.
 *
 * @param kept true if the holder still had the lock at the end of the observation
 * @param told when the holder was told of the loss
 * @param invalid when {@code isValid()} was false at the holder
 * @param next when the next one had the lock
 * @param tokenLarger true if the next one's token was larger
 * @param remark more about it
 */
public record Observation(
    boolean kept,
    OptionalLong told,
    OptionalLong invalid,
    OptionalLong next,
    boolean tokenLarger,
    String remark) {
  /** The cell of the table, in the order in which things happened. */
  public String text() {
    List<String> parts = new ArrayList<>();
    if (kept) {
      parts.add("kept");
    }
    String toldText = told.isPresent() ? "told " + millis(told) : "";
    String nextText = next.isPresent() ? (kept ? "" : "next " + millis(next)) : "**nobody got it**";
    boolean toldFirst = told.isPresent() && told.getAsLong() <= next.orElse(Long.MAX_VALUE);
    for (String part : toldFirst ? List.of(toldText, nextText) : List.of(nextText, toldText)) {
      if (!part.isEmpty()) {
        parts.add(part);
      }
    }
    if (next.isPresent() && !tokenLarger) {
      parts.add("**token not larger**");
    }
    if (!remark.isEmpty()) {
      parts.add(remark);
    }
    return String.join(", ", parts);
  }

  private static String millis(OptionalLong value) {
    return String.format(Locale.ROOT, "%,d", value.getAsLong());
  }
}
