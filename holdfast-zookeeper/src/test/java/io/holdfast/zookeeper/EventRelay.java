package io.holdfast.zookeeper;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A relay to a ZooKeeper server that passes answers on and can lose watch events: the session
 * lives, but a watch does not fire.
 */
final class EventRelay implements AutoCloseable {
  private static final int XID_OF_EVENTS = -1;

  private final int serverPort;
  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger lost = new AtomicInteger();
  private volatile boolean losesEvents;

  EventRelay(int serverPort) {
    this.serverPort = serverPort;
    try {
      this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** From now on no watch event reaches a client. */
  void loseEvents() {
    losesEvents = true;
  }

  int lostEvents() {
    return lost.get();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
      sockets.add(client);
      sockets.add(server);
      start(() -> copy(client, server));
      start(() -> copyFrames(server, client));
    }
  }

  private static void copy(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      in.transferTo(to.getOutputStream());
    }
  }

  /** A frame is a length and that many bytes, which begin with a number for the kind of frame. */
  private void copyFrames(Socket from, Socket to) throws IOException {
    try (from;
        to) {
      DataInputStream in = new DataInputStream(from.getInputStream());
      DataOutputStream out = new DataOutputStream(to.getOutputStream());
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        if (losesEvents && ByteBuffer.wrap(frame).getInt() == XID_OF_EVENTS) {
          lost.incrementAndGet();
        } else {
          ByteBuffer whole = ByteBuffer.allocate(4 + frame.length).putInt(frame.length).put(frame);
          out.write(whole.array());
        }
      }
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                // closed
              }
            },
            "event-relay");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      listener.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
