package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;

/**
 * Where things stand, and making them stand there.
 *
 * <pre>
 *   /chroot/holdfast                        stays for ever; its creation is what tokens count from
 *   /chroot/holdfast/&lt;key&gt;                  a container: the server removes it when it is empty
 *   /chroot/holdfast/&lt;key&gt;/lock~...         see {@link Ticket}
 * </pre>
 */
final class Paths {
  private static final byte[] NOTHING = {};
  private static final String NAME = "/holdfast";

  private final String root;

  Paths(String chroot) {
    this.root = chroot + NAME;
  }

  String root() {
    return root;
  }

  String of(Resource resource) {
    return root + "/" + Escape.encode(resource.key());
  }

  String child(Resource resource, String name) {
    return of(resource) + "/" + name;
  }

  /** Makes the container of a key, and what is above it if that is missing. */
  CompletableFuture<Boolean> make(Session session, Resource resource) {
    return create(session, of(resource), CreateMode.CONTAINER)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? makeRoot(session)
                        .thenCompose(done -> create(session, of(resource), CreateMode.CONTAINER))
                    : CompletableFuture.failedFuture(fault));
  }

  /** Makes the root, and what is above it. Only the last step must succeed. */
  CompletableFuture<Boolean> makeRoot(Session session) {
    CompletableFuture<Boolean> above = CompletableFuture.completedFuture(true);
    for (int end = root.indexOf('/', 1); end > 0; end = root.indexOf('/', end + 1)) {
      // answered in this order, so there is no need to wait for each; the first fault is the cause
      CompletableFuture<Boolean> level =
          create(session, root.substring(0, end), CreateMode.PERSISTENT);
      above = above.thenCombine(level, (higher, here) -> here);
    }
    CompletableFuture<Boolean> made = create(session, root, CreateMode.PERSISTENT);
    CompletableFuture<Boolean> allAbove = above;
    return made.exceptionallyCompose(
        fault -> allAbove.thenCompose(present -> CompletableFuture.failedFuture(fault)));
  }

  private static CompletableFuture<Boolean> create(Session session, String path, CreateMode mode) {
    return session
        .create(path, NOTHING, mode)
        .handle(
            (created, fault) -> {
              if (fault == null || ZooKeeperFaults.isThere(fault)) {
                return CompletableFuture.completedFuture(true);
              }
              return CompletableFuture.<Boolean>failedFuture(fault);
            })
        .thenCompose(result -> result);
  }
}
