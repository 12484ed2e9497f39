package io.holdfast.zookeeper.backend;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Line} says of one of its tickets.
 *
 * @param turn true if it may hold
 * @param overtakes true if it may hold although others wait before it
 * @param contended true if others wait for it, when it holds
 * @param watched whose node to watch; null for the whole line
 * @param holders who holds, as far as that keeps this one waiting
 * @param before how many stand before it
 */
record Verdict(
    boolean turn,
    boolean overtakes,
    boolean contended,
    @Nullable Ticket watched,
    List<Ticket> holders,
    int before) {

  static Verdict turn(boolean overtakes, boolean contended) {
    return new Verdict(true, overtakes, contended, null, List.of(), 0);
  }

  static Verdict wait(Ticket watched, List<Ticket> holders, int before) {
    return new Verdict(false, false, false, watched, List.copyOf(holders), before);
  }

  static Verdict waitForAny(List<Ticket> holders, int before) {
    return new Verdict(false, false, false, null, List.copyOf(holders), before);
  }
}
