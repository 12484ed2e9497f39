package io.holdfast.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.cli.CommandRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DemoArgumentsTest {
  @ParameterizedTest
  @CsvSource({
    "--workers=0, '--workers must be a number from 1 to 64, not 0'",
    "--workers=65, '--workers must be a number from 1 to 64, not 65'",
    "--threads=-1, '--threads must be a number from 1 to 64, not -1'",
    "--stock=0, '--stock must be a number from 1 to 100000, not 0'",
    "--stock=-500, '--stock must be a number from 1 to 100000, not -500'",
    "--stock=many, 'Invalid value for option ''--stock'': ''many'' is not an int'",
    "--key=, '--key: it must not be blank'",
    "--url=memory:, '--url memory: cannot work here'",
    "--url=oracle://host, '--url must start with redis:// or rediss://'",
    "--url=localhost, '--url must start with redis:// or rediss://'",
    "--url=redis://, '--url should look like redis://'",
  })
  void whatCannotWorkIsRefusedInOneLine(String argument, String message) {
    assertRefused(CommandRun.of("demo", argument), message);
  }

  @Test
  void aServerThatIsNotThereIsNamed() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    String address = "127.0.0.1:" + port;
    assertRefused(
        CommandRun.of("demo", "--url", "redis://:secret@" + address),
        "cannot connect to Redis at " + address);
  }

  private static void assertRefused(CommandRun run, String message) {
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).startsWith("holdfast demo: ").contains(message).doesNotContain("secret");
    assertThat(run.err().lines()).hasSize(1);
  }
}
