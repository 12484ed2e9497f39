package io.holdfast.jdbc.backend;

import io.holdfast.spi.Owner;
import io.holdfast.spi.TokenBlock;
import io.holdfast.spi.state.StateSignal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message to another process through the database: {@code NOTIFY} on a channel that only this
 * process listens to. Anybody who may connect to the database can send one, so it counts only if it
 * names a tenure that this process is waiting with, whose id nobody can guess.
 *
 * @param channel where to
 * @param payload what: {@code granted tick at lease wanted tenure}, {@code changed tenure}, ...
 */
record Notification(String channel, String payload) {
  /** Longer than any lease there is. */
  private static final long MOST_LEASE_MILLIS = 400L * 24 * 3600 * 1000;

  /** What stands in a letter. */
  sealed interface Content {
    /** Whom it concerns. */
    String tenureId();
  }

  /** The lock is yours, since then, by the clock of the database. */
  record Granted(String tenureId, long tick, long atMicros, long leaseMillis, boolean contended)
      implements Content {}

  /** Somebody waits for it. */
  record Contended(String tenureId) implements Content {}

  /** It was taken from you. */
  record Lost(String tenureId) implements Content {}

  /** Look again. */
  record Changed(String tenureId) implements Content {}

  static String channelOf(String clientId) {
    return "holdfast_" + Row.idOf(clientId).substring(0, 32);
  }

  /** The letters to processes other than this one. */
  static List<Notification> to(Rows rows, String ownClientId) {
    List<Notification> letters = new ArrayList<>();
    for (Rows.SignalDispatcher news : rows.news()) {
      Owner owner = news.signal().owner();
      if (!owner.clientId().equals(ownClientId)) {
        letters.add(
            new Notification(
                channelOf(owner.clientId()), payload(news.signal(), rows.nowMicros())));
      }
    }
    return letters;
  }

  private static String payload(StateSignal signal, long at) {
    String tenure = signal.owner().tenureId();
    if (signal instanceof StateSignal.Granted granted) {
      return "granted %d %d %d %d %s"
          .formatted(
              TokenBlock.tickOf(granted.tokens()),
              at,
              granted.leaseMillis(),
              granted.contended() ? 1 : 0,
              tenure);
    } else if (signal instanceof StateSignal.Contended) {
      return "wanted " + tenure;
    } else if (signal instanceof StateSignal.Lost) {
      return "lost " + tenure;
    }
    return "changed " + tenure;
  }

  /** Reads a payload; null if it is none of ours. */
  static @Nullable Content read(String payload) {
    String[] words = payload.split(" ", 6);
    try {
      return switch (words[0]) {
        case "granted" -> granted(words);
        case "wanted" -> new Contended(words[1]);
        case "lost" -> new Lost(words[1]);
        case "changed" -> new Changed(words[1]);
        default -> null;
      };
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      return null;
    }
  }

  /** No token is made of a tick outside this range, and no lease is longer. */
  private static @Nullable Content granted(String[] words) {
    long tick = Long.parseLong(words[1]);
    long lease = Long.parseLong(words[3]);
    if (tick < 1 || tick >= 1L << 52 || lease < 1 || lease > MOST_LEASE_MILLIS) {
      return null;
    }
    return words[5].isEmpty()
        ? null
        : new Granted(words[5], tick, Long.parseLong(words[2]), lease, words[4].equals("1"));
  }
}
