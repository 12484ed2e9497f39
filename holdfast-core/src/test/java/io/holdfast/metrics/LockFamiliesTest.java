package io.holdfast.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LockFamiliesTest {
  @ParameterizedTest
  @CsvSource({
    "stock:42, stock",
    "user:profile:1001, user",
    "order-17, order-*",
    "order-17-x-2, order-*-x-*",
    "s3-upload, s*-upload",
    "nightly, nightly",
    "2026, *",
    ":odd, other",
    "{tenant9}:orders, {tenant*}",
  })
  void areThePrefixOfAKeyWithoutItsNumbers(String key, String family) {
    assertThat(namesOf(LockFamilies.BY_PREFIX, 10, key)).containsExactly(family);
  }

  @Test
  void areNoMoreThanAllowedAndOneForTheRest() {
    String[] keys =
        IntStream.range(0, 50).mapToObj(i -> "" + (char) ('A' + i)).toArray(String[]::new);

    assertThat(namesOf(key -> key, 3, keys)).containsExactly("A", "B", "C", "other");
    assertThat(namesOf(key -> key, 0, keys)).containsExactly("other");
  }

  @Test
  void countEveryKeyOnce() {
    LockFamilies<LongAdder> families = new LockFamilies<>(key -> key, 2, name -> new LongAdder());
    for (String key : new String[] {"a", "b", "c", "d", "a"}) {
      families.of(key).increment();
    }

    assertThat(families.all(LongAdder::sum))
        .containsEntry("a", 2L)
        .containsEntry("b", 1L)
        .containsEntry("other", 2L);
  }

  @Test
  void theRestDoesNotTakeThePlaceOfAFamily() {
    assertThat(namesOf(key -> key, 2, "other", "a", "b", "c")).containsExactly("a", "b", "other");
  }

  @Test
  void aRuleThatFailsCostsNothingButTheName() {
    assertThat(namesOf(key -> null, 5, "a")).containsExactly("other");
    assertThat(namesOf(key -> " ", 5, "a")).containsExactly("other");
    assertThat(namesOf(key -> key.substring(5), 5, "a")).containsExactly("other");
  }

  @Test
  void namesAreNotLongerThanAnybodyReads() {
    assertThat(namesOf(key -> key, 5, "x".repeat(5000))).containsExactly("x".repeat(100));
  }

  @Test
  void refuseANegativeLimit() {
    assertThatThrownBy(() -> namesOf(key -> key, -1, "a"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Iterable<String> namesOf(
      Function<String, @Nullable String> rule, int most, String... keys) {
    LockFamilies<String> families = new LockFamilies<>(rule, most, name -> name);
    for (String key : keys) {
      String kept = families.of(key);
      assertThat(families.of(key)).isSameAs(kept);
    }
    assertThat(families.all(name -> name))
        .allSatisfy((name, kept) -> assertThat(kept).isEqualTo(name));
    return families.all(name -> name).keySet();
  }
}
