package io.holdfast.redis.backend;

import static io.holdfast.redis.backend.ScriptCalls.message;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.Owner;
import io.holdfast.spi.Resource;
import io.holdfast.spi.TokenBlock;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Anyone who may publish can write into an inbox: malformed text is no message. */
class InboxMessageTest {
  private static final Owner OWNER = new Owner("client", "1-abc");
  private static final long TICK = 1_800_000_000_000_000L;

  @ParameterizedTest
  @ValueSource(
      strings = {"key", "with:colons", "with\u001fseparators\u001f", "\n\u0000\"", "\ud83d\ude00"})
  void aGrantIsParsedWithAnyKey(String key) {
    for (Resource.Kind kind : Resource.Kind.values()) {
      assertThat(InboxMessage.parse(granted(TICK, TICK - 5, 1500, "77", kind.text(), key)))
          .isEqualTo(
              new InboxMessage.Granted(OWNER, TICK, TICK - 5, 1500, 77, new Resource(kind, key)));
    }
    assertThat(InboxMessage.parse(granted(TICK, TICK - 5, 1500, "0", "lock", key)))
        .isEqualTo(new InboxMessage.Granted(OWNER, TICK, TICK - 5, 1500, 0, Resource.lock(key)));
  }

  @Test
  void theOtherMessagesAreParsed() {
    assertThat(InboxMessage.parse(message("wanted", OWNER)))
        .isEqualTo(new InboxMessage.Contended(OWNER, 0));
    assertThat(InboxMessage.parse(message("wanted", OWNER, TICK)))
        .isEqualTo(new InboxMessage.Contended(OWNER, TICK));
    assertThat(InboxMessage.parse(message("lost", OWNER))).isEqualTo(new InboxMessage.Lost(OWNER));
    assertThat(InboxMessage.parse(message("changed", OWNER)))
        .isEqualTo(new InboxMessage.Changed(OWNER));
  }

  static List<String> malformed() {
    return List.of(
        "",
        "hello",
        "\u001f",
        "\u001f".repeat(20),
        "granted",
        "granted\u001f",
        "wanted",
        "lost",
        "lost\u001f",
        message("wanted", OWNER, "more"),
        message("wanted", OWNER, -1),
        message("wanted", OWNER, 1L << 52),
        granted(TICK, TICK, 1500, Long.toString(Long.MAX_VALUE), "lock", "key"),
        message("wanted", OWNER, TICK, "more"),
        granted(TICK, TICK, 1500, "-1", "lock", "key"),
        granted(TICK, TICK, 1500, "some", "lock", "key"),
        message("lost", OWNER, ""),
        message("lost", "no-colon"),
        message("wanted", ""),
        message("LOST", OWNER),
        message(" lost", OWNER),
        message("stolen", OWNER),
        message("granted", OWNER),
        message("granted", OWNER, TICK, TICK, 1500, 1, "lock"),
        message("granted", "no-colon", TICK, TICK, 1500, 1, "lock", "key"),
        message("granted", OWNER, "", TICK, 1500, 1, "lock", "key"),
        message("granted", OWNER, "1.8e+15", TICK, 1500, 1, "lock", "key"),
        message("granted", OWNER, TICK, "soon", 1500, 1, "lock", "key"),
        message("granted", OWNER, TICK, TICK, "1500 ms", 1, "lock", "key"),
        message("granted", OWNER, TICK, TICK, "99999999999999999999", 1, "lock", "key"),
        granted(TICK, TICK, 1500, "1", "door", "key"),
        granted(TICK, TICK, 1500, "1", "LOCK", "key"),
        granted(TICK, TICK, 1500, "1", "", "key"),
        granted(0, TICK, 1500, "1", "lock", "key"),
        granted(-TICK, TICK, 1500, "1", "lock", "key"),
        granted(1L << 52, TICK, 1500, "1", "lock", "key"),
        granted(Long.MAX_VALUE, TICK, 1500, "1", "lock", "key"),
        granted(TICK, TICK, 0, "1", "lock", "key"),
        granted(TICK, TICK, -1500, "1", "lock", "key"));
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void otherTextIsNoMessage(String text) {
    assertThat(InboxMessage.parse(text)).isNull();
  }

  @Test
  void theLargestAcceptedTickStillMakesTokens() {
    InboxMessage message =
        InboxMessage.parse(granted((1L << 52) - 1, TICK, 1500, "1", "lock", "key"));
    assertThat(message)
        .isInstanceOfSatisfying(
            InboxMessage.Granted.class,
            granted -> assertThat(TokenBlock.ofTick(granted.tick()).last()).isPositive());
  }

  @Test
  void everyAcceptedLeaseFitsIntoNanoseconds() {
    InboxMessage message =
        InboxMessage.parse(granted(TICK, TICK, Long.MAX_VALUE, "1", "lock", "key"));
    if (message instanceof InboxMessage.Granted granted) {
      assertThat(granted.leaseMillis()).isLessThanOrEqualTo(Long.MAX_VALUE / 1_000_000);
    }
  }

  @Test
  void noMutatedMessageThrows() {
    Random random = new Random(4711);
    List<String> originals =
        List.of(
            granted(TICK, TICK, 1500, "1", "lock", "some:key"),
            message("wanted", OWNER),
            message("changed", OWNER));
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      String text = originals.get(random.nextInt(originals.size()));
      for (int n = random.nextInt(4); n >= 0; n--) {
        text = mutate(text, random);
      }
      InboxMessage message = InboxMessage.parse(text);
      if (message instanceof InboxMessage.Granted granted) {
        assertThat(granted.leaseMillis()).as(text).isPositive();
        assertThat(TokenBlock.ofTick(granted.tick()).first()).as(text).isPositive();
      }
      read += message == null ? 0 : 1;
    }
    assertThat(read).as("some mutations touch only the key").isBetween(1000, 19_000);
  }

  private static String mutate(String text, Random random) {
    StringBuilder changed = new StringBuilder(text);
    int at = random.nextInt(text.length() + 1);
    char any = "\u001f\u001f:-+019eE. gw\u0000\u0663\ud83d".charAt(random.nextInt(17));
    switch (random.nextInt(5)) {
      case 0 -> changed.insert(at, any);
      case 1 -> changed.setLength(at);
      case 2 -> changed.insert(at, text.substring(at / 2, at));
      case 3 -> changed.delete(at, Math.min(text.length(), at + 1 + random.nextInt(5)));
      default -> {
        if (at < text.length()) {
          changed.setCharAt(at, any);
        }
      }
    }
    return changed.toString();
  }

  private static String granted(
      long tick, long at, long lease, String contended, String kind, String key) {
    return message("granted", OWNER, tick, at, lease, contended, kind, key);
  }
}
