package io.holdfast.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnerTest {
  @Test
  void standsInTheStoreAsClientAndTenure() {
    assertThat(new Owner("client", "tenure")).hasToString("client:tenure");
  }

  @ParameterizedTest
  @ValueSource(strings = {"client:tenure", "c:1-abc", "c:", ":t", "c:t:with:colons"})
  void readsWhatItWrote(String text) {
    assertThat(Owner.parse(text)).hasToString(text);
  }

  @Test
  void splitsAtTheFirstColonSoThatATenureMayHaveOne() {
    assertThat(Owner.parse("client:a:b")).isEqualTo(new Owner("client", "a:b"));
  }

  @Test
  void doesNotReadWhatIsNoOwner() {
    assertThatThrownBy(() -> Owner.parse("nobody"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not an owner: nobody");
  }

  @Test
  void hasNoColonInTheClientSoThatTwoOwnersNeverLookTheSame() {
    assertThatThrownBy(() -> new Owner("a:b", "c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("colon")
        .hasMessageContaining("a:b");
  }
}
