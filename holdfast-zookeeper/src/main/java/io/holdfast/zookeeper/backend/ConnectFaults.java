package io.holdfast.zookeeper.backend;

import io.holdfast.spi.BackendException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Explains why there is no session. ZooKeeper's client tries one server after the other without end
 * and reports no reason. So after the time-out each server is asked with a command that needs
 * neither a session nor a permission. No user or password is sent.
 */
final class ConnectFaults {
  private static final int MAX_MILLIS = 1000;
  private static final int MAX_SERVERS = 7;
  private static final byte[] QUESTION = "srvr".getBytes(StandardCharsets.US_ASCII);

  private final ZooKeeperSettings settings;

  ConnectFaults(ZooKeeperSettings settings) {
    this.settings = settings;
  }

  /** The trouble with one server. */
  private record Finding(boolean mayPass, String text) {}

  /** No session came in time. */
  BackendException noSession(Throwable cause) {
    List<String> texts = new ArrayList<>();
    boolean mayPass = false;
    List<String> servers = List.of(settings.servers().split(",", -1));
    for (String server : servers.subList(0, Math.min(MAX_SERVERS, servers.size()))) {
      Finding finding = ask(server);
      texts.add(server + ": " + finding.text());
      mayPass |= finding.mayPass();
    }
    String message =
        "cannot connect to %s: no session within %d ms; %s"
            .formatted(settings, settings.connectTimeout().toMillis(), String.join("; ", texts));
    return mayPass
        ? BackendException.unavailable(message, cause)
        : new BackendException(message, cause);
  }

  /** Another fault while connecting. */
  BackendException refused(String why, Throwable cause) {
    return new BackendException("cannot connect to " + settings + ": " + why, cause);
  }

  private Finding ask(String server) {
    int colon = server.lastIndexOf(':');
    String host = server.substring(0, colon).replaceAll("[\\[\\]]", "");
    int port = Integer.parseInt(server.substring(colon + 1));
    int millis = (int) Math.min(MAX_MILLIS, settings.connectTimeout().toMillis());
    boolean connected = false;
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, port), millis);
      connected = true;
      socket.setSoTimeout(millis);
      socket.getOutputStream().write(QUESTION);
      byte[] answer = socket.getInputStream().readNBytes(60);
      return meaningOf(new String(answer, StandardCharsets.ISO_8859_1));
    } catch (UnknownHostException e) {
      return new Finding(
          true, "the host is not known; is its name right, and can this machine resolve it?");
    } catch (SocketTimeoutException e) {
      return new Finding(true, connected ? silent() : unreachable());
    } catch (ConnectException e) {
      String words = String.valueOf(e.getMessage());
      return words.contains("refused")
          ? new Finding(
              true,
              "nothing listens there; is it running, and is this its port? (%s)".formatted(words))
          : new Finding(true, unreachable() + " (" + words + ")");
    } catch (IOException e) {
      return new Finding(true, "the connection breaks (" + e.getMessage() + ")");
    }
  }

  private static String unreachable() {
    return "the host does not answer; is the address right, and does a firewall block it?";
  }

  private static String silent() {
    return "it accepts connections and does not answer; is it halted or overloaded, or does the port expect TLS?";
  }

  private static Finding meaningOf(String answer) {
    if (answer.startsWith("Zookeeper version") || answer.startsWith("srvr is not executed")) {
      return new Finding(
          true,
          "it runs but granted no session in time; is it overloaded, or does it require SASL?");
    }
    if (answer.contains("not currently serving requests")) {
      return new Finding(true, "it runs but serves no clients; does its ensemble have a majority?");
    }
    if (answer.isEmpty()) {
      return new Finding(true, "it closes connections without an answer; its log may say why");
    }
    String what = answer.startsWith("HTTP/") ? " but an HTTP server" : "";
    return new Finding(
        false, "it is not a ZooKeeper server%s; check host and port".formatted(what));
  }
}
