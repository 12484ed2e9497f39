package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.FakeClock;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Detection of lost messages, with a fake clock and answers given by hand. */
class MessageHealthTest {
  private static final Duration PERIOD = Duration.ofNanos(MessageHealth.PERIOD_NANOS);

  private final FakeClock clock = new FakeClock();
  private final Connection connection = new Connection();
  private final Signals signals = new Signals();
  private final MessageHealth health = new MessageHealth(connection, signals, clock);

  @Test
  void nothingIsCheckedAndNoTaskIsPlannedWhileMessagesAreNotNeeded() {
    health.begin();
    signals.interested = false;
    clock.advance(PERIOD.multipliedBy(100));
    assertThat(connection.questions).isEmpty();
    assertThat(clock.tasksWaiting()).isZero();
    signals.interested = true;
    health.begin();
    clock.advance(PERIOD);
    assertThat(connection.questions).hasSize(1);
  }

  @Test
  void thereIsOneCheckASecondForAllLocks() {
    for (int i = 0; i < 100; i++) {
      for (int each = 0; each < 10; each++) {
        health.begin();
      }
      clock.advance(PERIOD);
      connection.lastQuestion().complete("subscribed");
    }
    assertThat(connection.questions).hasSize(100);
    assertThat(connection.pings).isZero();
    assertThat(signals.told).isEmpty();
  }

  @Test
  void aConnectionWithoutAnAnswerAtTheSecondCheckIsReplaced() {
    health.begin();
    clock.advance(PERIOD.multipliedBy(2));
    assertThat(connection.replacements).isEmpty();
    clock.advance(PERIOD);
    assertThat(connection.questions).hasSize(1);
    assertThat(connection.replacements).hasSize(1);
    assertThat(signals.told).containsExactly("lost");
    assertThat(health.isDoubtful()).isTrue();
    connection.replacements.get(0).complete("subscribed");
    assertThat(signals.told).containsExactly("lost", "back");
    assertThat(health.isDoubtful()).isFalse();
    clock.advance(PERIOD);
    assertThat(connection.questions).hasSize(2);
  }

  /** As in a process that was paused: its first check comes before the answer that has arrived. */
  @Test
  void anAnswerAfterTheFirstCheckIsInTime() {
    health.begin();
    for (int i = 0; i < 10; i++) {
      clock.advance(PERIOD.multipliedBy(2));
      connection.lastQuestion().complete("subscribed");
    }
    assertThat(connection.questions).hasSize(10);
    assertThat(connection.pings).isZero();
  }

  @Test
  void aSilentStoreIsNotReportedAsLostMessages() {
    connection.storeAnswers = false;
    health.begin();
    clock.advance(PERIOD.multipliedBy(10));
    assertThat(connection.pings).isPositive();
    assertThat(connection.replacements).isEmpty();
    assertThat(signals.told).isEmpty();
    connection.storeAnswers = true;
    clock.advance(PERIOD);
    assertThat(connection.replacements).hasSize(1);
  }

  @Test
  void anAnswerDuringThePingIsInTime() {
    connection.onPing = () -> connection.lastQuestion().complete("subscribed");
    health.begin();
    clock.advance(PERIOD.multipliedBy(3));
    assertThat(connection.pings).isEqualTo(1);
    assertThat(connection.replacements).isEmpty();
    assertThat(signals.told).isEmpty();
    clock.advance(PERIOD);
    assertThat(connection.questions).hasSize(2);
  }

  /** Otherwise the finding stays for ever. */
  @Test
  void messagesThatAreBackWhileTheirLossIsBeingToldAreToldAfterIt() {
    signals.beforeLost =
        () -> {
          signals.beforeLost = () -> {};
          onAnotherThread(() -> connection.lastQuestion().complete("subscribed"));
        };
    health.begin();
    clock.advance(PERIOD.multipliedBy(3));
    assertThat(signals.told).containsExactly("lost", "back");
    assertThat(health.isDoubtful()).isFalse();
  }

  private static void onAnotherThread(Runnable action) {
    CompletableFuture.runAsync(action).join();
  }

  @Test
  void aFailedReplacementIsTriedAgain() {
    health.begin();
    clock.advance(PERIOD.multipliedBy(3));
    connection.replacements.get(0).completeExceptionally(new RedisException("no"));
    clock.advance(PERIOD.multipliedBy(2));
    assertThat(connection.replacements).hasSize(2);
    connection.replacements.get(1).complete("subscribed");
    assertThat(signals.told).containsExactly("lost", "back");
  }

