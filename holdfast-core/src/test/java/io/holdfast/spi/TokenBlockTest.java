package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBlockTest {
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 1_000, 1_800_000_000_000_000L})
  void ofATickEndsBelowTheBlockOfTheNext(long tick) {
    TokenBlock block = TokenBlock.ofTick(tick);

    assertThat(block.last() - block.first() + 1).isEqualTo(TokenBlock.SIZE);
    assertThat(TokenBlock.ofTick(tick + 1).first()).isEqualTo(block.last() + 1);
  }

  @Test
  void ofTheMicrosecondsOfTheYear2100StillFitsALong() {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse("2100-01-01T00:00:00Z"));

    assertThat(TokenBlock.ofTick(micros).first()).isPositive();
    assertThat(TokenBlock.ofTick(micros).last()).isPositive();
  }

  @Test
  void mayHaveASingleToken() {
    assertThat(new TokenBlock(7, 7).first()).isEqualTo(7);
  }

  @ParameterizedTest
  @CsvSource({"0, 5", "-1, 5", "5, 4"})
  void startsAtOneOrMoreAndDoesNotEndBeforeItStarts(long first, long last) {
    assertThatThrownBy(() -> new TokenBlock(first, last))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a block of tokens: " + first + ".." + last);
  }

  @Test
  void isNotMadeOfNoTick() {
    assertThatThrownBy(() -> TokenBlock.ofTick(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
