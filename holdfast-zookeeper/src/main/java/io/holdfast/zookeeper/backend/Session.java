package io.holdfast.zookeeper.backend;

import io.holdfast.spi.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.jspecify.annotations.Nullable;

/**
 * One session with ZooKeeper, which may outlive several connections. The only class that sends
 * requests; all are asynchronous, are answered in the order in which they were sent, and fail at
 * once while there is no connection. Ephemeral nodes belong to one session and go with it.
 */
final class Session {
  /** What a watch saw. */
  interface Watch {
    /**
     * Something happened to the node.
     *
     * @param deleted true if it is gone
     */
    void fired(boolean deleted);
  }

  /**
   * A node that was created.
   *
   * @param path its path, with the number if it has one
   * @param stat the rest
   */
  record Created(String path, NodeStat stat) {}

  private final List<ACL> acl;
  private final TimeSource time;
  private final Contact contact;

  /** Guarded by this until it is set. */
  private @Nullable ZooKeeper handle;

  private volatile boolean connected;
  private volatile boolean over;
  private volatile long id;
  private volatile long timeoutMillis;

  Session(List<ACL> acl, TimeSource time) {
    this.acl = acl;
    this.time = time;
    this.contact = new Contact(time.nanoTime());
  }

  /** Its connection events may come before this, and then wait for it. */
  synchronized void attach(ZooKeeper zooKeeper) {
    handle = zooKeeper;
  }

  private synchronized ZooKeeper handle() {
    if (handle == null) {
      throw new IllegalStateException("the session has no connection yet");
    }
    return handle;
  }

  // ---- its life

  synchronized void connected() {
    ZooKeeper zooKeeper = handle();
    id = zooKeeper.getSessionId();
    timeoutMillis = zooKeeper.getSessionTimeout();
    contact.connected(timeoutNanos());
    connected = true;
  }

  void disconnected() {
    connected = false;
    contact.disconnected();
  }

  private long timeoutNanos() {
    return TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
  }

  /** Gives a sign of life, if there was none for a while. */
  void beat(String path) {
    long now = time.nanoTime();
    if (!connected) {
      contact.apartAt(now);
      return;
    }
    if (contact.isSignDue(now)) {
      sync(path);
    }
  }

  /** The servers have ended it, and with it all its nodes. */
  void ended() {
    over = true;
    disconnected();
  }

  boolean isConnected() {
    return connected;
  }

  boolean isOver() {
    return over;
  }

  long id() {
    return id;
  }

  /** How long the servers keep it without hearing from us. */
  long timeoutMillis() {
    return timeoutMillis;
  }

  /**
   * How long a holder may rely on the session without hearing from the servers. The leader ends it
   * when it has not heard of it for the time-out. It hears from the server that the client is
   * connected to, every half tick, who has been there; no request tells it that, though it takes
   * part in the answer. A client that has nothing to send gives a sign of life every third of the
   * time-out. So a server that answers and then fails may take with it that sign, if half a tick
   * has not passed since, and all that came after the one before. With pings on a grid of half
   * ticks, and ticks of half a time-out at most, as servers want it, one half is left.
   */
  long leaseMillis() {
    return timeoutMillis / 2;
  }

  /**
   * What of that can be promised on the grounds of a request that was sent at this time and that
   * the leader has had a part in answering. Less after a silence; it may be negative. A sign of
   * life is passed on within half a tick, and a tick is half a time-out at most.
   */
  long leaseMillis(long restsOn) {
    long silent = restsOn - contact.passedOn(restsOn, timeoutNanos() / 4);
    long left = timeoutNanos() - silent - silent / 10; // by which clocks may drift
    return Math.min(leaseMillis(), TimeUnit.NANOSECONDS.toMillis(left));
  }

  /**
   * True if a lease should not begin on such grounds: it would be over before a sign of life that
   * is given now was surely passed on, so that it could not be renewed.
   */
  boolean isTooSilent(long restsOn) {
    return leaseMillis(restsOn) < timeoutMillis / 3;
  }

  /** When it was last known to be alive by its leader. */
  Contact contact() {
    return contact;
  }

  // ---- requests

  CompletableFuture<Created> create(String path, byte[] data, CreateMode mode) {
    long sentAt = time.nanoTime();
    return send(
        (zooKeeper, answer) ->
            zooKeeper.create(
                path,
                data,
                acl,
                mode,
                (code, asked, context, created, stat) ->
                    confirm(
                        sentAt, answer, code, asked, () -> new Created(created, NodeStat.of(stat))),
                null));
  }

  CompletableFuture<Children> children(String path, @Nullable Watch watch) {
    return send(
        (zooKeeper, answer) ->
            zooKeeper.getChildren(
                path,
                watcher(watch),
                (code, asked, context, names, stat) ->
                    answer(
                        answer,
                        code,
                        asked,
                        () -> new Children(names, stat.getPzxid(), stat.getVersion())),
                null));
  }

  CompletableFuture<Content> read(String path, @Nullable Watch watch) {
    return send(
        (zooKeeper, answer) ->
            zooKeeper.getData(
                path,
                watcher(watch),
                (code, asked, context, data, stat) ->
                    answer(answer, code, asked, () -> new Content(text(data), NodeStat.of(stat))),
                null));
  }

