package io.holdfast.torture.client;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;

/** What was obtained, whether it belongs to a thread or to a handle. */
interface Hold {
  /** Whether it says of itself that it is valid now. */
  boolean valid();

  /** Its token. */
  long token();

  /** Gives it back. */
  void release();

  /** A hold of a handle. */
  record OfHandle(Lease lease) implements Hold {
    @Override
    public boolean valid() {
      return lease.isValid();
    }

    @Override
    public long token() {
      return lease.token();
    }

    @Override
    public void release() {
      lease.close();
    }
  }

  /** A hold of the calling thread. */
  record OfThread(DistributedLock lock) implements Hold {
    @Override
    public boolean valid() {
      return lock.isHeldByCurrentThread();
    }

    @Override
    public long token() {
      return lock.fencingToken();
    }

    @Override
    public void release() {
      lock.unlock();
    }
  }
}
