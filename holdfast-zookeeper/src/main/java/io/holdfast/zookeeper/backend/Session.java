package io.holdfast.zookeeper.backend;

import static io.holdfast.zookeeper.backend.ZooKeeperFaults.ifMissing;

import io.holdfast.spi.TimeSource;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.zookeeper.AsyncCallback.Children2Callback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.DataCallback;
import org.apache.zookeeper.AsyncCallback.MultiCallback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
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
 * One session with ZooKeeper, which may outlive several connections. This is the only class that
 * sends requests. Requests are asynchronous, are answered in the order in which they were sent, and
 * fail at once while there is no connection. An ephemeral node ends with its session.
 */
final class Session {
  /** Listens for the one event of a watch. */
  interface Watch {
    /**
     * The node has changed.
     *
     * @param deleted true if the node was deleted
     */
    void fired(boolean deleted);
  }

  /**
   * A node that was created.
   *
   * @param path its path, with its sequence number if it has one
   * @param stat the metadata of the node
   */
  record Created(String path, NodeStat stat) {
    String name() {
      return path.substring(path.lastIndexOf('/') + 1);
    }
  }

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

  /**
   * Sets the client of this session. Connection events may arrive earlier; they wait on the monitor
   * that the caller holds.
   */
  synchronized void attach(ZooKeeper zooKeeper) {
    handle = zooKeeper;
  }

  private synchronized ZooKeeper handle() {
    if (handle == null) {
      throw new IllegalStateException("the session has no connection yet");
    }
    return handle;
  }

  // ---- life cycle

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

  /** Sends a sign of life if the last one is too old. */
  void heartbeat(String path) {
    long now = time.nanoTime();
    if (!connected) {
      contact.disconnectedAt(now);
      return;
    }
    if (contact.isSignDue(now)) {
      sync(path);
    }
  }

  /** The servers have ended the session and deleted all its nodes. */
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

  /** How long the servers keep the session without a sign of life from this client. */
  long timeoutMillis() {
    return timeoutMillis;
  }

  /**
   * How long a holder may rely on the session without an answer from the servers. The leader ends a
   * session after the time-out without a sign of life. It learns of signs of life from the server
   * that the client is connected to, once every half tick; a request tells the leader nothing, even
   * if the leader takes part in answering it. An idle client sends a sign of life every third of
   * the time-out. So a server that answers and then fails may take that sign with it, if half a
   * tick has not passed since, and all signs after the one before. With pings on a grid of half
   * ticks, and ticks of at most half a time-out, as servers require, one half of the time-out is
   * left.
   */
  long leaseMillis() {
    return timeoutMillis / 2;
  }

  /**
   * The part of {@link #leaseMillis()} that a lease may last if it rests on a request that was sent
   * at this time and that the leader took part in answering. It is shorter after a silence and may
   * be negative. A server passes a sign of life on within half a tick, and a tick is at most half a
   * time-out.
   */
  long leaseMillis(long restsOn) {
    long silent = restsOn - contact.passedOn(restsOn, timeoutNanos() / 4);
    long left = timeoutNanos() - silent - silent / 10; // clocks may drift by a tenth
    return Math.min(leaseMillis(), TimeUnit.NANOSECONDS.toMillis(left));
  }

  /**
   * True if no lease should begin that rests on a request sent at this time: the lease would end
   * before a sign of life that is sent now has surely reached the leader, so it could not be
   * renewed.
   */
  boolean isTooSilent(long restsOn) {
    return leaseMillis(restsOn) < timeoutMillis / 3;
  }

  /** When the leader was last known to know that the session is alive. */
  Contact contact() {
    return contact;
  }

  // ---- requests

  CompletableFuture<Created> create(String path, byte[] data, CreateMode mode) {
    Answer<Created> answer = leaderAnswer();
    Create2Callback callback =
        (code, asked, context, created, stat) ->
            answer.accept(code, asked, () -> new Created(created, NodeStat.of(stat)));
    return send(answer, zooKeeper -> zooKeeper.create(path, data, acl, mode, callback, null));
  }

  CompletableFuture<Children> children(String path, @Nullable Watch watch) {
    Answer<Children> answer = serverAnswer();
    Children2Callback callback =
        (code, asked, context, names, stat) ->
            answer.accept(
                code, asked, () -> new Children(names, stat.getPzxid(), stat.getVersion()));
    return send(answer, zooKeeper -> zooKeeper.getChildren(path, watcher(watch), callback, null));
  }

  CompletableFuture<Content> read(String path, @Nullable Watch watch) {
    Answer<Content> answer = serverAnswer();
    DataCallback callback =
        (code, asked, context, data, stat) ->
            answer.accept(code, asked, () -> new Content(text(data), NodeStat.of(stat)));
    return send(answer, zooKeeper -> zooKeeper.getData(path, watcher(watch), callback, null));
  }

  /** Reads a node that may be missing. */
  CompletableFuture<Optional<Content>> find(String path, @Nullable Watch watch) {
    return read(path, watch)
        .thenApply(Optional::of)
        .exceptionallyCompose(ifMissing(Optional.empty()));
  }

