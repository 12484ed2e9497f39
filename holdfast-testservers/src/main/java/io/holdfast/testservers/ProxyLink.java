package io.holdfast.testservers;

import io.holdfast.testkit.internal.Threads;
import io.holdfast.testservers.ProxyConditions.Direction;
import io.holdfast.testservers.ProxyConditions.Mode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One connection through a {@link FaultyProxy}: the client's socket, the server's, and a {@link
 * ProxyPump} for each direction. It is over when both directions have ended, when either breaks, or
 * when the proxy says so. In a black hole the server is not even called; such a link has no second
 * pump, and swallows until it is closed.
 */
final class ProxyLink {
  private static final int CONNECT_MILLIS = 10_000;

  private final Socket client;
  private final Socket server = new Socket();
  private final InetSocketAddress target;
  private final ProxyConditions conditions;
  private final Consumer<ProxyLink> onClosed;
  private final ProxyPump requests;
  private final ProxyPump replies;
  private final AtomicInteger openDirections = new AtomicInteger(2);
  private volatile Mode mode = Mode.FORWARD;
  private boolean closed;

  ProxyLink(
      Socket client,
      InetSocketAddress target,
      ProxyConditions conditions,
      Consumer<ProxyLink> onClosed) {
    this.client = client;
    this.target = target;
    this.conditions = conditions;
    this.onClosed = onClosed;
    this.requests = new ProxyPump(Direction.REQUESTS, client, server, conditions, this);
    this.replies = new ProxyPump(Direction.REPLIES, server, client, conditions, this);
  }

  void start() {
    Threads.daemon("proxy-connect", this::connect);
  }

  /** The port from which the server sees this link come; -1 if it was never called. */
  int portAtServer() {
    return server.getLocalPort();
  }

  /** Swallows in this way from now on, whatever the proxy does with other links. */
  void mode(Mode own) {
    mode = own;
    conditionsChanged();
  }

  /** The server is gone, and the client is told nothing. */
  void dropServer() {
    mode(Mode.BLACK_HOLE);
    close(server);
  }

  boolean swallows(Direction direction) {
    return mode.swallows(direction) || conditions.swallows(direction);
  }

  /** Closes the link if it lost bytes in a direction that is open again. */
  void conditionsChanged() {
    for (ProxyPump pump : List.of(requests, replies)) {
      pump.conditionsChanged();
    }
  }

  /** One direction has come to its end in good order. */
  void directionEnded() {
    if (openDirections.decrementAndGet() == 0) {
      close();
    }
  }

  void reset() {
    try {
      client.setSoLinger(true, 0);
      server.setSoLinger(true, 0);
    } catch (IOException e) {
      // closed already
    }
    close();
  }

  void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    close(client);
    close(server);
    requests.interrupt();
    replies.interrupt();
    onClosed.accept(this);
  }

  /** A closed socket is really closed when no thread is inside a call on it. */
  void awaitEndIfClosed() {
    synchronized (this) {
      if (!closed) {
        return;
      }
    }
    requests.awaitEnd();
    replies.awaitEnd();
  }

  private void connect() {
    try {
      client.setTcpNoDelay(true);
      if (swallows(Direction.REQUESTS)) {
        requests.lose(0);
      } else {
        server.connect(target, CONNECT_MILLIS);
        server.setTcpNoDelay(true);
        conditions.connected.increment();
      }
      startPumps();
    } catch (IOException e) {
      reset();
    }
  }

  private synchronized void startPumps() {
    if (!closed) {
      requests.start();
      if (server.isConnected()) {
        replies.start();
      }
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // as good as closed
    }
  }
}