  @Test
  void aRefusedSubscriptionIsReportedOnceAndRepeatedUntilItIsGranted() {
    health.begin();
    for (int i = 0; i < 10; i++) {
      clock.advance(PERIOD);
      connection.lastQuestion().completeExceptionally(new RedisCommandExecutionException("NOPERM"));
    }
    signals.interested = false;
    clock.advance(PERIOD);
    assertThat(connection.questions).hasSize(11);
    assertThat(connection.replacements).as("it would be refused the same").isEmpty();
    assertThat(signals.told).containsExactly("lost");
    connection.lastQuestion().complete("subscribed");
    assertThat(signals.told).containsExactly("lost", "back");
    clock.advance(PERIOD.multipliedBy(10));
    assertThat(connection.questions).hasSize(11);
  }

  @Test
  void aShortBreakIsNotReported() {
    health.begin();
    clock.advance(PERIOD);
    connection.lastQuestion().completeExceptionally(new RedisException("not connected"));
    clock.advance(PERIOD);
    connection.lastQuestion().complete("subscribed");
    clock.advance(PERIOD);
    connection.lastQuestion().completeExceptionally(new RedisException("not connected"));
    clock.advance(PERIOD);
    assertThat(signals.told).isEmpty();
    assertThat(connection.pings).isZero();
  }

  @Test
  void anUnheardMessageIsFollowedByACheckAtOnce() {
    health.begin();
    health.unheard(clock.nanoTime());
    assertThat(connection.questions).hasSize(1);
    assertThat(health.isDoubtful()).isTrue();
    connection.lastQuestion().complete("subscribed");
    assertThat(health.isDoubtful()).isFalse();
    assertThat(signals.told).isEmpty();
  }

  @Test
  void unheardMessagesForSecondsReplaceTheConnection() {
    health.begin();
    for (int i = 0; i < 5; i++) {
      health.unheard(clock.nanoTime());
      connection.questions.forEach(each -> each.complete("subscribed"));
      clock.advance(PERIOD);
      connection.questions.forEach(each -> each.complete("subscribed"));
    }
    assertThat(connection.replacements).hasSize(1);
    assertThat(signals.told).containsExactly("lost");
  }

  @Test
  void occasionalUnheardMessagesReplaceNothing() {
    health.begin();
    for (int i = 0; i < 50; i++) {
      health.unheard(clock.nanoTime());
      connection.questions.forEach(each -> each.complete("subscribed"));
      for (int second = 0; second < 6; second++) {
        clock.advance(PERIOD);
        connection.questions.forEach(each -> each.complete("subscribed"));
      }
    }
    assertThat(connection.replacements).isEmpty();
  }

  @Test
  void nothingIsCheckedAfterClosing() {
    health.begin();
    health.close();
    clock.advance(PERIOD.multipliedBy(10));
    assertThat(connection.questions).isEmpty();
    assertThat(clock.tasksWaiting()).isZero();
  }

  private static final class Connection implements MessageHealth.Subscription {
    final List<CompletableFuture<String>> questions = new ArrayList<>();
    final List<CompletableFuture<String>> replacements = new ArrayList<>();
    boolean storeAnswers = true;
    Runnable onPing = () -> {};
    int pings;

    CompletableFuture<String> lastQuestion() {
      return questions.get(questions.size() - 1);
    }

    @Override
    public CompletionStage<?> confirm() {
      questions.add(new CompletableFuture<>());
      return lastQuestion();
    }

    @Override
    public CompletionStage<?> replace() {
      CompletableFuture<String> replacement = new CompletableFuture<>();
      replacements.add(replacement);
      return replacement;
    }

    @Override
    public CompletionStage<?> askStore() {
      pings++;
      onPing.run();
      return storeAnswers
          ? CompletableFuture.completedFuture("PONG")
          : CompletableFuture.failedFuture(new RedisException("no answer"));
    }
  }

  private static final class Signals extends IgnoredSignals {
    final List<String> told = new ArrayList<>();
    boolean interested = true;
    Runnable beforeLost = () -> {};

    @Override
    public void messagesLost(String why) {
      beforeLost.run();
      told.add("lost");
    }

    @Override
    public void messagesBack() {
      told.add("back");
    }

    @Override
    public boolean isAnybodyInterested() {
      return interested;
    }
  }
}
