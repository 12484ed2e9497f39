package io.holdfast.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may be shown of a URL. */
class SafeUrlTest {
  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "memory: -> memory:",
        "memory:name -> memory:name",
        "redis://localhost:6379/0 -> redis://localhost:6379/0",
        "redis://:secret@host:6379 -> redis://:***@host:6379",
        "redis://user:secret@host:6379/1?io=netty -> redis://user:***@host:6379/1?io=netty",
        "redis://secret@host -> redis://***@host",
        "redis://user:se@cr/et?@host -> redis://user:***@host",
        "zookeeper://user:secret@one:1,two:2/root -> zookeeper://user:***@one:1,two:2/root",
        "jdbc:postgresql://host/db?user=me&password=secret&ssl=true ->"
            + " jdbc:postgresql://host/db?user=me&password=***&ssl=true",
        "jdbc:mariadb://me:secret@host/db?trustStorePassword=x ->"
            + " jdbc:mariadb://me:***@host/db?trustStorePassword=***",
        "jdbc:h2:mem:x;USER=sa;PASSWORD=a b c;MODE=x -> jdbc:h2:mem:x;USER=sa;PASSWORD=***;MODE=x",
        "jdbc:sqlite:/tmp/a.db -> jdbc:sqlite:/tmp/a.db",
        "jdbc:oracle:thin:scott/tiger@//host/db -> jdbc:***@//host/db",
        "jdbc:x://host?accessToken=abc -> jdbc:x://host?accessToken=***"
      })
  void hidesWhatLooksLikeAPassword(String url, String shown) {
    assertThat(SafeUrl.of(url)).isEqualTo(shown);
  }
}
