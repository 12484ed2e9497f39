package io.holdfast.bench.lock;

import java.net.URI;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;

/** Curator's recipes. */
final class CuratorLockClient implements LockClient {
  private final CuratorFramework curator;
  private final LockKind kind;

  CuratorLockClient(ClientSettings settings) {
    URI url = URI.create(settings.url());
    this.curator =
        CuratorFrameworkFactory.newClient(
            url.getHost() + ":" + url.getPort(), new ExponentialBackoffRetry(1000, 3));
    curator.start();
    this.kind = settings.kind();
  }

  @Override
  public BenchLock lock(String key) {
    String path = "/" + key.replace(':', '/');
    return switch (kind) {
      case PLAIN, FAIR -> new Mutex(new InterProcessMutex(curator, path));
      case READ -> new Mutex(new InterProcessReadWriteLock(curator, path).readLock());
      case WRITE -> new Mutex(new InterProcessReadWriteLock(curator, path).writeLock());
      case READ_WRITE -> readWrite(new InterProcessReadWriteLock(curator, path));
      case SEMAPHORE -> new Permits(new InterProcessSemaphoreV2(curator, path, LockKind.PERMITS));
      case SPIN, PUBSUB, FENCED, PIPELINED, LINGER, LEASED_SEMAPHORE ->
          throw Clients.noSuchKind(kind);
    };
  }

  private static BenchLock readWrite(InterProcessReadWriteLock lock) {
    return new MixedLock(new Mutex(lock.readLock()), new Mutex(lock.writeLock()));
  }

  @Override
  public void close() {
    curator.close();
  }

  private record Mutex(InterProcessMutex mutex) implements BenchLock {
    @Override
    public Object acquire() throws InterruptedException {
      try {
        mutex.acquire();
        return this;
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void release(Object held) {
      try {
        mutex.release();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private record Permits(InterProcessSemaphoreV2 semaphore) implements BenchLock {
    @Override
    public Object acquire() throws InterruptedException {
      try {
        return semaphore.acquire();
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void release(Object held) {
      semaphore.returnLease((Lease) held);
    }
  }
}
