package io.holdfast.redis.backend;

import io.holdfast.spi.BackendException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisNoScriptException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Tells transient faults from permanent ones, and gives advice for the latter. */
final class RedisFaults {
  /** Error replies of a server that is starting, failing over or busy. */
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
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** The innermost cause, which has the words of the network or the server. */
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

  /** True if there was no answer in time. */
  static boolean isTimeout(Throwable fault) {
    return unwrap(fault) instanceof RedisCommandTimeoutException;
  }

  /**
   * True for transient faults: no connection, no answer in time, or a transient state of the
   * server.
   */
  static boolean mayPass(Throwable fault) {
    Throwable cause = unwrap(fault);
    if (!(cause instanceof RedisCommandExecutionException)) {
      return true;
    }
    String message = String.valueOf(cause.getMessage());
    return PASSING.stream()
        .anyMatch(
            code ->
                message.startsWith(code)
                    || message.contains(": -" + code + " ")); // older servers wrap script errors
  }

  static BackendException explain(Throwable fault, String key) {
    Throwable cause = unwrap(fault);
    String message = String.valueOf(cause.getMessage());
    String advice;
    if (isRefusedRight(message)) {
      advice = rights(key);
    } else if (message.contains("WRONGTYPE")) {
      advice =
          "the key '"
              + key
              + "', or Holdfast's own holdfast:fence, holds something that is not a lock; choose"
              + " another key (a holdfast:fence that is not a hash may be deleted)";
    } else if (message.contains("NOAUTH") || message.contains("WRONGPASS")) {
      advice = "put the user and password into the URL: redis://user:password@host:port";
    } else if (message.contains("OOM")) {
      advice = "the server is out of memory; raise maxmemory or free some";
    } else {
      advice = "the server refused the command";
    }
    return new BackendException(advice + " (" + message + ")", cause);
  }

  static boolean isRefusedRight(String message) {
    return message.contains("NOPERM") || message.contains("The user executing the script can't");
  }

  static String rights(String key) {
    return "the Redis user lacks a right; it needs +evalsha +eval +script|load +subscribe +publish"
        + " +time +@connection +@hash +@sortedset +@keyspace, the keys '"
        + key
        + "' and 'holdfast:*', and the channels 'lock:release:*' and 'holdfast:inbox:*'";
  }

  /** True if a new connection was closed, and the server gave no reason. */
  static boolean isEndWithoutReason(Throwable fault) {
    return root(fault) instanceof RedisConnectionException;
  }
}
