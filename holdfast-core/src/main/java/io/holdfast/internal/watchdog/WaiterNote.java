package io.holdfast.internal.watchdog;

import io.holdfast.spi.AcquireRequest;
import io.holdfast.spi.Resource;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a waiter tells all others through the store: which threads of its process wait here, and
 * what they hold. Nobody else can know that, since a lock is passed on inside a process without a
 * word to the store. Written only by those who hold one lock while they wait for another.
 *
 * <p>The text: one line per thread: id, {@code L} for the one whose wait is the store's or {@code
 * -} for one behind it, name, and what blocks on it; names and keys are URL-encoded, so there is
 * nothing in them to be mistaken.
 *
 * @param threads the threads
 */
record WaiterNote(List<Waiting> threads) {
  /**
   * A thread that waits.
   *
   * @param id its id in its process
   * @param leads true if its own request stands in the store's queue
   * @param name its name
   * @param holds what nobody gets before this thread goes on
   */
  record Waiting(long id, boolean leads, String name, List<Resource> holds) {}

  private static final int MOST_HOLDS = 20;
  private static final int LONGEST_NAME = 60;

  public WaiterNote {
    threads = List.copyOf(threads);
  }

  /** Reads what {@link #toString()} wrote; what is not understood is left out. */
  static WaiterNote parse(String text) {
    List<Waiting> threads = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      Waiting thread = thread(line.split(" ", -1));
      if (thread != null) {
        threads.add(thread);
      }
    }
    return new WaiterNote(threads);
  }

  private static @Nullable Waiting thread(String[] parts) {
    if (parts.length != 4) {
      return null;
    }
    try {
      long id = Long.parseLong(parts[0]);
      return new Waiting(id, parts[1].equals("L"), decode(parts[2]), resources(parts[3]));
    } catch (IllegalArgumentException e) {
      return null; // not one of ours
    }
  }

  private static List<Resource> resources(String text) {
    List<Resource> resources = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      int colon = each.indexOf(':');
      if (colon > 0) {
        Resource.Kind kind =
            Resource.Kind.valueOf(each.substring(0, colon).toUpperCase(Locale.ROOT));
        resources.add(new Resource(kind, decode(each.substring(colon + 1))));
      }
    }
    return resources;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Waiting thread : threads) {
      String name = thread.name();
      List<String> holds = new ArrayList<>();
      for (Resource each : thread.holds()) {
        if (holds.size() < MOST_HOLDS) {
          holds.add(each.kind().name().toLowerCase(Locale.ROOT) + ":" + encode(each.key()));
        }
      }
      String line =
          "%d %s %s %s"
              .formatted(
                  thread.id(),
                  thread.leads() ? "L" : "-",
                  encode(name.substring(0, Math.min(LONGEST_NAME, name.length()))),
                  String.join(",", holds));
      if (text.length() + line.length() + 1 <= AcquireRequest.LONGEST_NOTE) {
        text.append(text.isEmpty() ? "" : "\n").append(line);
      }
    }
    return text.toString();
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }
}
