package io.holdfast.testservers;

import java.io.IOException;
import java.net.ServerSocket;

/** A child whose life can be seen from outside: it holds a port, and never ends by itself. */
final class ListeningMain {
  private ListeningMain() {}

  public static void main(String[] args) throws IOException {
    try (ServerSocket socket = LoopbackPorts.listen()) {
      System.out.println(socket.getLocalPort());
      while (true) {
        socket.accept().close();
      }
    }
  }
}
