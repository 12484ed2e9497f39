package io.holdfast.zookeeper.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.ClientIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.zookeeper.common.PathUtils;
import org.junit.jupiter.api.Test;

/** Names and data survive encoding, whatever they contain. */
class NamesAndDataTest {
  @Test
  void anyTextSurvivesEncodingAsAName() {
    List<String> texts =
        List.of(
            "user:profile:1001",
            ".",
            "..",
            "...",
            ".hidden",
            "a/b//c",
            "100%",
            "%41",
            "~",
            "a~b",
            "\u0000\u001f\u007f",
            "\ud83d\ude00 \u4e2d\u6587",
            "zookeeper",
            " ",
            "x".repeat(1024));
    for (String text : texts) {
      String name = Escape.encode(text);
      PathUtils.validatePath("/holdfast/" + name);
      assertThat(name).doesNotContain("/", "~");
      assertThat(Escape.decode(name)).isEqualTo(text);
    }
    assertThat(texts.stream().map(Escape::encode)).doesNotHaveDuplicates();
    assertThat(Escape.encode("user:profile:1001")).isEqualTo("user:profile:1001");
    assertThat(Escape.decode("50%")).isEqualTo("50%");
  }

  @Test
  void nodeDataSurvivesEncoding() {
    ClientIdentity client = new ClientIdentity("c", "host", 17, "shop");
    NodeData data = NodeData.of(client, "evil\u001fthread", 500, "note\u001fwith\u001fseparators");
    NodeData back = NodeData.parse(new String(data.bytes(), StandardCharsets.UTF_8));
    assertThat(back.thread()).isEqualTo("evil thread");
    assertThat(back.note()).isEqualTo("note\u001fwith\u001fseparators");
    assertThat(back.client("c")).isEqualTo(client);
    assertThat(back.leaseMillis()).isEqualTo(500);
    assertThat(back.state()).isEqualTo(NodeData.State.NEW);
    NodeData held = back.in(NodeData.State.HELD, 700, 1234, 99);
    assertThat(NodeData.parse(new String(held.bytes(), StandardCharsets.UTF_8))).isEqualTo(held);
  }

  @Test
  void foreignDataMeansALeaseThatLastsWithTheSession() {
    for (String text :
        List.of("", "hello", "NEW\u001fx\u001f0\u001f0\u001f0\u001f\u001f\u001f\u001f")) {
      assertThat(NodeData.parse(text).leaseMillis()).isZero();
    }
  }
}
