package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendException;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Tells faults that pass from faults that stay, and says of the latter what to do. */
final class ZooKeeperFaults {
  /** Everything else may be different the next time. */
  private static final Set<Code> STAYING =
      Set.of(
          Code.NOAUTH,
          Code.AUTHFAILED,
          Code.INVALIDACL,
          Code.SESSIONCLOSEDREQUIRESASLAUTH,
          Code.QUOTAEXCEEDED,
          Code.UNIMPLEMENTED,
          Code.BADARGUMENTS);

  private ZooKeeperFaults() {}

  static Throwable unwrap(Throwable fault) {
    Throwable cause = fault;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private static @Nullable Code code(Throwable fault) {
    return unwrap(fault) instanceof KeeperException known ? known.code() : null;
  }

  /** The node is not there. */
  static boolean isMissing(@Nullable Throwable fault) {
    return fault != null && code(fault) == Code.NONODE;
  }

  /** The node is there already. */
  static boolean isThere(@Nullable Throwable fault) {
    return fault != null && code(fault) == Code.NODEEXISTS;
  }

  /** Somebody else has changed it meanwhile. */
  static boolean isChanged(@Nullable Throwable fault) {
    return fault != null && code(fault) == Code.BADVERSION;
  }

  static boolean isRefused(Throwable fault) {
    Code code = code(fault);
    return code == Code.NOAUTH || code == Code.AUTHFAILED;
  }

  /** True unless trying again is of no use. */
  static boolean mayPass(Throwable fault) {
    Throwable cause = unwrap(fault);
    if (cause instanceof BackendException || cause instanceof IllegalArgumentException) {
      return false;
    }
    Code code = code(cause);
    return code == null || !STAYING.contains(code);
  }

  /** While connecting, when there is a session already. */
  static BackendException explainFirst(Throwable fault) {
    Throwable cause = unwrap(fault);
    return mayPass(cause)
        ? BackendException.unavailable(
            "ZooKeeper gave a session and then no answer; is it overloaded? (%s)"
                .formatted(cause.getMessage()),
            cause)
        : explain(cause);
  }

  /** For faults that stay. */
  static BackendException explain(Throwable fault) {
    Throwable cause = unwrap(fault);
    if (cause instanceof BackendException known) {
      return known;
    }
    Code code = code(cause);
    String advice =
        code == null
            ? "the request cannot be sent"
            : switch (code) {
              case NOAUTH ->
                  "this user has no right to the node; its locks belong to whoever created them: use the same user and password everywhere, zookeeper://user:password@host:port, or another chroot";
              case AUTHFAILED ->
                  "the servers do not accept this user; check the SASL section that the URL names and its password";
              case SESSIONCLOSEDREQUIRESASLAUTH ->
                  "the servers want SASL; name a section of the JAAS configuration in the URL, ?sasl=Client";
              case INVALIDACL ->
                  "the servers do not know this kind of user; check their auth providers";
              case QUOTAEXCEEDED ->
                  "the quota of the node is used up; raise it or use another chroot";
              case UNIMPLEMENTED -> "the servers are too old; ZooKeeper 3.5.3 or newer is needed";
              default -> "the servers refused the request";
            };
    return new BackendException(advice + " (" + cause.getMessage() + ")", cause);
  }
}
