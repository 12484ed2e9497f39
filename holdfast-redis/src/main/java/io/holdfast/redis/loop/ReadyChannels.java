package io.holdfast.redis.loop;

import io.netty.channel.IoHandle;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channels of a loop, and a selector that finds the ready ones. One thread at a time, the
 * watcher, may wait in it and handle ready channels. Meanwhile another thread, the owner of the
 * turn, may add and change channels. A change has an effect from the next wait on, so it wakes the
 * watcher.
 */
final class ReadyChannels implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ReadyChannels.class);

  private final Selector selector;

  ReadyChannels() {
    try {
      this.selector = Selector.open();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a selector for connections", e);
    }
  }

  /** Waits for a ready channel, a wake-up, an interrupt of the thread or the end of the time. */
  void await(long nanos) throws IOException {
    if (nanos <= 0) {
      selector.selectNow();
    } else {
      selector.select(Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)));
    }
  }

  /** Ends the present wait, or else the next one. */
  void wakeUp() {
    selector.wakeup();
  }

  /** Handles all ready channels. */
  void handle() {
    var ready = selector.selectedKeys();
    if (ready.isEmpty()) {
      return;
    }
    for (SelectionKey key : ready) {
      ((Registration) key.attachment()).handle();
    }
    ready.clear();
  }

  Registration add(IoHandle handle) throws ClosedChannelException {
    Registration added = new Registration((NioIoHandle) handle);
    wakeUp();
    return added;
  }

  /** Closes all channels. */
  void closeChannels() {
    List<Registration> all = new ArrayList<>();
    for (SelectionKey key : selector.keys()) {
      all.add((Registration) key.attachment());
    }
    all.forEach(Registration::close);
  }

  @Override
  public void close() {
    try {
      selector.close();
    } catch (IOException e) {
      log.debug("closing a selector failed", e);
    }
  }

  /** A channel of the loop. */
  final class Registration implements IoRegistration {
    private final NioIoHandle handle;
    private final SelectionKey key;
    private final AtomicBoolean cancelled = new AtomicBoolean();

    private Registration(NioIoHandle handle) throws ClosedChannelException {
      this.handle = handle;
      this.key = handle.selectableChannel().register(selector, 0, this);
    }

    @Override
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public <T> T attachment() {
      return (T) key; // what Netty's channels expect here
    }

    @Override
    public long submit(IoOps wanted) {
      if (!isValid()) {
        return -1;
      }
      int ops = ((NioIoOps) wanted).value();
      try {
        if (key.interestOps() != ops) {
          key.interestOps(ops);
          wakeUp();
        }
        return ops;
      } catch (CancelledKeyException e) {
        return -1; // the channel was closed meanwhile
      }
    }

    @Override
    public boolean isValid() {
      return !cancelled.get() && key.isValid();
    }

    @Override
    public boolean cancel() {
      if (!cancelled.compareAndSet(false, true)) {
        return false;
      }
      key.cancel();
      wakeUp(); // its socket is closed only when a wait begins
      handle.unregistered();
      return true;
    }

    private void handle() {
      try {
        if (isValid()) {
          NioIoOps ops = NioIoOps.valueOf(key.readyOps());
          handle.handle(this, new Ready(ops));
        }
      } catch (CancelledKeyException e) {
        log.trace("closed meanwhile", e);
      } catch (RuntimeException | Error e) {
        log.warn("a connection is closed because handling it has failed", e);
        close();
      }
    }

    private void close() {
      cancel();
      try {
        handle.close();
      } catch (Exception e) {
        log.debug("closing a channel failed", e);
      }
    }
  }

  private record Ready(NioIoOps ops) implements NioIoEvent {}
}
