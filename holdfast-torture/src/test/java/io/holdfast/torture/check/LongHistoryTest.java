package io.holdfast.torture.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.torture.history.Action;
import io.holdfast.torture.history.Detail;
import io.holdfast.torture.history.HistoryEvent;
import io.holdfast.torture.history.HistoryIndex;
import io.holdfast.torture.history.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A history of hours: many clients that compete for a few keys. How long each checker takes is
 * printed; that all are done is the test, since one that tries every order would never be.
 */
class LongHistoryTest {
  private static final int HOLDS = 20_000;
  private static final int KEYS = 4;
  private static final int CLIENTS = 8;
  private static final long MILLI = 1_000_000;

  private final Random random = new Random(11);
  private final List<HistoryEvent> events = new ArrayList<>();
  private long op;

  private void write(
      long at, int client, long number, Phase phase, Action action, int key, String... pairs) {
    Map<String, String> details = new HashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      details.put(pairs[i], pairs[i + 1]);
    }
    events.add(
        new HistoryEvent(
            at, "client" + client, "t" + number % 4, number, phase, action, "k" + key, details));
  }

  /** One hold after the other of a key, each asked for long before; some are lost. */
  private void live(int key) {
    long now = 1_000 * MILLI;
    for (int i = 0; i < HOLDS / KEYS; i++) {
      int client = random.nextInt(CLIENTS);
      String holder = key + "/" + i;
      long acquire = ++op;
      write(
          now - random.nextInt(200) * MILLI,
          client,
          acquire,
          Phase.INVOKE,
          Action.ACQUIRE,
          key,
          Detail.PRIMITIVE,
          "lock");
      write(
          now,
          client,
          acquire,
          Phase.OK,
          Action.ACQUIRE,
          key,
          Detail.HOLDER,
          holder,
          Detail.TOKEN,
          Long.toString(i + 1L));
      now += random.nextInt(20) * MILLI;
      write(now, client, 0, Phase.NOTE, Action.VALID, key, Detail.HOLDER, holder);
      now += MILLI;
      boolean lost = random.nextInt(20) == 0;
      if (lost) {
        write(now, client, 0, Phase.NOTE, Action.LOST, key, Detail.HOLDER, holder);
      }
      long release = ++op;
      write(
          now + 1,
          client,
          release,
          Phase.INVOKE,
          Action.RELEASE,
          key,
          Detail.HOLDER,
          holder,
          Detail.VALID,
          Boolean.toString(!lost));
      now += MILLI;
      write(
          now + random.nextInt(3) * MILLI,
          client,
          release,
          lost ? Phase.FAIL : Phase.OK,
          Action.RELEASE,
          key);
    }
  }

  @Test
  void isChecked() {
    for (int key = 0; key < KEYS; key++) {
      live(key);
    }
    events.sort(Comparator.comparingLong(HistoryEvent::nanos));
    assertThat(events).hasSizeGreaterThanOrEqualTo(100_000);
    CheckSettings settings = CheckSettings.of(Duration.ofSeconds(3));
    long start = System.nanoTime();
    HistoryIndex history = new HistoryIndex(events);
    System.out.printf("%d events: read in %d ms%n", events.size(), millisSince(start));
    List<Check> checks = new ArrayList<>(Checks.invariants());
    checks.add(new Linearizable());
    for (Check check : checks) {
      start = System.nanoTime();
      Verdict verdict = check.check(history, settings);
      System.out.printf("%-18s %5d ms  %s%n", check.name(), millisSince(start), verdict.status());
      assertThat(verdict).matches(Verdict::passed, "passed");
    }
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / MILLI;
  }
}
