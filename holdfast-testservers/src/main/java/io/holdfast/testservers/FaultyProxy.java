package io.holdfast.testservers;

import io.holdfast.testkit.internal.Threads;
import io.holdfast.testkit.internal.Waiting;
import io.holdfast.testservers.ProxyConditions.Direction;
import io.holdfast.testservers.ProxyConditions.Mode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of network between a client and a server that fails on request. Clients connect to the
 * proxy, on 127.0.0.1, and are connected on to the server.
 *
 * <pre>{@code
 * try (FaultyProxy network = FaultyProxy.to(redis)) {
 *   LockManager manager = LockManager.create(network.url());
 *   network.blackHoleReplies(); // requests are executed, and nobody hears of it
 *   ...
 *   network.heal();
 * }
 * }</pre>
 *
 * <p>{@link #cut()} and {@link #reset()} strike once; the other faults last until {@link #heal()}
 * or until another takes their place, while {@link #delay} and {@link #holdReplies} are independent
 * of them. When a method returns, what it says is in force. Bytes that were swallowed are never
 * delivered later: a connection that lost some is closed as soon as it would carry traffic again.
 *
 * <p>Safe for use by several threads.
 */
public final class FaultyProxy implements AutoCloseable {
  private static final Duration REBIND = Duration.ofMinutes(1);

  private final InetSocketAddress target;
  private final ProxyConditions conditions = new ProxyConditions();
  private final Set<ProxyLink> links = ConcurrentHashMap.newKeySet();
  private final int port;
  private @Nullable ServerSocket listener;
  private @Nullable Thread acceptor;
  private boolean closed;

  private FaultyProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    ServerSocket socket = LoopbackPorts.listen();
    this.port = socket.getLocalPort();
    accept(socket);
  }

  /** A proxy to the port without TLS of a server. */
  public static FaultyProxy to(RedisServer server) {
    return to(server.host(), server.port());
  }

  /** A proxy to any server. */
  public static FaultyProxy to(String host, int port) {
    try {
      return new FaultyProxy(new InetSocketAddress(host, port));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot listen on the loopback interface", e);
    }
  }

  /** Where clients connect. It never changes. */
  public int port() {
    return port;
  }

  /** {@code redis://127.0.0.1:<port>}. */
  public String url() {
    return "redis://127.0.0.1:" + port;
  }

  /** Everything takes this much longer in each direction; throughput is not limited. */
  public void delay(Duration eachWay) {
    if (eachWay.isNegative()) {
      throw new IllegalArgumentException("a negative delay: " + eachWay);
    }
    conditions.delay(eachWay);
  }

  /**
   * What the server answers is kept here until {@link #deliverReplies()} or {@link #heal()}: what a
   * client sends meanwhile, it sends without an answer.
   */
  public void holdReplies() {
    conditions.holdReplies(true);
  }

  /** Delivers what was kept, and everything that follows. */
  public void deliverReplies() {
    conditions.holdReplies(false);
  }

  /** Closes all current connections on both sides. New ones are welcome. */
  public void cut() {
    strike(ProxyLink::close);
  }

  /** Like {@link #cut()}, but with a TCP reset (RST) where that closes in good order (FIN). */
  public void reset() {
    strike(ProxyLink::reset);
  }

  /** Closes all current connections, and new ones are refused. */
  public synchronized void refuse() {
    checkOpen();
    stopListening();
    cut();
    switchTo(Mode.FORWARD);
  }

  /**
   * Nothing is forwarded any more, in neither direction, and neither side is told: not of data, not
   * of a closed connection. New connections are accepted, and go nowhere.
   */
  public synchronized void blackHole() {
    checkOpen();
    switchTo(Mode.BLACK_HOLE);
    listen();
  }

  /** Requests reach the server and are executed; nothing comes back. */
  public synchronized void blackHoleReplies() {
    checkOpen();
    switchTo(Mode.BLACK_HOLE_REPLIES);
    listen();
  }

  /**
   * Of one connection the server's side is closed, and the client is told nothing: what it sends is
   * swallowed. New connections are as good as before.
   *
   * @param portAtServer the port from which the server sees that connection come, as in the {@code
   *     addr} of Redis' {@code CLIENT LIST}
   */
  public synchronized void dropServerSideOf(int portAtServer) {
    checkOpen();
    link(portAtServer).dropServer();
  }

  /**
   * On one connection requests reach the server, and nothing comes back. Others are as good as
   * before.
   *
   * @param portAtServer the port from which the server sees that connection come
   */
  public synchronized void swallowRepliesOf(int portAtServer) {
    checkOpen();
    link(portAtServer).mode(Mode.BLACK_HOLE_REPLIES);
  }

  /** The ports from which the server sees the present connections come. */
  public List<Integer> portsAtServer() {
    return links.stream().map(ProxyLink::portAtServer).filter(port -> port > 0).toList();
  }

  private ProxyLink link(int portAtServer) {
    return links.stream()
        .filter(link -> link.portAtServer() == portAtServer)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no connection from port " + portAtServer));
  }

  /** All is well again, without delay. Connections that lost bytes are closed. */
  public synchronized void heal() {
    checkOpen();
    conditions.delay(Duration.ZERO);
    conditions.holdReplies(false);
    links.forEach(link -> link.mode(Mode.FORWARD));
    switchTo(Mode.FORWARD);
    listen();
  }

  /** Bytes that reached the server. */
  public long bytesToServer() {
    return conditions.tally(Direction.REQUESTS).delivered().sum();
  }

  /** Bytes that reached clients. */
  public long bytesToClient() {
    return conditions.tally(Direction.REPLIES).delivered().sum();
  }

  /** Bytes from clients that were swallowed. */
  public long swallowedFromClient() {
    return conditions.tally(Direction.REQUESTS).swallowed().sum();
  }

  /** Bytes from the server that were swallowed: it has executed something nobody will hear of. */
  public long swallowedFromServer() {
    return conditions.tally(Direction.REPLIES).swallowed().sum();
  }

  /** Bytes that came from clients: delivered, swallowed, or under way because of a delay. */
  public long receivedFromClient() {
    return conditions.tally(Direction.REQUESTS).received().sum();
  }

  /** Bytes that came from the server: delivered, swallowed, or under way because of a delay. */
  public long receivedFromServer() {
    return conditions.tally(Direction.REPLIES).received().sum();
  }

  /** Connections accepted from clients, ever. */
  public long connectionsFromClients() {
    return conditions.accepted.sum();
  }

  /** Connections made to the server, ever. */
  public long connectionsToServer() {
    return conditions.connected.sum();
  }

  /** Connections open now, black-holed ones included. */
  public int openConnections() {
    return links.size();
  }

  /** Closes all connections and stops listening. */
  @Override
  public synchronized void close() {
    closed = true;
    stopListening();
    cut();
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the proxy is closed");
    }
  }

  private void switchTo(Mode mode) {
    conditions.mode(mode);
    strike(ProxyLink::conditionsChanged);
  }

  /** Returns when the sockets of those links that were closed are gone for the system too. */
  private void strike(Consumer<ProxyLink> fault) {
    List<ProxyLink> current = List.copyOf(links);
    current.forEach(fault);
    current.forEach(ProxyLink::awaitEndIfClosed);
  }

  private void listen() {
    if (listener == null && !Waiting.until(this::tryListen, REBIND)) {
      throw new IllegalStateException("port " + port + " was taken while the proxy was refusing");
    }
  }

  private boolean tryListen() {
    try {
      accept(LoopbackPorts.listen(port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void accept(ServerSocket socket) {
    listener = socket;
    acceptor = Threads.daemon("proxy-accept", () -> acceptAll(socket));
  }

  private void stopListening() {
    if (listener == null || acceptor == null) {
      return;
    }
    try {
      listener.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // As long as a thread is inside accept() the system goes on accepting, closed or not.
    Threads.join(acceptor);
    listener = null;
    acceptor = null;
  }

  private void acceptAll(ServerSocket socket) {
    try {
      while (true) {
        Socket client = socket.accept();
        conditions.accepted.increment();
        ProxyLink link = new ProxyLink(client, target, conditions, links::remove);
        links.add(link);
        link.start();
      }
    } catch (IOException e) {
      // the listener was closed
    }
  }
}
