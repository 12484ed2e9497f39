package io.holdfast.internal.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.holdfast.ManualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The number of threads, in states that a manager does not show. */
@Timeout(600)
class CallbackThreadsTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration FOR_GOOD = Duration.ofDays(1);

  private final ManualTime time = new ManualTime();
  private final CallbackThreads threads =
      new CallbackThreads(Threads.named("tested"), time, 3, FOR_GOOD);

  private Thread runOne() {
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    threads.execute(() -> ran.complete(Thread.currentThread()));
    assertThat(ran).succeedsWithin(SOON);
    return ran.join();
  }

  private static void awaitIdle(Thread thread) {
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void anIdleThreadIsUsedBeforeAnotherIsStarted() {
    Thread first = runOne();
    for (int i = 0; i < 20; i++) {
      awaitIdle(first);
      assertThat(runOne()).isSameAs(first);
    }
    threads.close();
  }

  @Test
  void anIdleThreadEndsWhenItIsClosed() {
    Thread idle = runOne();
    awaitIdle(idle);
    threads.close();
    await().until(() -> !idle.isAlive());
  }

  @Test
  void anIdleThreadEndsAfterAWhile() {
    CallbackThreads impatient =
        new CallbackThreads(Threads.named("tested"), time, 3, Duration.ofMillis(1));
    CompletableFuture<Thread> ran = new CompletableFuture<>();
    impatient.execute(() -> ran.complete(Thread.currentThread()));
    await().until(() -> !ran.join().isAlive());
  }

  @Test
  void whatComesAfterTheCloseRunsAndItsThreadEnds() {
    threads.close();
    Thread late = runOne();
    await().until(() -> !late.isAlive());
  }

  @Test
  void anInterruptThatACallbackLeavesBehindIsNotSeenByTheNext() {
    threads.execute(() -> Thread.currentThread().interrupt());
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    threads.execute(() -> interrupted.complete(Thread.currentThread().isInterrupted()));
    assertThat(interrupted).succeedsWithin(SOON).isEqualTo(false);
    threads.close();
  }

  @Test
  void oneMoreThreadIsStartedPerSecondInWhichNothingBegins() {
    CountDownLatch end = new CountDownLatch(1);
    List<Integer> begun = new CopyOnWriteArrayList<>();
    IntStream.range(0, 6)
        .forEach(
            i ->
                threads.execute(
                    () -> {
                      begun.add(i);
                      awaitQuietly(end);
                    }));
    await().until(() -> begun.size() == 3);
    time.advance(CallbackThreads.STALL.minusNanos(1));
    assertThat(begun).hasSize(3);
    time.advance(Duration.ofNanos(1)); // something has begun since the first look, perhaps
    time.advance(CallbackThreads.STALL);
    await().until(() -> begun.size() >= 4);
    end.countDown();
    await().until(() -> begun.size() == 6);
    threads.close();
  }

  @Test
  void thereAreNotMoreThanTheBoundWhileTasksBegin() {
    List<Thread> used = new CopyOnWriteArrayList<>();
    CountDownLatch all = new CountDownLatch(500);
    for (int i = 0; i < 500; i++) {
      threads.execute(
          () -> {
            if (!used.contains(Thread.currentThread())) {
              used.add(Thread.currentThread());
            }
            all.countDown();
          });
    }
    awaitQuietly(all);
    assertThat(used).hasSizeLessThanOrEqualTo(3);
    threads.close();
  }

  /** Nobody relieves them then: the timer of a closed manager is closed, too. */
  @Test
  void tasksThatWaitForQueuedOnesEndAfterTheClose() {
    List<CompletableFuture<Void>> asked = futures(3);
    CountDownLatch ended = new CountDownLatch(3);
    blockUntilDone(asked, ended);
    IntStream.range(0, 4).forEach(i -> threads.execute(() -> {}));
    asked.forEach(each -> threads.execute(() -> each.complete(null)));
    threads.close();
    assertEnds(ended);
  }

  @Test
  void tasksThatAskAfterTheCloseAndWaitForTheAnswerEnd() {
    CountDownLatch begin = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1_000);
    IntStream.range(0, 1_000).forEach(i -> threads.execute(() -> askAndWait(begin, ended)));
    threads.close();
    begin.countDown();
    assertEnds(ended);
  }

  /** More are blocked than there may ever be threads, and the answers are the last in the queue. */
  @Test
  void aFullNumberOfBlockedThreadsEndsAfterTheClose() {
    List<Thread> started = new CopyOnWriteArrayList<>();
    CallbackThreads full =
        new CallbackThreads(
            task -> {
              Thread thread = new Thread(task);
              started.add(thread);
              return thread;
            },
            time,
            CallbackThreads.MOST_THREADS,
            FOR_GOOD);
    List<CompletableFuture<Void>> asked = futures(CallbackThreads.MOST_THREADS);
    CountDownLatch ended = new CountDownLatch(asked.size() + 1_000);
    asked.forEach(each -> full.execute(() -> joinAndCount(each, ended)));
    IntStream.range(0, 1_000).forEach(i -> full.execute(() -> full.execute(ended::countDown)));
    asked.forEach(each -> full.execute(() -> each.complete(null)));
    full.close();
    assertEnds(ended);
    started.forEach(CallbackThreadsTest::joinQuietly);
  }

  private static List<CompletableFuture<Void>> futures(int count) {
    return IntStream.range(0, count).mapToObj(i -> new CompletableFuture<Void>()).toList();
  }

  private void blockUntilDone(List<CompletableFuture<Void>> asked, CountDownLatch ended) {
    asked.forEach(each -> threads.execute(() -> joinAndCount(each, ended)));
  }

  private static void joinAndCount(CompletableFuture<Void> awaited, CountDownLatch ended) {
    awaited.join();
    ended.countDown();
  }

  private void askAndWait(CountDownLatch begin, CountDownLatch ended) {
    awaitQuietly(begin);
    CompletableFuture<Void> answer = new CompletableFuture<>();
    threads.execute(() -> answer.complete(null));
    joinAndCount(answer, ended);
  }

  private static void assertEnds(CountDownLatch ended) {
    try {
      assertThat(ended.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void joinQuietly(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aTaskRunsOnTheCallingThreadIfNoneCanBeStarted() throws InterruptedException {
    AtomicBoolean here = new AtomicBoolean();
    Thread hopeless =
        new Thread(
            () -> {
              Thread caller = Thread.currentThread();
              CallbackThreads none =
                  new CallbackThreads(
                      task -> {
                        throw new OutOfMemoryError("no thread, on purpose");
                      },
                      time,
                      3,
                      FOR_GOOD);
              none.execute(() -> here.set(Thread.currentThread() == caller));
            });
    hopeless.start();
    hopeless.join();
    assertThat(here).isTrue();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
