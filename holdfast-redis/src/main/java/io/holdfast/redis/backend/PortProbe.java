package io.holdfast.redis.backend;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Finds out what a port speaks, after a connection has failed without a reason. A server that
 * expects TLS closes a plain connection without a word. A server without TLS takes a TLS handshake
 * for a command and waits for its end for ever. The probe sends no user or password, and takes at
 * most three time-outs.
 */
final class PortProbe {
  private static final byte[] QUESTION = "PING\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  private PortProbe() {}

  /** The protocol of a port. */
  enum Speech {
    REDIS,
    TLS,
    HTTP,
    /** The port answers in another protocol. */
    OTHER,
    NOTHING
  }

  static Speech ask(String host, int port, int millis) {
    Speech plain = askPlain(host, port, millis);
    return plain == Speech.NOTHING && speaksTls(host, port, millis) ? Speech.TLS : plain;
  }

  private static Speech askPlain(String host, int port, int millis) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), millis);
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(QUESTION);
      byte[] answer = socket.getInputStream().readNBytes(5);
      return answer.length == 0 ? Speech.NOTHING : speechOf(answer);
    } catch (IOException e) {
      return Speech.NOTHING;
    }
  }

  private static Speech speechOf(byte[] answer) {
    String text = new String(answer, StandardCharsets.ISO_8859_1);
    if (text.startsWith("HTTP/")) {
      return Speech.HTTP;
    }
    return switch (text.charAt(0)) {
      case '+', '-' -> Speech.REDIS;
      case '\u0015' -> Speech.TLS; // a TLS alert
      default -> Speech.OTHER;
    };
  }

  /** A certificate that is not trusted is still a sign of TLS. */
  private static boolean speaksTls(String host, int port, int millis) {
    try (Socket plain = new Socket()) {
      plain.connect(new InetSocketAddress(host, port), millis);
      plain.setSoTimeout(millis);
      SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
      try (SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, true)) {
        socket.startHandshake();
        return true;
      }
    } catch (SSLException e) {
      return ConnectFaults.isAboutCertificates(e);
    } catch (IOException e) {
      return false;
    }
  }
}