  CompletableFuture<NodeStat> stat(String path, @Nullable Watch watch) {
    return send(
        (zooKeeper, answer) ->
            zooKeeper.exists(
                path,
                watcher(watch),
                (code, asked, context, stat) ->
                    answer(answer, code, asked, () -> NodeStat.of(stat)),
                null));
  }

  CompletableFuture<NodeStat> write(String path, byte[] data, int version) {
    long sentAt = time.nanoTime();
    return send(
        (zooKeeper, answer) ->
            zooKeeper.setData(
                path,
                data,
                version,
                (code, asked, context, stat) ->
                    confirm(sentAt, answer, code, asked, () -> NodeStat.of(stat)),
                null));
  }

  CompletableFuture<Boolean> delete(String path, int version) {
    long sentAt = time.nanoTime();
    return send(
        (zooKeeper, answer) ->
            zooKeeper.delete(
                path,
                version,
                (code, asked, context) -> confirm(sentAt, answer, code, asked, () -> true),
                null));
  }

  /**
   * Makes the server catch up with the leader before it answers what is asked next. Its own answer
   * proves that the server is in touch with the leader.
   */
  CompletableFuture<Boolean> sync(String path) {
    long sentAt = time.nanoTime();
    return send(
        (zooKeeper, answer) ->
            zooKeeper.sync(
                path,
                (code, asked, context) -> confirm(sentAt, answer, code, asked, () -> true),
                null));
  }

  /**
   * The children of a node as the leader knows them, or nearly: a server that leads answers its own
   * clients without waiting for what it has just told others to carry out, so for about a
   * millisecond a client of another server may know more. None if there is no such node.
   */
  CompletableFuture<Children> syncedChildren(String path) {
    CompletableFuture<Boolean> sync = sync(path);
    return sync.thenCombine(childrenOrNone(path), (synced, list) -> list);
  }

  /**
   * What is asked next is answered after everything that anybody was told to be done, whichever
   * server it was: {@link #sync} does not promise that where this server leads. It costs a
   * transaction, which changes nothing: its place in the order of all of them is what counts.
   */
  CompletableFuture<Boolean> order(String path) {
    return all(List.of(Op.check(path, -1)))
        .handle((done, fault) -> fault == null || ZooKeeperFaults.isMissing(fault) ? null : fault)
        .thenCompose(
            fault ->
                fault == null
                    ? CompletableFuture.completedFuture(true)
                    : CompletableFuture.failedFuture(fault));
  }

  /** The children of a node after everything that anybody was told to be done: {@link #order}. */
  CompletableFuture<Children> latestChildren(String path) {
    CompletableFuture<Boolean> ordered = order(path);
    return ordered.thenCombine(childrenOrNone(path), (done, list) -> list);
  }

  /** The children of a node as this server knows them. None if there is no such node. */
  CompletableFuture<Children> childrenOrNone(String path) {
    return children(path, null)
        .exceptionallyCompose(
            fault ->
                ZooKeeperFaults.isMissing(fault)
                    ? CompletableFuture.completedFuture(Children.NONE)
                    : CompletableFuture.failedFuture(fault));
  }

  /** All of these or none. */
  CompletableFuture<List<OpResult>> all(List<Op> steps) {
    return send(
        (zooKeeper, answer) ->
            zooKeeper.multi(
                steps,
                (code, asked, context, results) ->
                    answer(answer, code, String.valueOf(asked), () -> results),
                null));
  }

  Op creating(String path, byte[] data, CreateMode mode) {
    return Op.create(path, data, acl, mode);
  }

  private <T> CompletableFuture<T> send(BiConsumer<ZooKeeper, CompletableFuture<T>> request) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (!connected) {
      answer.completeExceptionally(
          KeeperException.create(over ? Code.SESSIONEXPIRED : Code.CONNECTIONLOSS));
      return answer;
    }
    try {
      request.accept(handle(), answer);
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
    return answer;
  }

  /** The answer to a request that the leader has a part in. */
  private <T> void confirm(
      long sentAt, CompletableFuture<T> answer, int code, String path, Supplier<T> value) {
    if (code == Code.OK.intValue()) {
      contact.confirmed(sentAt, time.nanoTime()); // before those who wait for the answer go on
    }
    answer(answer, code, path, value);
  }

  private static <T> void answer(
      CompletableFuture<T> answer, int code, String path, Supplier<T> value) {
    if (code == Code.OK.intValue()) {
      answer.complete(value.get());
    } else {
      answer.completeExceptionally(KeeperException.create(Code.get(code), path));
    }
  }

  /**
   * Watches hear of connections too; those concern the session and not the node. Equal if the watch
   * is the same, so that watching again with it does not add another.
   */
  private record NodeWatcher(Watch watch) implements Watcher {
    @Override
    public void process(WatchedEvent event) {
      if (event.getType() != EventType.None) {
        watch.fired(event.getType() == EventType.NodeDeleted);
      }
    }
  }

  private static @Nullable Watcher watcher(@Nullable Watch watch) {
    return watch == null ? null : new NodeWatcher(watch);
  }

  private static String text(byte @Nullable [] data) {
    return data == null ? "" : new String(data, StandardCharsets.UTF_8);
  }
}
