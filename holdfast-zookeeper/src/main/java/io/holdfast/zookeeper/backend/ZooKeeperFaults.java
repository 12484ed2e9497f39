package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** Tells transient faults from lasting ones, and gives advice for the latter. */
final class ZooKeeperFaults {
  /** Any other fault may be gone at the next try. */
  private static final Set<Code> LASTING =
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

  /** The node does not exist. */
  static boolean isMissing(@Nullable Throwable fault) {
    return fault != null && code(fault) == Code.NONODE;
  }

  /** Replaces the fault "the node does not exist" by a value; passes other faults on. */
  static <T> Function<Throwable, CompletableFuture<T>> ifMissing(T value) {
    return ifMissingThen(() -> CompletableFuture.completedFuture(value));
  }

  /** Goes on in another way if the node does not exist; passes other faults on. */
  static <T> Function<Throwable, CompletableFuture<T>> ifMissingThen(
      Supplier<CompletableFuture<T>> otherwise) {
    return fault -> isMissing(fault) ? otherwise.get() : CompletableFuture.failedFuture(fault);
  }

  /** The node exists already. */
  static boolean isThere(@Nullable Throwable fault) {
    return fault != null && code(fault) == Code.NODEEXISTS;
  }

  /** The node was changed since it was read. */
  static boolean isChanged(@Nullable Throwable fault) {
    return fault != null && code(fault) == Code.BADVERSION;
  }

  static boolean isRefused(Throwable fault) {
    Code code = code(fault);
    return code == Code.NOAUTH || code == Code.AUTHFAILED;
  }

  /** True if another try may succeed. */
  static boolean mayPass(Throwable fault) {
    Throwable cause = unwrap(fault);
    if (cause instanceof BackendException || cause instanceof IllegalArgumentException) {
      return false;
    }
    Code code = code(cause);
    return code == null || !LASTING.contains(code);
  }

  /** Explains a fault of the first request of a new session. */
  static BackendException explainFirst(Throwable fault) {
    Throwable cause = unwrap(fault);
    return mayPass(cause)
        ? BackendException.unavailable(
            "ZooKeeper granted a session and then gave no answer; is it overloaded? (%s)"
                .formatted(cause.getMessage()),
            cause)
        : explain(cause);
  }

  /** Explains a lasting fault. */
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
                  "this user has no right to the node, which belongs to the user who created it: use the"
                      + " same user and password everywhere, zookeeper://user:password@host:port, or another chroot";
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
