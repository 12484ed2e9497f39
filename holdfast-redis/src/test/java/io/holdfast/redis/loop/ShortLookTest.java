package io.holdfast.redis.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a thread looks for a moment before it goes to sleep, with a clock that is moved by hand. */
class ShortLookTest {
  private static final Thread ME = Thread.currentThread();
  private static final Thread OTHER = new Thread(() -> {});

  private final AtomicLong now = new AtomicLong();
  private final ShortLook look = new ShortLook(now::get, 2);

  @Test
  void whoWaitsForEverythingItSendsDoesNotLook() {
    for (int i = 0; i < 3; i++) {
      look.sends(ME);
      assertThat(look.isFor(ME)).isFalse();
    }
  }

  @Test
  void whoHasJustSentSomethingElseLooks() {
    look.sends(ME);
    pass(20);
    look.sends(ME);
    assertThat(look.isFor(OTHER)).isFalse();
    assertThat(look.isFor(ME)).isTrue();
    assertThat(look.isFor(ME)).as("again, with nothing sent since").isFalse();
  }

  @Test
  void whatWasSentLongAgoHasItsAnswer() {
    look.sends(ME);
    pass(5_000);
    look.sends(ME);
    assertThat(look.isFor(ME)).isFalse();
  }

  @Test
  void whatAnotherThreadHasSentIsNotItsOwn() {
    look.sends(OTHER);
    look.sends(ME);
    assertThat(look.isFor(ME)).isFalse();
  }

  @Test
  void afterSomeInVainOnlyFewAreTried() {
    for (int i = 0; i < 8; i++) {
      assertThat(look.isWorthIt()).isTrue();
      look.ended(false);
    }
    int tried = 0;
    for (int i = 0; i < 1_024; i++) {
      if (look.isWorthIt()) {
        tried++;
        look.ended(false);
      }
    }
    assertThat(tried).isEqualTo(4);
  }

  @Test
  void oneThatFindsSomethingMakesThemWorthItAgain() {
    for (int i = 0; i < 8; i++) {
      look.ended(false);
    }
    assertThat(look.isWorthIt()).isFalse();
    look.ended(true);
    assertThat(look.isWorthIt()).isTrue();
  }

  @Test
  void withOneProcessorNobodyLooks() {
    ShortLook alone = new ShortLook(now::get, 1);
    alone.sends(ME);
    alone.sends(ME);
    assertThat(alone.isFor(ME)).isFalse();
  }

  private void pass(long micros) {
    now.addAndGet(TimeUnit.MICROSECONDS.toNanos(micros));
  }
}
