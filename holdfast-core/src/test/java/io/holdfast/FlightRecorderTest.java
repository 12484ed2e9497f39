package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.memory.MemoryBackendProvider;
import io.holdfast.memory.MemoryStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jdk.jfr.EventSettings;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What is in a real recording of Java Flight Recorder. */
@Timeout(600)
@Isolated
class FlightRecorderTest {
  @TempDir Path folder;

  private final ManualTime time = new ManualTime();
  private final LockManager manager =
      time.drive(LockManager.builder("memory:"))
          .engine(new MemoryBackendProvider(new MemoryStore(time)))
          .callbackExecutor(Runnable::run)
          .build();
  private final DistributedLock lock = manager.getLock("k");

  @AfterEach
  void close() {
    manager.close();
  }

  @Test
  void hasWaitsHoldsAndLosses() throws Exception {
    lock.acquire().close(); // nobody records yet
    long[] tokens = new long[2];
    List<RecordedEvent> events =
        record(
            "0 ns",
            () -> {
              Lease first = lock.acquire();
              tokens[0] = first.token();
              var second = lock.acquireAsync();
              time.advance(Duration.ofMillis(5));
              first.close();
              tokens[1] = second.join().token();
              time.advance(Duration.ofMillis(3));
              lock.forceUnlock();
            });

    assertThat(events)
        .extracting(event -> event.getEventType().getName())
        .containsExactly(
            "io.holdfast.AcquireWait",
            "io.holdfast.Hold",
            "io.holdfast.AcquireWait",
            "io.holdfast.Lost");
    assertThat(events).extracting(event -> event.getString("key")).containsOnly("k");
    assertThat(events).extracting(event -> event.getString("engine")).containsOnly("memory");
    assertThat(events)
        .extracting(event -> event.getString("thread"))
        .containsOnly(Thread.currentThread().getName());
    assertThat(events)
        .extracting(event -> event.getLong("token"))
        .containsExactly(tokens[0], tokens[0], tokens[1], tokens[1]);
    assertThat(events.get(0).getDuration("waited")).isZero();
    assertThat(events.get(1).getDuration("held")).isEqualTo(Duration.ofMillis(5));
    assertThat(events.get(2).getDuration("waited")).isEqualTo(Duration.ofMillis(5));
    assertThat(events.get(3).getDuration("held")).isEqualTo(Duration.ofMillis(3));
    assertThat(events.get(3).getString("reason")).isEqualTo("GONE_FROM_STORE");
    assertThat(events.get(0).getEventType().getCategoryNames()).containsExactly("Holdfast");
    assertThat(events).allMatch(event -> event.getStackTrace() == null);
  }

  @Test
  void hasWaitsAtLatches() throws Exception {
    DistributedCountDownLatch latch = manager.getCountDownLatch("l");
    List<RecordedEvent> events =
        record(
            "0 ns",
            () -> {
              latch.trySetCount(1);
              var waiting = latch.awaitAsync();
              time.advance(Duration.ofMillis(5));
              latch.countDown();
              assertThat(waiting.join()).isTrue();
            });

    assertThat(events).hasSize(1);
    RecordedEvent wait = events.get(0);
    assertThat(wait.getEventType().getName()).isEqualTo("io.holdfast.LatchWait");
    assertThat(wait.getString("engine")).isEqualTo("memory");
    assertThat(wait.getString("key")).isEqualTo("l");
    assertThat(wait.getString("owner")).isNotEmpty();
    assertThat(wait.getString("thread")).isEqualTo(Thread.currentThread().getName());
    assertThat(wait.getDuration("waited")).isEqualTo(Duration.ofMillis(5));
    assertThat(record(null, () -> assertThat(latch.await(Duration.ZERO)).isTrue())).isEmpty();
  }

  @Test
  void hasRecoveries() throws Exception {
    List<RecordedEvent> events =
        record(
            "0 ns",
            () -> {
              Thread forgetful = new Thread(lock::lock, "forgetful");
              forgetful.start();
              forgetful.join(TimeUnit.MINUTES.toMillis(1));
              time.advance(Duration.ofSeconds(6));
            });

    RecordedEvent recovery =
        events.stream()
            .filter(event -> event.getEventType().getName().equals("io.holdfast.Recovery"))
            .findFirst()
            .orElseThrow();
    assertThat(recovery.getString("key")).isEqualTo("k");
    assertThat(recovery.getString("engine")).isEqualTo("memory");
    assertThat(recovery.getString("action")).isEqualTo("RELEASE");
    assertThat(recovery.getBoolean("worked")).isTrue();
    assertThat(recovery.getString("owner")).contains(":");
    assertThat(recovery.getString("detail")).isNotEmpty();
  }

  @Test
  void hasNoShortWaitsAndHoldsUnlessTheyAreAskedFor() throws Exception {
    List<RecordedEvent> events =
        record(
            null,
            () -> {
              holdFor(Duration.ofNanos(9_999_999));
              holdFor(Duration.ofMillis(10));
            });
    assertThat(events)
        .extracting(event -> event.getDuration("held"))
        .containsExactly(Duration.ofMillis(10));

    assertThat(record("2 s", () -> holdFor(Duration.ofSeconds(1)))).isEmpty();
    assertThat(record("500 us", () -> holdFor(Duration.ofMillis(1)))).hasSize(1);
    assertThat(record("whatever", () -> holdFor(Duration.ofMillis(1)))).isEmpty();
  }

  @Test
  void whoeverWantsMostDecides() throws Exception {
    try (Recording modest = new Recording()) {
      modest.enable("io.holdfast.Hold").with("longerThan", "1 s");
      modest.start();
      assertThat(record("3 ns", () -> holdFor(Duration.ofNanos(3)))).hasSize(1);
    }
  }

  private void holdFor(Duration duration) {
    Lease lease = lock.acquire();
    time.advance(duration);
    lease.close();
  }

  private interface Story {
    void happens() throws Exception;
  }

  private List<RecordedEvent> record(@Nullable String longerThan, Story story) throws Exception {
    try (Recording recording = new Recording()) {
      for (String name : List.of("AcquireWait", "LatchWait", "Hold", "Lost", "Recovery")) {
        EventSettings settings = recording.enable("io.holdfast." + name);
        if (longerThan != null) {
          settings.with("longerThan", longerThan);
        }
      }
      recording.start();
      story.happens();
      return dump(recording);
    }
  }

  private List<RecordedEvent> dump(Recording recording) throws IOException {
    recording.stop();
    Path file = folder.resolve("recording.jfr");
    recording.dump(file);
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith("io.holdfast."))
        .sorted((a, b) -> a.getStartTime().compareTo(b.getStartTime()))
        .toList();
  }
}
