package io.holdfast.jdbc.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DatabaseClockTest {
  private static final long SENT = 5_000_000_000L;
  private static final long SERVER = 1_700_000_000_000_000L;

  private final DatabaseClock clock = new DatabaseClock();

  @Test
  void withoutARecentSampleTheTimeIsUnknown() {
    assertThat(clock.notLaterThan(SERVER, SENT)).isNull();
    clock.sample(SENT, SERVER);
    assertThat(clock.notLaterThan(SERVER, SENT + Duration.ofSeconds(3).toNanos())).isNull();
    clock.reset();
    assertThat(clock.notLaterThan(SERVER, SENT)).isNull();
  }

  @Test
  void aGrantIsDatedBeforeItHappenedEvenIfTheClocksDiffer() {
    clock.sample(SENT, SERVER);
    long now = SENT + 1_000_000_000;
    assertThat(clock.notLaterThan(SERVER + 500_000, now)).isEqualTo(SENT + 450_000_000);
    assertThat(clock.notLaterThan(SERVER, now)).isEqualTo(SENT);
    assertThat(clock.notLaterThan(SERVER - 9, now)).isLessThanOrEqualTo(SENT - 9_000);
  }

  @Test
  void theResultIsNeverLaterThanNow() {
    clock.sample(SENT, SERVER);
    assertThat(clock.notLaterThan(SERVER + 3_600_000_000L, SENT + 1000)).isEqualTo(SENT + 1000);
  }

  @Test
  void theNewestSampleCounts() {
    clock.sample(SENT, SERVER);
    clock.sample(SENT - 1000, SERVER + 77);
    assertThat(clock.notLaterThan(SERVER, SENT)).isEqualTo(SENT);
  }
}
