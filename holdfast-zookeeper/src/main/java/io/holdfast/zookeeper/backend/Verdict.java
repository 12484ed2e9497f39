package io.holdfast.zookeeper.backend;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verdict of a {@link Line} on one of its tickets.
 *
 * @param turn true if the owner may hold
 * @param overtakes true if the owner may hold although others wait before it
 * @param contended true if others wait for the owner, when it holds
 * @param watched the ticket whose node to watch; null for the whole line
 * @param holders the holders, as far as they keep this owner waiting
 * @param before the number of tickets before this one
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
