package io.holdfast.bench.lock;

import org.redisson.Redisson;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Redisson, configured with nothing but the address. */
final class RedissonLockClient implements LockClient {
  private final RedissonClient redisson;
  private final LockKind kind;

  RedissonLockClient(ClientSettings settings) {
    Config config = new Config();
    config.useSingleServer().setAddress(settings.url());
    if (settings.lease() != null) {
      config.setLockWatchdogTimeout(settings.lease().toMillis());
    }
    this.redisson = Redisson.create(config);
    this.kind = settings.kind();
  }

  @Override
  public BenchLock lock(String key) {
    return switch (kind) {
      case PLAIN -> new JavaLock(redisson.getLock(key));
      case SPIN -> new JavaLock(redisson.getSpinLock(key));
      case FAIR -> new JavaLock(redisson.getFairLock(key));
      case FENCED -> new JavaLock(redisson.getFencedLock(key));
      case READ -> new JavaLock(redisson.getReadWriteLock(key).readLock());
      case WRITE -> new JavaLock(redisson.getReadWriteLock(key).writeLock());
      case READ_WRITE -> readWrite(redisson.getReadWriteLock(key));
      case SEMAPHORE -> semaphore(redisson.getSemaphore(key));
      case LEASED_SEMAPHORE -> leasedSemaphore(redisson.getPermitExpirableSemaphore(key));
      case PUBSUB, PIPELINED, LINGER -> throw Clients.noSuchKind(kind);
    };
  }

  private static BenchLock readWrite(RReadWriteLock lock) {
    return new MixedLock(new JavaLock(lock.readLock()), new JavaLock(lock.writeLock()));
  }

  private static BenchLock semaphore(RSemaphore semaphore) {
    semaphore.trySetPermits(LockKind.PERMITS);
    return new Permits(semaphore);
  }

  private static BenchLock leasedSemaphore(RPermitExpirableSemaphore semaphore) {
    semaphore.trySetPermits(LockKind.PERMITS);
    return new LeasedPermits(semaphore);
  }

  @Override
  public void close() {
    redisson.shutdown();
  }

  private record Permits(RSemaphore semaphore) implements BenchLock {
    @Override
    public Object acquire() throws InterruptedException {
      semaphore.acquire();
      return this;
    }

    @Override
    public void release(Object held) {
      semaphore.release();
    }
  }

  private record LeasedPermits(RPermitExpirableSemaphore semaphore) implements BenchLock {
    @Override
    public Object acquire() throws InterruptedException {
      return semaphore.acquire();
    }

    @Override
    public void release(Object held) {
      semaphore.release((String) held);
    }
  }
}
