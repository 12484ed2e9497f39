package io.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ProseTest {
  @Test
  void aLongParagraphIsWrappedAtTheLimitOfTextFiles() {
    String text = "a word ".repeat(60).strip();

    assertThat(Prose.paragraph(text).lines()).hasSize(4).allMatch(line -> line.length() <= 120);
    assertThat(Prose.paragraph(text).replace('\n', ' ').strip()).isEqualTo(text);
  }

  @Test
  void furtherLinesOfAnItemAreIndented() {
    assertThat(Prose.item("short")).isEqualTo("- short\n");
    assertThat(Prose.item("a word ".repeat(30)).lines().skip(1))
        .isNotEmpty()
        .allMatch(line -> line.startsWith("  a") || line.startsWith("  word"));
  }

  @Test
  void aWordThatIsTooLongStandsAlone() {
    String link = "x".repeat(200);

    assertThat(Prose.paragraph("see " + link + " there").lines())
        .containsExactly("see", link, "there");
  }
}
