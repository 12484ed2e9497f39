package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.LockManager;
import io.holdfast.StoreException;
import io.holdfast.jdbc.backend.Dialect;
import io.holdfast.jdbc.backend.Settings;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jdbc:postgresql://h/db | jdbc:postgresql://h/db",
        "jdbc:postgresql://h/db?holdfast.strategy=optimistic | jdbc:postgresql://h/db",
        "jdbc:postgresql://h/db?user=u&holdfast.schema=create&ssl=true | jdbc:postgresql://h/db?user=u&ssl=true",
        "jdbc:postgresql://h/db?holdfast.schema=create&user=u | jdbc:postgresql://h/db?user=u",
        "jdbc:mysql://h/db?holdfast.schema=create&holdfast.poll=5ms&user=u | jdbc:mysql://h/db?user=u",
        "jdbc:mysql://h/db?user=u&holdfast.poll=5ms | jdbc:mysql://h/db?user=u",
        "jdbc:h2:mem:x;holdfast.strategy=optimistic;DB_CLOSE_DELAY=-1 | jdbc:h2:mem:x;DB_CLOSE_DELAY=-1",
        "jdbc:sqlite:/tmp/a.db?holdfast.timeout=1s | jdbc:sqlite:/tmp/a.db"
      })
  void optionsOfHoldfastAreRemovedAndTheRestIsForTheDriver(String given, String driver) {
    assertThat(JdbcUrl.parse(given).url()).isEqualTo(driver);
  }

  @Test
  void everyOptionHasItsEffect() {
    Settings settings =
        JdbcUrl.parse(
                "jdbc:postgresql://h/db?holdfast.strategy=pessimistic&holdfast.schema=create&holdfast.tables=s.x_"
                    + "&holdfast.timeout=1500ms&holdfast.connections=7&holdfast.poll=2s&holdfast.listen=false")
            .options()
            .settings(Dialect.POSTGRESQL, false);
    assertThat(settings)
        .isEqualTo(
            new Settings(
                false, true, "s.x_", Duration.ofMillis(1500), 7, Duration.ofSeconds(2), false));
    Settings usual = JdbcUrl.parse("jdbc:sqlite:x").options().settings(Dialect.SQLITE, true);
    assertThat(usual)
        .isEqualTo(
            new Settings(
                true, true, "holdfast_", Duration.ofSeconds(2), 1, Duration.ofMillis(100), true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "holdfast.nonsense=1",
        "holdfast.strategy=hopeful",
        "holdfast.schema=drop",
        "holdfast.tables=x_ (y) --",
        "holdfast.tables=a.b.c_",
        "holdfast.tables=",
        "holdfast.timeout=2",
        "holdfast.timeout=1ms",
        "holdfast.connections=0",
        "holdfast.connections=many",
        "holdfast.poll=soon",
        "holdfast.listen=maybe",
        "holdfast.listen"
      })
  void invalidOptionsAreRefused(String option) {
    assertThatThrownBy(() -> LockManager.create("jdbc:h2:mem:refused?" + option))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("jdbc:h2");
  }

  @Test
  void aPasswordInTheUrlIsNotRepeatedInMessages() {
    assertThatThrownBy(() -> LockManager.create("jdbc:postgresql:///a:b:c//x?password=secret"))
        .isInstanceOf(StoreException.class)
        .satisfies(
            fault -> {
              for (Throwable e = fault; e != null; e = e.getCause()) {
                assertThat(e).hasMessageNotContaining("secret");
              }
            });
  }

  @Test
  void urlsOfOtherDatabasesAreNotAccepted() {
    JdbcBackendProvider provider = new JdbcBackendProvider();
    assertThat(provider.accepts("jdbc:oracle:thin:@h")).isFalse();
    assertThat(provider.accepts("redis://h")).isFalse();
    assertThat(provider.accepts("jdbc:MariaDB://h/x")).isTrue();
    assertThatThrownBy(() -> LockManager.create("jdbc:oracle:thin:@h"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql:");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"jdbc:sqlite:", "jdbc:sqlite::memory:", "jdbc:sqlite:file::memory:?cache=shared"})
  void sqliteInMemoryIsRefused(String url) {
    assertThatThrownBy(() -> LockManager.create(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("memory:");
  }

  @Test
  void anUnknownOptionIsRefusedWithTheListOfOptions() {
    assertThatThrownBy(() -> LockManager.create("jdbc:h2:mem:refused;holdfast.bogus=1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(
            "no option holdfast.bogus",
            "strategy, schema, tables, timeout, connections, poll, listen");
  }
}
