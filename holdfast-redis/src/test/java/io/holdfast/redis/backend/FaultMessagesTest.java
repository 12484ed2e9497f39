package io.holdfast.redis.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.spi.BackendException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transient faults, permanent faults, and the messages for the latter. */
class FaultMessagesTest {

  static List<Throwable> silence() {
    return List.of(
        new RedisCommandTimeoutException("Command timed out after 2 second(s)"),
        new RedisConnectionException("Unable to connect"),
        new RedisException("Connection closed"),
        new RedisException("Currently not connected. Commands are rejected."),
        new IOException("Connection reset by peer"),
        new CancellationException());
  }

  @ParameterizedTest
  @MethodSource("silence")
  void aMissingAnswerIsTransient(Throwable fault) {
    assertThat(RedisFaults.mayPass(fault)).isTrue();
    assertThat(RedisFaults.mayPass(new CompletionException(new CompletionException(fault))))
        .isTrue();
  }

  static List<Throwable> passing() {
    return List.of(
        new RedisLoadingException("LOADING Redis is loading the dataset in memory"),
        new RedisBusyException("BUSY Redis is busy running a script."),
        new RedisReadOnlyException("READONLY You can't write against a read only replica."),
        error("MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."),
        error("CLUSTERDOWN The cluster is down"),
        error("TRYAGAIN Multiple keys request during rehashing of slot"),
        error("UNBLOCKED force unblock from blocking operation"),
        error("NOREPLICAS Not enough good replicas to write."));
  }

  @ParameterizedTest
  @MethodSource("passing")
  void aPassingStateOfTheServerIsTransient(Throwable fault) {
    assertThat(RedisFaults.mayPass(fault)).isTrue();
  }

  /** The error of a command inside a script, as servers before 7.0 report it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "READONLY You can't write against a read only replica.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "NOREPLICAS Not enough good replicas to write."
      })
  void aTransientStateIsRecognizedInTheScriptErrorOfAnOldServer(String inner) {
    Throwable fault =
        error(
            "ERR Error running script (call to f_b6f5a2): @user_script:39: @user_script: 39: -"
                + inner);
    assertThat(RedisFaults.mayPass(fault)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "NOPERM this user has no permissions to run the 'evalsha' command",
        "NOAUTH Authentication required.",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "NOPERM ACL failure in script: User app has no permissions to access the 'LOADING-BUSY' key",
        "ERR unknown command 'EVALSHA'",
        "ERR user_script:40: attempt to perform arithmetic on a nil value"
      })
  void aRefusalIsPermanent(String message) {
    assertThat(RedisFaults.mayPass(error(message))).isFalse();
    assertThat(RedisFaults.mayPass(new CompletionException(error(message)))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "NOPERM this user has no permissions to run the 'evalsha' command | +evalsha",
        "NOPERM this user has no permissions to access one of the keys used as arguments | holdfast:*",
        "NOPERM this user has no permissions to access one of the channels | lock:release:*",
        "ERR The user executing the script can't run this command or subcommand script: "
            + "e729e2, on @user_script:42. | +evalsha",
        "ERR The user executing the script can't access at least one of the keys mentioned "
            + "in the command arguments | holdfast:*",
        "ERR The user executing the script can't publish to the channel mentioned in the command | lock:release:*",
        "NOPERM ACL failure in script: User app has no permissions to run the 'hset' command | +evalsha",
        "WRONGTYPE Operation against a key holding the wrong kind of value | my:key",
        "NOAUTH Authentication required. | redis://user:password@host:port",
        "WRONGPASS invalid username-password pair or user is disabled. | redis://user:password@host:port",
        "OOM command not allowed when used memory > 'maxmemory'. | maxmemory",
        "ERR something new | refused"
      })
  void anExplanationAdvisesAndQuotesTheServer(String message, String advice) {
    Throwable cause = error(message);
    BackendException explained = RedisFaults.explain(new CompletionException(cause), "my:key");
    assertThat(explained)
        .hasMessageContaining(advice)
        .hasMessageContaining(message)
        .hasCause(cause);
  }

  @Test
  void aKeyWithFormatCharactersIsQuotedUnchanged() {
    assertThat(RedisFaults.explain(error("WRONGTYPE x"), "100%s %n")).hasMessageContaining("100%s");
    assertThat(RedisFaults.explain(error("NOPERM x"), "100%s %n")).hasMessageContaining("100%s");
  }

  @Test
  void aFaultWithoutAMessageIsExplainedToo() {
    assertThat(RedisFaults.explain(new RedisException((String) null), "k"))
        .hasMessageContaining("refused");
  }

  @Test
  void aMissingScriptIsRecognizedInsideOtherFaults() {
    Throwable fault = new RedisNoScriptException("NOSCRIPT No matching script. Please use EVAL.");
    assertThat(RedisFaults.isMissingScript(fault)).isTrue();
    assertThat(RedisFaults.isMissingScript(new CompletionException(fault))).isTrue();
    assertThat(RedisFaults.isMissingScript(error("ERR other"))).isFalse();
  }

  @Test
  void unwrappingStopsAtTheFirstRealCause() {
    Throwable cause = new RedisException("outer", new IOException("inner"));
    assertThat(RedisFaults.unwrap(new CompletionException(new CompletionException(cause))))
        .isSameAs(cause);
    CompletionException empty = new CompletionException("empty", null);
    assertThat(RedisFaults.unwrap(empty)).isSameAs(empty);
  }

  private static RedisCommandExecutionException error(String message) {
    return new RedisCommandExecutionException(message);
  }
}
