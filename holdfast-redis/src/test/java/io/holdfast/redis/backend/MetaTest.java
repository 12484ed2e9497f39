package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.ClientIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MetaTest {
  private static final ClientIdentity CLIENT = new ClientIdentity("id", "host-1", 4242, "orders");

  @Test
  void aMetaIsParsedAsItWasWritten() {
    Meta meta = Meta.of(CLIENT, "main");
    assertThat(meta).isEqualTo(new Meta(4242, "host-1", "orders", "main"));
    assertThat(meta).hasToString("4242\u001fhost-1\u001forders\u001fmain");
    assertThat(Meta.parse(meta.toString())).isEqualTo(meta);
    assertThat(meta.client("id")).isEqualTo(CLIENT);
  }

  @Test
  void emptyFieldsStayEmpty() {
    Meta meta = new Meta(0, "", "", "");
    assertThat(Meta.parse(meta.toString())).isEqualTo(meta);
  }

  @Test
  void aNameWithSeparatorsStaysInItsField() {
    Meta meta = new Meta(1, "a\u001fb", "\u001f\u001f", "x\u001f9\u001fy");
    assertThat(Meta.parse(meta.toString())).isEqualTo(new Meta(1, "a b", "  ", "x 9 y"));
  }

  @Test
  void newLinesAndOtherAlphabetsAreKept() {
    Meta meta = new Meta(1, "h\u00f6st", "\u4e2d\u6587", "line\nline \ud83d\ude00 \u0000");
    assertThat(Meta.parse(meta.toString())).isEqualTo(meta);
  }

  @Test
  void aLongNameIsCut() {
    Meta meta = new Meta(1, "h", "a", "t".repeat(100_000));
    assertThat(Meta.parse(meta.toString()).thread()).isEqualTo("t".repeat(200));
  }

  @Test
  void aNameCutInsideACharacterHarmsNoOtherField() {
    Meta meta = new Meta(1, "t" + "\ud83d\ude00".repeat(200), "a", "t");
    byte[] stored = meta.toString().getBytes(StandardCharsets.UTF_8);
    Meta read = Meta.parse(new String(stored, StandardCharsets.UTF_8));
    assertThat(read.host()).startsWith("t\ud83d\ude00").hasSize(200);
    assertThat(read.application()).isEqualTo("a");
    assertThat(read.thread()).isEqualTo("t");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "1\u001f2\u001f3",
        "1\u001f2\u001f3\u001f4\u001f5",
        "\u001f\u001f"
      })
  void otherTextGivesEmptyFields(String text) {
    assertThat(Meta.parse(text)).isEqualTo(new Meta(-1, "", "", ""));
  }

  @Test
  void aMalformedProcessIdIsUnknown() {
    for (String pid : List.of("", "x", "99999999999999999999", "1e3")) {
      assertThat(Meta.parse(pid + "\u001fh\u001fa\u001ft")).isEqualTo(new Meta(-1, "h", "a", "t"));
    }
  }
}
