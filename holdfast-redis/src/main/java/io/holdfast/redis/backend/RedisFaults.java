package io.holdfast.redis.backend;

import io.holdfast.spi.BackendException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Tells faults that pass from faults that stay, and says of the latter what to do. */
final class RedisFaults {
  /** Error replies of a server that will do the same later: starting, failing over, busy. */
  private static final List<String> PASSING =
      List.of(
          "LOADING",
          "BUSY",
          "MASTERDOWN",
          "READONLY",
          "CLUSTERDOWN",
          "TRYAGAIN",
          "UNBLOCKED",
          "NOREPLICAS",
          "MISCONF");

  private RedisFaults() {}

  static Throwable unwrap(Throwable fault) {
    Throwable cause = fault;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** The innermost cause, which says it in the words of the network or the server. */
  static Throwable root(Throwable fault) {
    Throwable cause = fault;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    return cause;
  }

  static boolean isMissingScript(Throwable fault) {
    return unwrap(fault) instanceof RedisNoScriptException;
  }

  /**
   * True for everything but an error reply: no connection, no answer in time, or a passing state.
   */
  static boolean mayPass(Throwable fault) {
    Throwable cause = unwrap(fault);
    if (!(cause instanceof RedisCommandExecutionException)) {
      return true;
    }
    String message = String.valueOf(cause.getMessage());
    return PASSING.stream().anyMatch(message::contains); // older servers wrap errors of scripts
  }

  static BackendException explain(Throwable fault, String key) {
    Throwable cause = unwrap(fault);
    String message = String.valueOf(cause.getMessage());
    String advice;
    if (message.startsWith("HOLDFAST ")) {
      return new BackendException(
          "'%s': %s".formatted(key, message.substring("HOLDFAST ".length())), cause);
    }
    if (message.contains("NOPERM")) {
      advice =
          "the Redis user may not do this; it needs +evalsha +eval +script|load +subscribe +publish and, inside scripts, hash, sorted-set and key commands on '%s' and 'holdfast:*', and channels 'lock:release:*' and 'holdfast:inbox:*'"
              .formatted(key);
    } else if (message.contains("WRONGTYPE")) {
      advice = "the key '%s' holds something that is not a lock; choose another key".formatted(key);
    } else if (message.contains("NOAUTH") || message.contains("WRONGPASS")) {
      advice = "put the user and password into the URL: redis://user:password@host:port";
    } else if (message.contains("OOM")) {
      advice = "the server is out of memory; raise maxmemory or free some";
    } else {
      advice = "the server refused the command";
    }
    return new BackendException(advice + " (" + message + ")", cause);
  }
}
