package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Any URL is parsed or refused; options of Holdfast never reach the driver. */
class HostileJdbcUrlTest {
  @Test
  void aDamagedUrlIsParsedOrRefused() {
    List<String> valid =
        List.of(
            "jdbc:postgresql://h:1/db?user=u&holdfast.strategy=optimistic&password=p",
            "jdbc:h2:mem:x;holdfast.schema=create;holdfast.poll=20ms",
            "jdbc:mariadb://h/db?holdfast.connections=3&holdfast.listen=true&holdfast.timeout=2s",
            "jdbc:sqlite:/a/b.db?holdfast.tables=locks.x_");
    int[] read = new int[2];
    Mutations.of(4713, valid)
        .limit(50_000)
        .forEach(
            text -> {
              try {
                assertThat(JdbcUrl.parse(text).url()).as(text).doesNotContain("holdfast.");
                read[0]++;
              } catch (IllegalArgumentException e) {
                assertThat(e.getMessage()).as(text).isNotBlank();
                read[1]++;
              }
            });
    assertThat(read[0]).as("read").isPositive();
    assertThat(read[1]).as("refused").isPositive();
  }
}
