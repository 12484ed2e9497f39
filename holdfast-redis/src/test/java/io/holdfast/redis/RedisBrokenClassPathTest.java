package io.holdfast.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A class that cannot be loaded stands for any {@link Error} at that point of connecting. */
@Isolated
@Timeout(240)
class RedisBrokenClassPathTest {
  private static final String NOTHING = "";

  @Test
  void aClassPathLoadedAnewWorks() throws Exception {
    assertThat(faultWithout(NOTHING, "60s")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.lettuce.core.resource.DefaultClientResources", // after the caller loop has started
        "io.lettuce.core.RedisClient",
        "io.netty.bootstrap.AbstractBootstrap$1",
        "io.lettuce.core.protocol.CommandEncoder", // on the thread of the connection
        "io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator$MaxMessageHandle", // and ends that
        // thread
        "io.holdfast.redis.backend.RedisLatches" // after the connections are open
      })
  void anErrorWhileConnectingIsReportedAndLeavesNoThread(String missing) throws Exception {
    assertThat(faultWithout(missing, "500ms")).isNotNull();
  }

  @Test
  void anErrorWhileClosingIsNotThrownAndLeavesNoThread() throws Exception {
    assertThat(faultWithout("io.netty.util.concurrent.ImmediateEventExecutor$1", "60s")).isNull();
  }

  @Test
  void aSecondAttemptNamesTheMissingClassLikeTheFirst() throws Exception {
    try (BrokenClassPath path = new BrokenClassPath("io.lettuce.core.resource.Transports")) {
      for (int attempt = 1; attempt <= 2; attempt++) {
        assertThat(catchThrowable(() -> lockOnce(path, "60s")))
            .as("attempt %d", attempt)
            .hasStackTraceContaining(
                "Transports"); // from the second attempt on as the cause that the JVM gives
      }
    }
  }

  /** The exception of connecting and locking, or null. Checks that no thread is left. */
  private static Throwable faultWithout(String missing, String timeout) throws Exception {
    Set<Thread> before = ownThreads();
    try (BrokenClassPath path = new BrokenClassPath(missing)) {
      Throwable fault = catchThrowable(() -> lockOnce(path, timeout));
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(before).containsAll(ownThreads()));
      return fault;
    }
  }

  private static void lockOnce(BrokenClassPath path, String timeout)
      throws ReflectiveOperationException {
    Thread self = Thread.currentThread();
    ClassLoader usual = self.getContextClassLoader();
    self.setContextClassLoader(path); // Lettuce looks for its events there
    try (LockManager manager = LockManager.builder(url(timeout)).engine(path.provider()).build()) {
      manager.getLock("broken class path").lock();
      manager.getLock("broken class path").unlock();
    } finally {
      self.setContextClassLoader(usual);
    }
  }

  private static String url(String timeout) {
    String io = RedisWithIo.chosen();
    return RedisServer.shared().url() + "?timeout=" + timeout + (io == null ? "" : "&io=" + io);
  }

  private static Set<Thread> ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(
            thread ->
                thread.getName().startsWith("holdfast-") || thread.getName().startsWith("lettuce-"))
        .collect(Collectors.toSet());
  }
}