  CompletableFuture<NodeStat> stat(String path, @Nullable Watch watch) {
    Answer<NodeStat> answer = serverAnswer();
    StatCallback callback =
        (code, asked, context, stat) -> answer.accept(code, asked, () -> NodeStat.of(stat));
    return send(answer, zooKeeper -> zooKeeper.exists(path, watcher(watch), callback, null));
  }

  CompletableFuture<Boolean> exists(String path) {
    return stat(path, null).thenApply(stat -> true).exceptionallyCompose(ifMissing(false));
  }

  CompletableFuture<NodeStat> write(String path, byte[] data, int version) {
    Answer<NodeStat> answer = leaderAnswer();
    StatCallback callback =
        (code, asked, context, stat) -> answer.accept(code, asked, () -> NodeStat.of(stat));
    return send(answer, zooKeeper -> zooKeeper.setData(path, data, version, callback, null));
  }

  CompletableFuture<Boolean> delete(String path, int version) {
    Answer<Boolean> answer = leaderAnswer();
    VoidCallback callback = (code, asked, context) -> answer.accept(code, asked, () -> true);
    return send(answer, zooKeeper -> zooKeeper.delete(path, version, callback, null));
  }

  /** Deletes a node whatever its version; false if it does not exist. */
  CompletableFuture<Boolean> deleteIfThere(String path) {
    return delete(path, -1).exceptionallyCompose(ifMissing(false));
  }

  /**
   * Makes the server catch up with the leader before it answers the next request. The answer to the
   * sync itself proves that the server is in touch with the leader.
   */
  CompletableFuture<Boolean> sync(String path) {
    Answer<Boolean> answer = leaderAnswer();
    VoidCallback callback = (code, asked, context) -> answer.accept(code, asked, () -> true);
    return send(answer, zooKeeper -> zooKeeper.sync(path, callback, null));
  }

  /**
   * The children of a node as the leader knows them, or nearly: a server that leads answers its own
   * clients before it has applied what it has just told the other servers to commit, so for about a
   * millisecond a client of another server may know more. None if there is no such node.
   */
  CompletableFuture<Children> syncedChildren(String path) {
    CompletableFuture<Boolean> sync = sync(path);
    return sync.thenCombine(childrenOrNone(path), (synced, list) -> list);
  }

  /**
   * Orders the next request after every transaction that any client of any server has been told to
   * be done. {@link #sync} does not promise that where this server leads. It costs a transaction
   * that changes nothing; what counts is its place in the order of all transactions.
   */
  CompletableFuture<Boolean> order(String path) {
    return all(List.of(Op.check(path, -1)))
        .thenApply(done -> true)
        .exceptionallyCompose(ifMissing(true));
  }

  /** The children of a node, read after {@link #order}. None if there is no such node. */
  CompletableFuture<Children> latestChildren(String path) {
    CompletableFuture<Boolean> ordered = order(path);
    return ordered.thenCombine(childrenOrNone(path), (done, list) -> list);
  }

  /** The children of a node as this server knows them. None if there is no such node. */
  CompletableFuture<Children> childrenOrNone(String path) {
    return children(path, null).exceptionallyCompose(ifMissing(Children.NONE));
  }

  /** Carries out all of these operations or none. */
  CompletableFuture<List<OpResult>> all(List<Op> operations) {
    Answer<List<OpResult>> answer = serverAnswer();
    MultiCallback callback =
        (code, asked, context, results) ->
            answer.accept(code, String.valueOf(asked), () -> results);
    return send(answer, zooKeeper -> zooKeeper.multi(operations, callback, null));
  }

  Op creating(String path, byte[] data, CreateMode mode) {
    return Op.create(path, data, acl, mode);
  }

  private <T> CompletableFuture<T> send(Answer<T> answer, Consumer<ZooKeeper> request) {
    if (!connected) {
      answer.future.completeExceptionally(
          KeeperException.create(over ? Code.SESSIONEXPIRED : Code.CONNECTIONLOSS));
      return answer.future;
    }
    try {
      request.accept(handle());
    } catch (RuntimeException e) {
      answer.future.completeExceptionally(e);
    }
    return answer.future;
  }

  /** For a request that the leader takes part in answering. */
  private <T> Answer<T> leaderAnswer() {
    long sentAt = time.nanoTime();
    return new Answer<>(() -> contact.confirmed(sentAt, time.nanoTime()));
  }

  /** For a request that the server answers on its own, or whose answer is not taken as proof. */
  private static <T> Answer<T> serverAnswer() {
    return new Answer<>(() -> {});
  }

  /**
   * The answer to one request.
   *
   * @param future completes with the answer
   * @param noteSuccess runs before the future completes, if the request succeeded
   */
  private record Answer<T>(CompletableFuture<T> future, Runnable noteSuccess) {
    Answer(Runnable noteSuccess) {
      this(new CompletableFuture<>(), noteSuccess);
    }

    void accept(int code, String path, Supplier<T> value) {
      if (code == Code.OK.intValue()) {
        noteSuccess.run();
        future.complete(value.get());
      } else {
        future.completeExceptionally(KeeperException.create(Code.get(code), path));
      }
    }
  }

  /**
   * Ignores connection events, which ZooKeeper sends to watchers as well: they concern the session,
   * not the node. Two of these are equal if their watch is the same, so that ZooKeeper's client
   * does not register the same watch twice.
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
