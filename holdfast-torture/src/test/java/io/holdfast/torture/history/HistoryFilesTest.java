package io.holdfast.torture.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryFilesTest {
  @TempDir Path directory;

  private static HistoryEvent event(long nanos, String client, String key) {
    return new HistoryEvent(
        nanos, client, "t1", 1, Phase.INVOKE, Action.ACQUIRE, key, Map.of(Detail.HOLDER, key));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "plain",
        "tab\tand\nline\r\u2028break",
        "a=b\\u0041",
        "\ud800 half a pair",
        "\u0000",
        "ключ 🔒"
      })
  void anyTextComesBackAsItWas(String text) {
    HistoryEvent event =
        new HistoryEvent(
            -5, text, text, 9, Phase.NOTE, Action.INFO, text, Map.of("n" + text, text));
    Path file = directory.resolve("one.history");
    try (HistoryWriter writer = new HistoryWriter(file, "one")) {
      writer.write(event);
      writer.write(event);
    }
    assertThat(HistoryReader.readDirectory(directory)).containsExactly(event, event);
  }

  @Test
  void severalFilesAreMergedByTime() {
    try (HistoryWriter one = new HistoryWriter(directory.resolve("1.history"), "one");
        HistoryWriter two = new HistoryWriter(directory.resolve("2.history"), "two")) {
      one.write(event(10, "one", "a"));
      one.write(event(30, "one", "c"));
      two.write(event(20, "two", "b"));
      two.write(event(5, "two", "first"));
    }
    assertThat(HistoryReader.readDirectory(directory))
        .extracting(HistoryEvent::key)
        .containsExactly("first", "a", "b", "c");
  }

  @Test
  void whatIsWrittenIsInTheFileBeforeItIsClosed() {
    Path file = directory.resolve("open.history");
    try (HistoryWriter writer = new HistoryWriter(file, "one")) {
      writer.record("t1", writer.nextOp(), Phase.INVOKE, Action.ACQUIRE, "a", Map.of());
      assertThat(HistoryReader.read(List.of(file))).hasSize(1);
      assertThat(writer.nextOp()).isEqualTo(2);
    }
  }

  @Test
  void aTornLastLineIsPassedOver() throws IOException {
    Path file = directory.resolve("torn.history");
    try (HistoryWriter writer = new HistoryWriter(file, "one")) {
      writer.write(event(1, "one", "a"));
    }
    String whole = Files.readString(file);
    for (int length = 0; length < whole.length() - 1; length++) {
      Files.writeString(file, whole + whole.substring(0, length));
      assertThat(HistoryReader.read(List.of(file))).containsExactly(event(1, "one", "a"));
    }
  }

  @Test
  void aBrokenLineInTheMiddleIsAnError() throws IOException {
    Path file = directory.resolve("bad.history");
    Files.writeString(file, "1\tone\tt1\n", StandardOpenOption.CREATE);
    assertThatThrownBy(() -> HistoryReader.read(List.of(file)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aMergedHistoryCanBeSavedAndReadAgain() {
    List<HistoryEvent> events = List.of(event(1, "one", "a"), event(2, "two", "b"));
    Path file = directory.resolve("merged");
    HistoryReader.save(events, file);
    assertThat(HistoryReader.read(List.of(file))).isEqualTo(events);
  }
}
