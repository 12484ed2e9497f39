package io.holdfast.zookeeper.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.testkit.Mutations;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A client with write access to a key can create nodes with any name and any data. */
class HostileNodesTest {
  private static final int TEXTS = 50_000;

  @Test
  void aNameIsATicketOrIgnored() {
    List<String> valid =
        List.of(
            "lock~client%3A1-a~0000000007",
            "read~client%3A1-a~0000000008",
            "write~client%3A1-a~2147483647",
            "permits~2~5~client%3A1-a~0000000009");
    long ours =
        Mutations.of(4714, valid)
            .limit(TEXTS)
            .map(Ticket::parse)
            .filter(ticket -> ticket != null)
            .peek(
                ticket -> {
                  assertThat(ticket.amount()).isNotNegative();
                  assertThat(ticket.limit()).isNotNegative();
                  assertThat(ticket.owner().clientId()).doesNotContain(":");
                })
            .count();
    assertThat(ours).isPositive();
  }

  @Test
  void anyDataIsParsedWithoutAnExceptionAndTheLeaseIsNotNegative() {
    List<String> valid =
        List.of(
            "HELD\u001f3000\u001f1700000000000\u001f77\u001f4711\u001fhost\u001fapp\u001fmain\u001fnote",
            "NEW\u001f0\u001f0\u001f0\u001f1\u001fh\u001fa\u001ft\u001f");
    Mutations.of(4715, valid)
        .limit(TEXTS)
        .map(NodeData::parse)
        .forEach(data -> assertThat(data.leaseMillis()).isNotNegative());
  }

  @Test
  void anyTextIsOnePathElementAndSurvivesEncoding() {
    Mutations.of(4716, List.of("stock:42", "../..", "/zookeeper/config", "a~b%2Fc"))
        .limit(TEXTS)
        .filter(text -> !text.isEmpty() && text.equals(new String(text.getBytes(UTF_8), UTF_8)))
        .forEach(
            text -> {
              String name = Escape.encode(text);
              assertThat(name).doesNotContain("/", "~").isNotIn(".", "..").isASCII();
              assertThat(Escape.decode(name)).isEqualTo(text);
            });
    Mutations.of(4717, List.of("%41%", "%E2%82", "x")).limit(TEXTS).forEach(Escape::decode);
  }
}
