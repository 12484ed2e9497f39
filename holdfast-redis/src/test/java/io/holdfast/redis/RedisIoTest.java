package io.holdfast.redis;

import static io.holdfast.redis.PatientUrl.patient;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockManager;
import io.holdfast.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The two drivers and the choice between them. Recognizes a driver by its threads. */
@Isolated
class RedisIoTest {
  private static final String CALLER_THREAD = "holdfast-redis-io";
  private static final String NETTY_THREAD = "lettuce-nioEventLoop";

  private final String url = RedisServer.shared().url();

  @Test
  void theCallerLoopIsTheDefaultUnlessTheTestsChooseAnother() {
    String expected = "netty".equals(RedisWithIo.chosen()) ? NETTY_THREAD : CALLER_THREAD;
    assertThat(ioThreadsOf(LockManager.create(patient(url))))
        .allMatch(name -> name.startsWith(expected));
  }

  @ParameterizedTest
  @CsvSource({
    "?io=caller, holdfast-redis-io",
    "?io=netty, lettuce-nioEventLoop",
    "?clientName=orders&io=netty, lettuce-nioEventLoop"
  })
  void theUrlChooses(String options, String thread) {
    assertThat(ioThreadsOf(LockManager.create(patient(url + options))))
        .allMatch(name -> name.startsWith(thread));
  }

  @Test
  void theProviderOverridesTheUrl() {
    RedisBackendProvider provider = new RedisBackendProvider();
    RedisBackendProvider withNetty = provider.io(Io.NETTY);
    assertThat(withNetty).isNotSameAs(provider);
    String caller = patient(url + "?io=caller");
    assertThat(ioThreadsOf(LockManager.builder(caller).engine(withNetty).build()))
        .allMatch(name -> name.startsWith(NETTY_THREAD));
    assertThat(ioThreadsOf(LockManager.builder(caller).engine(provider).build()))
        .allMatch(name -> name.startsWith(CALLER_THREAD));
    RedisBackendProvider given = RedisBackendProvider.of(RedisURI.create(url)).io(Io.NETTY);
    assertThat(ioThreadsOf(LockManager.builder("redis://ignored").engine(given).build()))
        .allMatch(name -> name.startsWith(NETTY_THREAD));
  }

  @Test
  void aLentClientKeepsItsOwnLoops() {
    RedisClient client = RedisClient.create(url);
    try {
      RedisBackendProvider lent = RedisBackendProvider.using(client, RedisURI.create(url));
      assertThatThrownBy(() -> lent.io(Io.CALLER))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("lent client");
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"io=", "io=epoll", "io=CALLER", "io=caller&io=netty", "io=netty,caller"})
  void anUnknownDriverIsRefused(String option) {
    assertThatThrownBy(() -> LockManager.create(url + "?" + option).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("io", "caller or netty", "redis://[user:password@]host");
  }

  @Test
  void textThatLooksLikeTheOptionElsewhereIsNotTouched() {
    assertThat(RedisUrl.ioOf("redis://io=x:y&io=z@host/1?timeout=1s")).isNull();
    assertThat(RedisUrl.parse(url + "?clientName=io&io=netty&timeout=3s"))
        .satisfies(uri -> assertThat(uri.getClientName()).isEqualTo("io"))
        .satisfies(uri -> assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(3)));
  }

  /** The I/O threads that the manager has started; closes the manager. */
  private static Set<String> ioThreadsOf(LockManager manager) {
    try (manager) {
      manager.getLock("io").lock();
      manager.getLock("io").unlock();
      Set<String> names =
          Thread.getAllStackTraces().keySet().stream()
              .map(Thread::getName)
              .filter(name -> name.startsWith(CALLER_THREAD) || name.startsWith(NETTY_THREAD))
              .collect(Collectors.toSet());
      assertThat(names).isNotEmpty();
      return names;
    }
  }
}
