package io.holdfast.zookeeper.backend;

import io.holdfast.spi.Resource;
import java.util.ArrayList;
import java.util.List;
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
    List<String> levels = new ArrayList<>();
    for (int end = root.indexOf('/', 1); end > 0; end = root.indexOf('/', end + 1)) {
      levels.add(root.substring(0, end));
    }
    for (String level : levels) { // answered in this order, so no need to wait for each
      create(session, level, CreateMode.PERSISTENT);
    }
    return create(session, root, CreateMode.PERSISTENT);
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
