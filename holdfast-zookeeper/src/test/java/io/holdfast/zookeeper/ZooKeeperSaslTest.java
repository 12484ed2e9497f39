package io.holdfast.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SASL in a process of its own, because its configuration applies to the whole JVM. */
@Timeout(300)
class ZooKeeperSaslTest {
  @TempDir Path directory;

  private String run(String section) throws Exception {
    Path jaas = directory.resolve("jaas.conf");
    Files.writeString(
        jaas,
        """
        Server {
          org.apache.zookeeper.server.auth.DigestLoginModule required user_shop="sesame";
        };
        Right {
          org.apache.zookeeper.server.auth.DigestLoginModule required username="shop" password="sesame";
        };
        Wrong {
          org.apache.zookeeper.server.auth.DigestLoginModule required username="shop" password="guess";
        };
        """);
    try (ChildJvm child =
        ChildJvm.builder(SaslProcess.class)
            .jvmArgs(
                "-Djava.io.tmpdir=" + directory,
                "-Dzookeeper.fips-mode=false", // which would forbid DIGEST-MD5
                "-Djava.security.auth.login.config=" + jaas,
                "-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider")
            .args(section)
            .start()) {
      return child.awaitLine(line -> line.startsWith("result "), Duration.ofMinutes(2));
    }
  }

  @Test
  void theUrlSelectsTheSectionAndNodesBelongToItsUser() throws Exception {
    assertThat(run("Right")).isEqualTo("result locked, hidden");
  }

  @Test
  void theMessageTellsOfAWrongPassword() throws Exception {
    assertThat(run("Wrong")).contains("do not accept this user").contains("SASL section");
  }

  @Test
  void theMessageTellsOfAMissingSection() throws Exception {
    assertThat(run("Missing")).startsWith("result refused");
    assertThatThrownBy(() -> ZooKeeperUrl.parse("zookeeper://zk?sasl="))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
