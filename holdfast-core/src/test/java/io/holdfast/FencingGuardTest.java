package io.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FencingGuardTest {
  private final FencingGuard guard = new FencingGuard("stock:42");

  @Test
  void hasSeenNothingAtFirst() {
    assertThat(guard.highest()).isZero();
  }

  @Test
  void letsRisingTokensInAndTheSameOneAgain() {
    guard.check(5);
    guard.check(5);
    guard.check(9);

    assertThat(guard.highest()).isEqualTo(9);
  }

  @Test
  void stopsAFormerHolderAndNamesResourceAndTokens() {
    guard.check(9);

    assertThatThrownBy(() -> guard.check(8))
        .isInstanceOf(StaleTokenException.class)
        .hasMessageContaining("'stock:42'")
        .hasMessageContaining("8")
        .hasMessageContaining("9");
  }

  @Test
  void isNotSetBackByAFormerHolder() {
    guard.check(9);
    assertThatThrownBy(() -> guard.check(3)).isInstanceOf(StaleTokenException.class);

    assertThat(guard.highest()).isEqualTo(9);
    assertThatCode(() -> guard.check(9)).doesNotThrowAnyException();
  }

  @Test
  void letsTheHighestTokenInWhateverElseComesAtTheSameTime() {
    AtomicInteger refused = new AtomicInteger();
    LongStream.rangeClosed(1, 10_000)
        .parallel()
        .forEach(
            token -> {
              try {
                guard.check(token);
              } catch (StaleTokenException e) {
                assertThat(token).isLessThan(10_000);
                refused.incrementAndGet();
              }
            });

    assertThat(guard.highest()).isEqualTo(10_000);
    assertThat(refused).hasValueLessThan(10_000);
  }
}
