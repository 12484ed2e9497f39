package io.holdfast.testservers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds free ports on 127.0.0.1 for servers that must come back on the port they had. The system's
 * own choice ("port 0") is unfit for that: it comes from the range of outgoing connections, so that
 * while the server is down any connection may take its port, and a client that keeps trying to
 * reconnect may even be connected to itself. So a port below that range is drawn and tried. Staying
 * below 32768 also leaves room for the bus of a Redis Cluster, 10000 ports above. What was drawn in
 * this JVM is not drawn again for a thousand times, nor by another JVM meanwhile: a server that is
 * still starting does not listen yet, and one that is down will want its port back.
 */
final class LoopbackPorts {
  private static final int LOWEST = 10_000;
  private static final int LIMIT = 32_768;
  private static final int ATTEMPTS = 100;
  private static final int REMEMBERED = 1000;
  private static final Set<Integer> DRAWN = new LinkedHashSet<>();

  private LoopbackPorts() {}

  static InetAddress loopback() {
    try {
      return InetAddress.getByAddress("127.0.0.1", new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }

  /** A port that was free a moment ago; another process may still take it. */
  static int free() throws IOException {
    try (ServerSocket socket = listen()) {
      return socket.getLocalPort();
    }
  }

  /** Listens on a free port. */
  static ServerSocket listen() throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return listen(draw());
      } catch (IOException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static synchronized int draw() {
    if (DRAWN.size() == REMEMBERED) {
      Iterator<Integer> oldest = DRAWN.iterator();
      PortClaims.release(oldest.next());
      oldest.remove();
    }
    int port = any();
    while (DRAWN.contains(port) || !PortClaims.claim(port)) {
      port = any();
    }
    DRAWN.add(port);
    return port;
  }

  private static int any() {
    return ThreadLocalRandom.current().nextInt(LOWEST, LIMIT);
  }

  /** Listens on the given port. */
  static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(loopback(), port));
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }
}
