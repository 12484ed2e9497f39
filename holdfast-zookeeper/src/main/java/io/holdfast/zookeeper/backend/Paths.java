package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;

/**
 * The layout of the nodes, and the creation of those that do not belong to an owner.
 *
 * <pre>
 *   /chroot/holdfast                        permanent; tokens count from its creation
 *   /chroot/holdfast/&lt;key&gt;                  a container: the server deletes it when it is empty
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

  /** Creates the container of a key, and the nodes above it if they are missing. */
  CompletableFuture<Boolean> make(Session session, Resource resource) {
    return create(session, of(resource), CreateMode.CONTAINER)
        .exceptionallyCompose(
            ZooKeeperFaults.ifMissingThen(
                () ->
                    makeRoot(session)
                        .thenCompose(made -> create(session, of(resource), CreateMode.CONTAINER))));
  }

  /** Creates the root and the nodes above it. Only the creation of the root must succeed. */
  CompletableFuture<Boolean> makeRoot(Session session) {
    CompletableFuture<Boolean> above = CompletableFuture.completedFuture(true);
    for (int end = root.indexOf('/', 1); end > 0; end = root.indexOf('/', end + 1)) {
      // requests are answered in order, so none waits for another; the first fault is the cause
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
        .thenApply(created -> true)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isThere(fault)
                    ? CompletableFuture.completedFuture(true)
                    : CompletableFuture.failedFuture(fault));
  }
}
