package io.holdfast.bench.lock;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockConfig;
import io.holdfast.LockConfigBuilder;
import io.holdfast.LockManager;
import java.time.Duration;

/** Ours, on whichever engine the URL names. */
final class HoldfastClient implements LockClient {
  private static final Duration LINGER = Duration.ofSeconds(1);

  private final LockManager manager;
  private final LockKind kind;

  HoldfastClient(ClientSettings settings) {
    LockConfigBuilder defaults = LockConfig.builder();
    if (settings.lease() != null) {
      defaults.leaseTime(settings.lease());
    }
    if (settings.kind() == LockKind.PIPELINED) {
      defaults.pipelinedRelease(true);
    }
    if (settings.kind() == LockKind.LINGER) {
      defaults.linger(LINGER);
    }
    this.manager =
        LockManager.builder(withTables(settings.url())).defaults(defaults.build()).build();
    this.kind = settings.kind();
  }

  @Override
  public BenchLock lock(String key) {
    return switch (kind) {
      case PLAIN, PIPELINED, LINGER -> new JavaLock(manager.getLock(key));
      case FAIR -> new JavaLock(manager.getFairLock(key));
      case READ -> new JavaLock(manager.getReadWriteLock(key).readLock());
      case WRITE -> new JavaLock(manager.getReadWriteLock(key).writeLock());
      case READ_WRITE -> readWrite(manager.getReadWriteLock(key));
      case SEMAPHORE -> new Permits(manager.getSemaphore(key, LockKind.PERMITS));
      case SPIN, PUBSUB, FENCED, LEASED_SEMAPHORE -> throw Clients.noSuchKind(kind);
    };
  }

  private static BenchLock readWrite(DistributedReadWriteLock lock) {
    DistributedLock read = lock.readLock();
    DistributedLock write = lock.writeLock();
    return new MixedLock(new JavaLock(read), new JavaLock(write));
  }

  @Override
  public void close() {
    manager.close();
  }

  private record Permits(DistributedSemaphore semaphore) implements BenchLock {
    @Override
    public Object acquire() {
      return semaphore.acquire();
    }

    @Override
    public void release(Object held) {
      ((Lease) held).close();
    }
  }

  /** The databases of a benchmark are new and have no tables yet. */
  private static String withTables(String url) {
    if (!url.startsWith("jdbc:")) {
      return url;
    }
    char first = url.startsWith("jdbc:h2:") ? ';' : url.contains("?") ? '&' : '?';
    return url + first + "holdfast.schema=create";
  }
}
